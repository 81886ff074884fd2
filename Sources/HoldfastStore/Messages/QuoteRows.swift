import GRDB
import HoldfastCore

/// A message that another one answers.
package struct QuotedMessage: Equatable {
  package var sender: UserID
  /// Its beginning.
  package var body: String
  package var isDeleted: Bool

  package init(sender: UserID, body: String, isDeleted: Bool) {
    self.sender = sender
    self.body = body
    self.isDeleted = isDeleted
  }

}

extension Database {
  /// What the messages of a timeline answer, and is not among them.
  func quotedMessages(
    beside messages: ArraySlice<StoredMessage>, in conversation: ConversationID
  ) throws -> [MessageID: QuotedMessage] {
    let answered = Set(messages.lazy.filter { !$0.isDeleted }.compactMap(\.replyTo))
    guard !answered.isEmpty else { return [:] }
    return try quotedMessages(answered.subtracting(messages.map(\.id)), in: conversation)
  }

  /// Those of these messages that are here, in this conversation. An ID in an answer is its sender's word: what lies in
  /// another conversation is not quoted into this one.
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
