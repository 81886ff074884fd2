import Foundation

/// A text that its user wrote and that only this device has.
package struct UnsentText: Equatable {
  package var conversation: ConversationID
  package var title: String?
  package var kind: ChatConfiguration.ShownText.Unsent
  package var writtenAt: Date
  package var text: String
  package var attachments: [String]

  package init(
    conversation: ConversationID, title: String? = nil, kind: ChatConfiguration.ShownText.Unsent,
    writtenAt: Date, text: String,
    attachments: [String]
  ) {
    self.conversation = conversation
    self.title = title
    self.kind = kind
    self.writtenAt = writtenAt
    self.text = text
    self.attachments = attachments
  }

  package func plainText(with texts: (ChatConfiguration.ShownText) -> String) -> String {
    let date = writtenAt.formatted(.iso8601)
    let files = attachments.map { "[\($0)]\n" }.joined()
    return
      "\(texts(.unsent(kind))), \(title.map { "\($0) (\(conversation))" } ?? "\(conversation)"), \(date)\n\n\(text)\n\(files)"
  }
}
