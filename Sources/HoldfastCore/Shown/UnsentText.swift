import Foundation

/// A text that its user wrote and that only this device has.
package struct UnsentText: Equatable {
  package var conversation: ConversationID
  package var title: String?
  /// The author. Nil when it is the owner of the store.
  package var sender: UserID?
  package var kind: ChatConfiguration.ShownText.Unsent
  package var writtenAt: Date
  package var text: String
  package var attachments: [String]

  package init(
    conversation: ConversationID, title: String? = nil, sender: UserID? = nil,
    kind: ChatConfiguration.ShownText.Unsent,
    writtenAt: Date, text: String,
    attachments: [String]
  ) {
    self.conversation = conversation
    self.title = title
    self.sender = sender
    self.kind = kind
    self.writtenAt = writtenAt
    self.text = text
    self.attachments = attachments
  }

  package func plainText(with texts: (ChatConfiguration.ShownText) -> String) -> String {
    let date = writtenAt.formatted(.iso8601)
    let files = attachments.map { "[\($0.plainLine)]\n" }.joined()
    let id = conversation.rawValue.plainLine
    let place = title.map { "\($0.plainLine) (\(id))" } ?? id
    let heading = [texts(.unsent(kind)), place, sender?.rawValue.plainLine, date].compactMap(\.self).joined(
      separator: ", ")
    return "\(heading)\n\n\(text.plainLines)\n\(files)"
  }
}
