import GRDB
import HoldfastCore

/// A message whose text its sender may change.
package struct EditableMessage: Equatable {
  package var conversation: ConversationID
  package var sender: UserID
  package var content: MessageContent
}

private enum EditableColumn: String, ExtendingColumn {
  typealias Shared = ContentColumn

  case conversationID = "m.conversationID"
  case sender = "m.sender"

  static let message = select(
    """
    FROM message m
    WHERE m.id = ? AND m.deletedAt IS NULL AND NOT EXISTS (SELECT 1 FROM stream WHERE messageID = m.id)
    """)
}

extension EditableMessage {
  fileprivate init(_ row: QueryRow<EditableColumn>) {
    conversation = row[.conversationID]
    sender = row[.sender]
    content = MessageContent(row.shared)
  }
}

extension Reading {
  /// The message with its text as shown. Nil when it is not here, was deleted, or is still being written.
  package func editableMessage(_ id: MessageID) throws -> EditableMessage? {
    guard var message = try row(EditableColumn.message, [id.rawValue], EditableMessage.init) else {
      return nil
    }
    for operation in try operations(of: id) where operation.failure == nil {
      switch operation.kind {
      case .delete: return nil
      case .edit: message.content.formattedText = operation.text
      case .react, .unreact: break
      }
    }
    return message
  }
}
