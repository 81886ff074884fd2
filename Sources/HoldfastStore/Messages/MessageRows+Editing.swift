import GRDB
import HoldfastCore

/// A message whose text its sender may change.
package struct EditableMessage: Equatable {
  package var conversation: ConversationKey
  package var sender: UserID
  package var content: MessageContent
}

private enum EditableColumn: String, ExtendingColumn {
  typealias Shared = ContentColumn

  case conversationID = "m.conversationID"
  case sender = "m.sender"

  static let message = select("FROM message m WHERE m.id = ? AND m.deletedAt IS NULL")
}

extension EditableMessage {
  fileprivate init(_ row: QueryRow<EditableColumn>) {
    conversation = row[.conversationID]
    sender = row[.sender]
    content = MessageContent(row.shared)
  }
}

extension MessageRows {
  /// The message with its text as shown. Nil when it is not here, was deleted, or is still being written.
  package func editable(_ id: MessageID) throws -> EditableMessage? {
    guard try !exists("SELECT 1 FROM stream WHERE messageID = ?", [id.rawValue]) else { return nil }
    return try shownMessage(id)
  }

  /// The content of a whole message, with this user's waiting edits. Nil when it is absent or was deleted.
  package func shownContent(of id: MessageID) throws -> MessageContent? { try shownMessage(id)?.content }

  private func shownMessage(_ id: MessageID) throws -> EditableMessage? {
    guard var message = try row(EditableColumn.message, [id.rawValue], EditableMessage.init) else {
      return nil
    }
    for operation in try db.operations.all(of: id) where operation.failure == nil {
      switch operation.kind {
      case .delete: return nil
      case .edit: message.content.edit(operation.content, isWhole: operation.isWhole)
      case .react, .unreact: break
      }
    }
    return message
  }
}
