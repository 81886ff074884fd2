import Foundation
import GRDB
import HoldfastCore

/// A message whose text its sender may change.
package struct EditableMessage: Equatable {
  package var conversation: ConversationID
  package var sender: UserID
  package var content: DraftContent
}

private enum EditableColumn: String, QueryColumn {
  case conversationID = "m.conversationID"
  case sender = "m.sender"
  case body = "m.body"
  case replyTo = "m.replyTo"
  case formatting = "m.formatting"

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
    content = DraftContent(row[.body], replyTo: row[.replyTo], formatting: row[.formatting])
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
      case .edit:
        (message.content.text, message.content.formatting) = (operation.payload, operation.formatting)
      case .react, .unreact: break
      }
    }
    return message
  }
}

extension Transaction {
  /// Stores the reply target and the formatting of a message. Few messages have either, so that most rows are
  /// written once.
  package func setContext(of id: MessageID, replyTo: MessageID?, formatting: Data?) throws {
    guard replyTo != nil || formatting != nil else { return }
    let conversation: ConversationID? = try value(
      "UPDATE message SET replyTo = ?, formatting = ? WHERE id = ? RETURNING conversationID",
      [replyTo?.rawValue, formatting, id.rawValue])
    if let conversation { changes.timelines.insert(conversation) }
  }
}
