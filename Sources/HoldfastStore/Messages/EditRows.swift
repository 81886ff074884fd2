import Foundation
import GRDB
import HoldfastCore

/// A message whose text its sender may change.
package struct EditableMessage: Equatable {
  package var conversation: ConversationID
  package var sender: UserID
  package var content: DraftContent
}

extension Reading {
  /// The message with its text as shown. Nil when it is not here, was deleted, or is still being written.
  package func editableMessage(_ id: MessageID) throws -> EditableMessage? {
    guard var message = try storedMessage(id) else { return nil }
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

  private func storedMessage(_ id: MessageID) throws -> EditableMessage? {
    try row(
      """
      SELECT m.conversationID, m.sender, m.body, m.replyTo, m.formatting FROM message m
      WHERE m.id = ? AND m.deletedAt IS NULL AND NOT EXISTS (SELECT 1 FROM stream WHERE messageID = m.id)
      """, [id.rawValue]
    ).map { row in
      EditableMessage(
        conversation: ConversationID(rawValue: row[0]), sender: UserID(rawValue: row[1]),
        content: DraftContent(
          row[2], replyTo: (row[3] as String?).map(MessageID.init(rawValue:)), formatting: row[4]))
    }
  }
}

extension Transaction {
  /// Stores the reply target and the formatting of a message. Few messages have either, so that most rows are
  /// written once.
  package func setContext(of id: MessageID, replyTo: MessageID?, formatting: Data?) throws {
    guard replyTo != nil || formatting != nil else { return }
    try run(
      "UPDATE message SET replyTo = ?, formatting = ? WHERE id = ?",
      [replyTo?.rawValue, formatting, id.rawValue])
  }
}
