import Foundation
import GRDB
import HoldfastCore

/// The contents of a message that was taken out of the outbox.
package struct UnsentMessage {
  package var conversation: ConversationKey
  var text: String
  var attachments: [ChatAttachment]
}

extension OutboxRows where Access == Transaction {
  /// Removes an unsent message from outbox and timeline, with all operations on it. Returns its contents, with the
  /// text as shown. After the commit, the files of its attachments are removed, unless something else refers to
  /// them.
  @discardableResult
  package func removeUnsent(_ id: MessageID) throws -> UnsentMessage {
    let (_, conversation) = try requireEntry(of: id)
    let text: String? = try value(
      """
      SELECT coalesce((SELECT p.payload FROM operation p JOIN outbox o ON o.operationID = p.id
          WHERE p.messageID = ?1 AND p.kind = 'edit' ORDER BY o.position DESC LIMIT 1), body)
      FROM message WHERE id = ?1
      """, [id.rawValue])
    guard let text else {
      throw ChatError(.unknownMessage, "This is a change of a message, and no message. Cancel it instead.")
    }
    let attachments = try db.attachments.all(of: id).map(\.attachment)
    if !attachments.isEmpty { changes.unusedAttachments = true }
    try run("DELETE FROM message WHERE id = ?", [id.rawValue])
    try db.streams.forget(of: id)
    changes.deletedTexts = true
    changes.noteEntry(in: conversation)
    // The messages behind it may be sent now, if its failure or its attachments blocked them.
    changes.lanes.insert(conversation)
    return UnsentMessage(conversation: conversation, text: text, attachments: attachments)
  }

  /// Like ``removeUnsent(_:)``, for a message that is not in flight. If the server may have the message, the
  /// operations on it wait for the server's copy.
  @discardableResult
  package func removeAtRest(_ id: MessageID) throws -> UnsentMessage {
    try requireAtRest(id)
    let mayHaveArrived: Bool? = try value(
      "SELECT mayHaveArrived FROM outbox WHERE messageID = ?", [id.rawValue])
    if mayHaveArrived == true {
      try db.operations.keepForCopy(of: id, in: try requireEntry(of: id).conversation)
    }
    return try removeUnsent(id)
  }

  /// Takes an unsent message out of outbox and timeline. Returns it as content for a composer.
  package func takeUnsent(_ id: MessageID) throws -> DraftContent {
    var content = try db.messages.editable(id)?.content ?? MessageContent()
    let unsent = try removeUnsent(id)
    // Spans apply only to the text that they were made for.
    if !content.text.hasSameBytes(as: unsent.text) {
      content.formattedText = MessageContent.FormattedText(unsent.text)
    }
    return DraftContent(content, attachments: unsent.attachments)
  }

  /// Throws `tooLate` when the entry is in flight: taking back an unacknowledged message could send it twice. The
  /// transaction checks this, because another process may be the sender.
  package func requireAtRest(_ id: MessageID) throws {
    guard try !isOnItsWay(try requireEntry(of: id).entry) else {
      throw ChatError(.tooLate, "The message is on its way to the server.")
    }
  }
}

extension OutboxRows {
  /// Whether the entry is in flight, or about to be sent again, so that the server may have it already. A failed
  /// entry is at rest, because its user decides about it.
  package func isOnItsWay(_ entry: OutboxEntry) throws -> Bool {
    try value(
      "SELECT mayHaveArrived = 1 AND parkedCode IS NULL FROM outbox WHERE position = ?", [entry.position])
      ?? false
  }
}
