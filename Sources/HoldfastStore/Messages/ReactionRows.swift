import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

extension Transaction {
  func insertReaction(
    _ reaction: IncomingMessage.Reaction, to id: MessageID, in conversation: ConversationKey
  )
    throws
  {
    guard IncomingMessage.Reaction.isWellFormed(reaction.value), reaction.sender.isWellFormed else { return }
    try run(
      "INSERT INTO reaction (messageID, sender, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      [id.rawValue, reaction.sender.rawValue, reaction.value])
    changes.timelines.insert(conversation)
  }
}

private enum ReactionColumn: String, QueryColumn {
  case messageID = "p.messageID"
  case sender = "p.sender"
  case value = "p.value"

  static let page = select("FROM reaction p WHERE " + Reading.onPage)
  static let message = select("FROM reaction p WHERE p.messageID = ?")
}

extension IncomingMessage.Reaction {
  fileprivate init(_ row: QueryRow<ReactionColumn>) { self.init(row[.value], from: row[.sender]) }
}

extension Reading {
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
