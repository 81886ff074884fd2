import GRDB
import HoldfastCore

/// A message that another message replies to.
package struct QuotedMessage: Equatable {
  package var sender: UserID
  /// The beginning of the text.
  package var text: String
  package var isDeleted: Bool

  package init(sender: UserID, text: String, isDeleted: Bool) {
    self.sender = sender
    self.text = text
    self.isDeleted = isDeleted
  }

  fileprivate init(_ row: QueryRow<QuoteColumn>) {
    self.init(sender: row[.sender], text: row[.body], isDeleted: row[.isDeleted])
  }
}

private enum QuoteColumn: String, QueryColumn {
  case sender
  case body = "substr(body, 1, 400)"
  case isDeleted = "deletedAt IS NOT NULL"

  static let quoted = select("FROM message WHERE id = ? AND conversationID = ?")
}

extension MessageRows {
  /// The messages that a timeline's messages reply to, except those in the timeline itself.
  func quoted(
    beside messages: ArraySlice<StoredMessage>, in conversation: ConversationKey
  ) throws -> [MessageID: QuotedMessage] {
    let answered = Set(messages.lazy.filter { !$0.isDeleted }.compactMap(\.content.replyTo))
    guard !answered.isEmpty else { return [:] }
    return try quoted(answered.subtracting(messages.map(\.id)), in: conversation)
  }

  /// The messages with these IDs in this conversation. The sender chooses the ID in a reply, so a message of another
  /// conversation is never quoted here.
  private func quoted(
    _ ids: Set<MessageID>, in conversation: ConversationKey
  ) throws -> [MessageID: QuotedMessage] {
    var quoted: [MessageID: QuotedMessage] = [:]
    for id in ids {
      quoted[id] = try row(
        QuoteColumn.quoted, [try knownID(id).rawValue, conversation.rawValue], QuotedMessage.init)
    }
    return quoted
  }
}
