import Foundation
import GRDB
import HoldfastCore

extension Transaction {
  func insertReaction(_ reaction: SentReaction, to id: MessageID) throws {
    guard SentReaction.isWellFormed(reaction.value), reaction.sender.isWellFormed else { return }
    try run(
      "INSERT INTO reaction (messageID, sender, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      [id.rawValue, reaction.sender.rawValue, reaction.value])
  }
}

extension Reading {
  /// The reactions to the newest `limit` messages of a conversation.
  package func reactions(in conversation: ConversationID, limit: Int) throws -> [MessageID: [SentReaction]] {
    let found = try rows(
      "SELECT p.messageID, p.sender, p.value FROM reaction p WHERE " + Self.onPage,
      [conversation.rawValue, limit]
    ) { (message: MessageID(rawValue: $0[0]), SentReaction($0[2], from: UserID(rawValue: $0[1]))) }
    return found.reduce(into: [:]) { $0[$1.message, default: []].append($1.1) }
  }

  package func reactions(to id: MessageID) throws -> [SentReaction] {
    try rows("SELECT value, sender FROM reaction WHERE messageID = ?", [id.rawValue]) {
      SentReaction($0[0], from: UserID(rawValue: $0[1]))
    }
  }
}
