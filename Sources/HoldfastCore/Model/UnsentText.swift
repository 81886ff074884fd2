import Foundation

/// A text that its user wrote and that only this device has.
package struct UnsentText: Equatable {
  package var conversation: ConversationID
  package var title: String?
  /// The kind of text, such as "Draft" or "Not sent".
  package var kind: String
  package var writtenAt: Date
  package var text: String
  package var attachments: [String]

  package init(
    conversation: ConversationID, title: String? = nil, kind: String, writtenAt: Date, text: String,
    attachments: [String]
  ) {
    self.conversation = conversation
    self.title = title
    self.kind = kind
    self.writtenAt = writtenAt
    self.text = text
    self.attachments = attachments
  }

  package var plainText: String {
    let date = writtenAt.formatted(.iso8601)
    let files = attachments.map { "[\($0)]\n" }.joined()
    return
      "\(kind), \(title.map { "\($0) (\(conversation))" } ?? "\(conversation)"), \(date)\n\n\(text)\n\(files)"
  }
}
