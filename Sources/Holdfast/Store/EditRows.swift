import Foundation
import GRDB

/// A message whose text its sender may change.
struct EditableMessage: Equatable {
  var conversation: ConversationID
  var sender: UserID
  var content: DraftContent
}

extension Database {
  /// Nil when it is not here, was deleted, or is still being written.
  func editableMessage(_ id: MessageID) throws -> EditableMessage? {
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
  /// Changes the text of a message that has not left: it goes out as if it had been written so.
  func applyEdit(of id: MessageID, _ content: DraftContent) throws {
    guard let message = try db.editableMessage(id) else {
      throw ChatError(
        .unknownMessage, "The message has been deleted. Make the text a new message, or drop it.")
    }
    let hasLeft: Bool? = try db.row("SELECT mayHaveArrived FROM outbox WHERE messageID = ?", [id.rawValue])?[
      0]
    guard hasLeft == false else {
      throw ChatError(.tooLate, "The message has left already. The text stays in the composer.")
    }
    try run(
      "UPDATE message SET body = ?, formatting = ? WHERE id = ?",
      [content.text, content.formatting, id.rawValue])
    changes.timelines.insert(message.conversation)
    changes.list = true
  }

  /// What a message has besides its text: few have, and the others' row is written once.
  func setContext(of id: MessageID, from content: DraftContent) throws {
    guard content.replyTo != nil || content.formatting != nil else { return }
    try run(
      "UPDATE message SET replyTo = ?, formatting = ? WHERE id = ?",
      [content.replyTo?.rawValue, content.formatting, id.rawValue])
  }
}
