import GRDB
import HoldfastCore
import HoldfastTransport

/// The deletions on this device.
package struct DeletionRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var deletions: DeletionRows<Self> { DeletionRows(db: self) }
}

/// The deletion of a conversation (rule H5):
///
/// ```
///            delete                    Undo is over                 all is gone
///   shown ─────────────► hidden ─────────────────────► final ─────────────────────► not there
///     ▲                    │                             │
///     └────── undo ────────┘                             └── written in again since ──► shown, with that alone
/// ```
extension DeletionRows where Access == Transaction {
  /// Whether the conversation is deleted from the user's view.
  package func isHidden(_ id: ConversationKey) -> Bool { localDeletions.isHidden(id) }

  /// Hides the conversation from every list, count and search, and takes its messages out of the outbox. Costs a
  /// write for each of those messages, and one for each reply that is being written in the conversation. Returns the
  /// conversation that was hidden: another process may have merged it into another one.
  @discardableResult
  package func hide(_ id: ConversationKey, isFinal: Bool = false) throws -> ConversationKey {
    let id = try db.conversations.require(id)
    try finishEmptying(of: id)
    let last: Int64? = try value(
      """
      INSERT INTO deletion (conversationID, position)
      VALUES (?1, (SELECT coalesce(max(position), 0) FROM message WHERE conversationID = ?1)) RETURNING position
      """, [id.rawValue])
    localDeletions.marks[id] = LocalDeletions.Mark(position: last!, isFinal: false)
    try run(setAside, [id.rawValue])
    try run("DELETE FROM outbox WHERE conversationID = ?", [id.rawValue])
    try db.streams.endAll(in: id)
    if isFinal { try finish(of: id) }
    note(of: id)
    return id
  }

  /// Shows a hidden conversation again with all its contents. Its outbox entries go to the end of the outbox.
  package func unhide(_ id: ConversationKey) throws {
    guard try value("SELECT isFinal FROM deletion WHERE conversationID = ?", [id.rawValue]) == false else {
      throw ChatError(.tooLate, "The conversation has been erased, or was never deleted.")
    }
    try putBackOutbox(of: id)
    try run("DELETE FROM deletion WHERE conversationID = ?", [id.rawValue])
    localDeletions.marks[id] = nil
    changes.lanes.insert(id)
    note(of: id)
  }

  /// Makes a deletion final: the conversation cannot be restored, and only has to be erased. From now on its
  /// messages are not accepted from the server again.
  package func finish(of id: ConversationKey) throws {
    try run("UPDATE deletion SET isFinal = 1 WHERE conversationID = ?", [id.rawValue])
    guard changedRows > 0 else { return }
    localDeletions.marks[id]?.isFinal = true
    let horizon: Int64? = try value(
      """
      INSERT INTO horizon (conversationID, serverOrder, deletedOrder, isEvicted, members, isConfirmed)
      SELECT coalesce(d.emptied, c.id), coalesce(last.serverOrder, 0), coalesce(last.serverOrder, 0), 0, c.members,
        c.isConfirmed
      FROM conversation c JOIN deletion d ON d.conversationID = c.id
      LEFT JOIN message last ON last.position = (
        SELECT m.position FROM message m
        WHERE m.conversationID = c.id AND m.place < ?2 AND m.position <= d.position AND m.serverOrder IS NOT NULL
        ORDER BY m.place DESC LIMIT 1)
      WHERE c.id = ?1
      ON CONFLICT (conversationID) DO UPDATE SET serverOrder = max(serverOrder, excluded.serverOrder),
        deletedOrder = max(serverOrder, excluded.serverOrder), isEvicted = 0, members = excluded.members,
        isConfirmed = excluded.isConfirmed
      RETURNING serverOrder
      """, [id.rawValue, TimelinePlace.underWay])
    if let horizon {
      localDeletions.horizons[localDeletions.origin(of: id)] = LocalDeletions.Horizon(
        serverOrder: horizon, isEvicted: false, deletedOrder: horizon)
    }
    try run(
      """
      INSERT INTO forgottenMessage (id, conversationID)
      SELECT messageID, conversationID FROM outboxAside
      WHERE conversationID = ? AND messageID IS NOT NULL AND mayHaveArrived ON CONFLICT DO NOTHING
      """, [id.rawValue])
    try db.streams.forgetAll(in: id)
    try db.operations.forgetWaiting(in: id)
    note(of: id)
  }

  /// Erases at most `limit` messages of a conversation whose deletion is final. The last batch also erases all other
  /// data of the conversation. Messages sent since the deletion are kept, in a conversation that has nothing else.
  /// Returns whether there is more to erase.
  package func eraseSome(of id: ConversationKey, limit: Int) throws -> Bool {
    let last: Int64? = try value(
      "SELECT position FROM deletion WHERE conversationID = ? AND isFinal", [id.rawValue])
    guard let last else {
      // Another process has erased the last messages.
      localDeletions = try stored()
      return false
    }
    let positions: [Int64] = try values(
      "SELECT position FROM message WHERE conversationID = ? AND position <= ? LIMIT ?",
      [id.rawValue, last, limit])
    changes.remnants = true
    for position in positions {
      try run(remembrance, [position])
      try run("DELETE FROM message WHERE position = ?", [position])
    }
    guard positions.count < limit else { return true }
    try eraseRest(of: id)
    return false
  }

  private func eraseRest(of id: ConversationKey) throws {
    try db.settings.remove(.activeConversation, of: id)
    try db.scenes.remove(id)
    let hasNew = try exists("SELECT 1 FROM message WHERE conversationID = ? LIMIT 1", [id.rawValue])
    if hasNew {
      for table in ["outboxAside", "draft", "draftVersion", "work", "deletion"] {
        try run("DELETE FROM \(table) WHERE conversationID = ?", [id.rawValue])
      }
      // The title may be the first words of an erased message, and the app's data may refer to it.
      try run(
        """
        UPDATE conversation SET title = NULL, titleIsCustom = 0, metadata = NULL, lastSentMessageID = NULL,
          refusedCode = NULL, refusedExplanation = NULL WHERE id = ?
        """, [id.rawValue])
    } else {
      try run("DELETE FROM conversation WHERE id = ?", [id.rawValue])
    }
    localDeletions.marks[id] = nil
    changes.unusedAttachments = true
    note(of: id)
  }

  /// Erases a hidden conversation now, in this transaction, because the user creates it again.
  package func eraseToMakeAnew(_ id: ConversationKey) throws {
    guard isHidden(id) else { return }
    try finish(of: id)
    while try eraseSome(of: id, limit: 1000) {}
  }

  /// Restores the members and the confirmed state of a conversation that was deleted here and is made again.
  package func restoreHead(of id: ConversationKey) throws {
    guard localDeletions.horizons[id] != nil else { return }
    try run(
      """
      UPDATE conversation SET isConfirmed = max(conversation.isConfirmed, h.isConfirmed),
        members = CASE WHEN json_array_length(h.members) > json_array_length(conversation.members)
          THEN h.members ELSE conversation.members END
      FROM horizon h WHERE h.conversationID = conversation.id AND conversation.id = ?
      """, [id.rawValue])
    changes.noteConversation(id)
  }

  /// Whether an absent message was deleted or evicted on this device, and must not come back.
  ///
  /// - Parameter isFetched: whether the message was requested. Evicted messages are accepted then.
  package func isForgotten(
    _ message: IncomingMessage, in conversation: ConversationKey, by user: UserID, isFetched: Bool = false
  ) throws -> Bool {
    guard let horizon = localDeletions.horizons[conversation] else {
      // The app may have forgotten own messages, in any conversation.
      return try message.sender.account == user && isForgotten(message)
    }
    if isFetched {
      if horizon.isDeleted(message.order) { return true }
    } else if let order = message.order, order <= horizon.serverOrder {
      return true
    }
    return try isForgotten(message)
  }

  private func isForgotten(_ message: IncomingMessage) throws -> Bool {
    if try exists("SELECT 1 FROM forgottenMessage WHERE id = ?", [message.id.rawValue]) { return true }
    guard let name = message.serverID else { return false }
    return try exists("SELECT 1 FROM forgottenMessage WHERE serverID = ?", [name])
  }

  /// Stores the server's statement about a conversation that is deleted here, without making the conversation again.
  /// Returns whether the conversation is such a one.
  func noteForgotten(_ conversation: ConversationKey, members: String) throws -> Bool {
    guard localDeletions.horizons[conversation]?.isEvicted == false,
      try !db.conversations.isHere(conversation)
    else {
      return false
    }
    try run(
      "UPDATE horizon SET members = ?, isConfirmed = 1 WHERE conversationID = ?",
      [members, conversation.rawValue])
    return true
  }

  func note(of id: ConversationKey) {
    changes.noteEntry(in: id)
    changes.noteDraft(in: id)
  }

  /// Puts the outbox entries of a hidden conversation back at the end of the outbox.
  func putBackOutbox(of id: ConversationKey) throws {
    try run(putBack, [id.rawValue])
    try run("DELETE FROM outboxAside WHERE conversationID = ?", [id.rawValue])
  }
}

private enum QuestionColumn: String, QueryColumn {
  case conversations = """
    (SELECT count(*) FROM conversation WHERE ?1 IS NULL OR id = ?1)
      - (SELECT count(*) FROM deletion WHERE ?1 IS NULL OR conversationID = ?1)
    """
  case messages
  case unsent = """
    (SELECT count(*) FROM outbox WHERE messageID IS NOT NULL AND (?1 IS NULL OR conversationID = ?1))
    """
  case drafts

  static let counts = select(
    """
    FROM (
      SELECT count(*) AS messages FROM message
      WHERE (?1 IS NULL OR conversationID = ?1) AND conversationID \(DeletionRule.notDeleted)),
    (SELECT count(*) AS drafts FROM draft d JOIN conversation c ON c.id = d.conversationID
      WHERE (?1 IS NULL OR c.id = ?1) AND c.id \(DeletionRule.notDeleted) AND \(DraftRule.isRestorable))
    """)
}

extension DeletionRows {
  /// The amount that would be deleted with a conversation, or with all conversations if `id` is nil. Costs one
  /// pass over the index of the messages, and one over the outbox.
  package func question(
    of id: ConversationKey?, isEmptying: Bool = false
  ) throws -> DeletionQuestion {
    try row(QuestionColumn.counts, [id?.rawValue]) { row in
      DeletionQuestion(
        conversation: try id.map(name), isEmptying: isEmptying, conversations: row[.conversations],
        messages: row[.messages], unsent: row[.unsent],
        drafts: row[.drafts])
    }!
  }

  package func visible() throws -> [ConversationKey] {
    try values(
      "SELECT id FROM conversation WHERE id \(DeletionRule.notDeleted) ORDER BY id")
  }

  /// The titles and members of conversations, for the banner with Undo.
  package func titles(of ids: [ConversationKey]) throws -> [(
    key: ConversationKey, id: ConversationID, title: String?, members: [UserID]
  )] {
    try ids.compactMap { id in
      try db.conversations.head(id).map { (id, try name(of: id), $0.title, $0.members()) }
    }
  }
}

/// Keeps the ID of an erased message without a number, because no number shows that it is old. An unsent message, or
/// one still being written, counts as new when the server sends it.
private let remembrance = """
  INSERT INTO forgottenMessage (id, conversationID, serverID)
  SELECT m.id, coalesce(d.emptied, c.id), m.serverID
  FROM message m JOIN conversation c ON c.id = m.conversationID JOIN deletion d ON d.conversationID = c.id
  WHERE m.position = ? AND m.serverOrder IS NULL AND m.place < \(TimelinePlace.underWay) AND NOT c.isOnDevice
    AND NOT EXISTS (SELECT 1 FROM outboxAside WHERE messageID = m.id)
  ON CONFLICT DO NOTHING
  """

private let setAside = """
  INSERT INTO outboxAside (\(asideColumns)) SELECT \(asideColumns) FROM outbox WHERE conversationID = ?
  """

private let putBack = """
  INSERT INTO outbox (\(asideColumns)) SELECT \(asideColumns) FROM outboxAside
  WHERE conversationID = ?
    AND (operationID IS NULL OR EXISTS (SELECT 1 FROM operation WHERE operation.id = operationID))
  ORDER BY position
  """

private let asideColumns = """
  messageID, operationID, conversationID, attempts, unanswered, mayHaveArrived, departedAt, parkedCode,
  parkedExplanation, isHeld, enqueuedAt
  """
