import Foundation
import HoldfastCore
import HoldfastTransport

/// A message that the server has found.
struct RemoteMessage {
  var id: MessageID
  var conversation: ConversationKey
  var title: String?
  var members: [UserID]
  var sender: UserID
  var text: String
  var createdAt: Date
  /// Whether it is on this device.
  var isHere: Bool
}

private enum RemoteColumn: String, QueryColumn {
  case title, members

  static let conversation = select("FROM conversation WHERE id = ?")
}

extension SearchRows {
  /// Nil when the message cannot be shown: it is deleted, or its conversation is absent or was deleted here.
  func remote(_ message: IncomingMessage, _ deletions: LocalDeletions) throws -> RemoteMessage? {
    guard message.id.isWellFormed, message.conversation.isWellFormed, message.deletedAt == nil else {
      return nil
    }
    let key = try key(of: message.conversation)
    let id = try db.messages.knownID(message.id)
    let isHere = try db.history.isHere(id, in: key)
    guard !deletions.isHidden(key), isHere || deletions.horizons[key]?.isDeleted(message.order) != true else {
      return nil
    }
    return try row(RemoteColumn.conversation, [key.rawValue]) { row in
      RemoteMessage(
        id: id, conversation: key, title: row[.title], members: StoredMembers.decode(row[.members]),
        sender: message.sender, text: message.content.text, createdAt: message.createdAt, isHere: isHere)
    }
  }
}
