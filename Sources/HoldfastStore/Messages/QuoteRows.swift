import GRDB
import HoldfastCore

/// A message that another message answers.
package struct QuotedMessage: Equatable {
  package var sender: UserID
  /// The beginning of the text.
  package var body: String
  package var isDeleted: Bool

  package init(sender: UserID, body: String, isDeleted: Bool) {
    self.sender = sender
    self.body = body
    self.isDeleted = isDeleted
  }

}

extension Reading {
  /// The messages that a timeline's messages answer, without those in the timeline itself.
  func quotedMessages(
    beside messages: ArraySlice<StoredMessage>, in conversation: ConversationID
  ) throws -> [MessageID: QuotedMessage] {
    let answered = Set(messages.lazy.filter { !$0.isDeleted }.compactMap(\.replyTo))
    guard !answered.isEmpty else { return [:] }
    return try quotedMessages(answered.subtracting(messages.map(\.id)), in: conversation)
  }

  /// The messages with these IDs in this conversation. The sender chooses the ID in an answer, so that a message
  /// of another conversation is never quoted here.
  private func quotedMessages(
    _ ids: Set<MessageID>, in conversation: ConversationID
  ) throws -> [MessageID: QuotedMessage] {
    var quoted: [MessageID: QuotedMessage] = [:]
    for id in ids {
      quoted[id] = try row(
        "SELECT sender, substr(body, 1, 400), deletedAt IS NOT NULL FROM message WHERE id = ? AND conversationID = ?",
        [id.rawValue, conversation.rawValue]
      ).map { QuotedMessage(sender: UserID(rawValue: $0[0]), body: $0[1], isDeleted: $0[2]) }
    }
    return quoted
  }
}
