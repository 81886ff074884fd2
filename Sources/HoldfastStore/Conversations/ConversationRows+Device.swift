import Foundation
import GRDB
import HoldfastCore

/// Conversations that are kept on this device alone.
extension ConversationRows where Access == Transaction {
  /// Marks a new conversation as local: it is never sent to a server.
  package func keepOnDevice(_ id: ConversationKey) throws {
    try run("UPDATE conversation SET isOnDevice = 1 WHERE id = ?", [id.rawValue])
    changes.noteConversation(id)
  }

  /// Gives a finished message its final place, behind the messages that are delivered.
  package func deliverHere(_ id: MessageID, in conversation: ConversationKey) throws {
    try run(
      "UPDATE message SET place = ? WHERE id = ?",
      [try db.messages.place(order: nil, in: conversation), id.rawValue])
    changes.noteMessage(in: conversation)
  }

  /// Removes a message that no server has. After the commit, the files of its attachments are removed, unless
  /// something else refers to them.
  package func removeHere(_ id: MessageID, in conversation: ConversationKey) throws {
    if try !db.attachments.all(of: id).isEmpty { changes.unusedAttachments = true }
    if try exists("SELECT 1 FROM stream WHERE messageID = ?", [id.rawValue]) {
      try run(
        "DELETE FROM work WHERE requestID = (SELECT requestID FROM stream WHERE messageID = ?)", [id.rawValue]
      )
      try db.streams.forget(of: id)
    }
    try run("DELETE FROM message WHERE id = ?", [id.rawValue])
    changes.deletedTexts = true
    changes.noteMessage(in: conversation)
  }
}

extension ConversationRows {
  /// Whether the conversation is kept on this device alone.
  package func isOnDevice(_ id: ConversationKey) throws -> Bool {
    try exists("SELECT 1 FROM conversation WHERE id = ? AND isOnDevice", [id.rawValue])
  }

  /// The conversations that are kept on this device alone. Costs nothing in a store that has none.
  package func onDevice() throws -> Set<ConversationKey> {
    Set(try values("SELECT id FROM conversation WHERE isOnDevice"))
  }
}
