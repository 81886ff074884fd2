import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

extension OperationRows where Access == Transaction {
  /// Replaces the reactions to a message. If the new state has no server's name for a reaction, the stored name is
  /// kept.
  func replaceReactions(
    to id: MessageID, with reactions: [IncomingMessage.Reaction], in conversation: ConversationKey
  ) throws {
    let named = try rows(ReactionColumn.named, [id.rawValue], IncomingMessage.Reaction.init)
    try run("DELETE FROM reaction WHERE messageID = ?", [id.rawValue])
    for reaction in reactions {
      var reaction = reaction
      reaction.serverID = reaction.serverID ?? named.first { $0 == reaction }?.serverID
      try insertReaction(reaction, to: id, in: conversation)
    }
  }

  func insertReaction(
    _ reaction: IncomingMessage.Reaction, to id: MessageID, in conversation: ConversationKey
  )
    throws
  {
    guard IncomingMessage.Reaction.isWellFormed(reaction.value), reaction.sender.isWellFormed else { return }
    let name = reaction.serverID.flatMap { MessageID.isWellFormed($0) ? $0 : nil }
    try run(
      """
      INSERT INTO reaction (messageID, sender, value, serverID) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET serverID = excluded.serverID WHERE excluded.serverID IS NOT NULL
      """,
      [id.rawValue, reaction.sender.rawValue, reaction.value, name])
    changes.timelines.insert(conversation)
  }
}

private enum ReactionColumn: String, QueryColumn {
  case messageID = "p.messageID"
  case sender = "p.sender"
  case value = "p.value"
  case serverID = "p.serverID"

  static let page = select("FROM reaction p WHERE " + operationsOnPage)
  static let message = select("FROM reaction p WHERE p.messageID = ?")
  static let named = select("FROM reaction p WHERE p.messageID = ? AND p.serverID IS NOT NULL")
}

extension IncomingMessage.Reaction {
  fileprivate init(_ row: QueryRow<ReactionColumn>) {
    self.init(row[.value], from: row[.sender], serverID: row[.serverID])
  }
}

extension OperationRows {
  /// The reactions to the newest `limit` messages of a conversation.
  package func reactions(in conversation: ConversationKey, limit: Int) throws -> [MessageID: [IncomingMessage
    .Reaction]]
  {
    let found = try rows(ReactionColumn.page, [conversation.rawValue, limit]) { row in
      (message: row[.messageID] as MessageID, reaction: IncomingMessage.Reaction(row))
    }
    return found.reduce(into: [:]) { $0[$1.message, default: []].append($1.reaction) }
  }

  package func reactions(to id: MessageID) throws -> [IncomingMessage.Reaction] {
    try rows(ReactionColumn.message, [id.rawValue], IncomingMessage.Reaction.init)
  }
}
