import GRDB
import HoldfastCore

/// The merging of two conversations: the server gives the first one the ID that the second one has.
extension ConversationRows where Access == Transaction {
  /// Moves all contents of one conversation into the conversation that it is merged into.
  func join(_ old: ConversationKey, into new: ConversationKey) throws {
    // A draft that is older than its conversation's last sent message is hidden, and must not reappear.
    try run(
      """
      DELETE FROM draft WHERE conversationID IN (?, ?) AND slot = 'new'
        AND revision <= (SELECT sentRevision FROM conversation WHERE id = draft.conversationID)
      """, [old.rawValue, new.rawValue])
    try db.history.join(of: old, into: new)
    for table in moved {
      try run(
        "UPDATE \(table) SET conversationID = ? WHERE conversationID = ?", [new.rawValue, old.rawValue])
    }
    changes.unusedAttachments = true
    // Drafts become newer than the messages sent in either conversation.
    try run(
      "UPDATE draft SET revision = ? WHERE conversationID = ?",
      [try db.settings.nextRevision(), new.rawValue])
    // A conversation waits for one request only. A request that the new conversation already has is kept.
    try run(
      """
      INSERT INTO work (conversationID, requestID, startedAt, writer, isInterrupted)
      SELECT ?, requestID, startedAt, writer, isInterrupted FROM work WHERE conversationID = ? ON CONFLICT DO NOTHING
      """, [new.rawValue, old.rawValue])
    try run(
      """
      INSERT INTO readMark (conversationID, reader, place)
      SELECT ?, reader, place FROM readMark WHERE conversationID = ?
      ON CONFLICT (conversationID, reader) DO UPDATE SET place = max(place, excluded.place)
      """, [new.rawValue, old.rawValue])
    try moveCosts(from: old, to: new)
    try joinHead(old, into: new)
    try run(
      "INSERT INTO joinedConversation (id, conversationID) VALUES (?, ?)", [old.rawValue, new.rawValue])
    try joinRemains(of: old, into: new)
    try run("DELETE FROM conversation WHERE id = ?", [old.rawValue])
  }

  private func joinHead(_ old: ConversationKey, into new: ConversationKey) throws {
    // The server's statements about the new conversation are kept, including a refusal. Facts known only to this
    // device are added.
    try run(
      """
      UPDATE conversation SET title = CASE WHEN old.titleIsCustom THEN coalesce(old.title, conversation.title)
          ELSE coalesce(conversation.title, old.title) END,
        titleIsCustom = max(conversation.titleIsCustom, old.titleIsCustom),
        metadata = coalesce(old.metadata, conversation.metadata),
        members = CASE WHEN json_array_length(conversation.members) < json_array_length(old.members)
          AND NOT conversation.isConfirmed THEN old.members ELSE conversation.members END,
        sentRevision = max(conversation.sentRevision, old.sentRevision),
        lastSentMessageID = CASE WHEN old.sentRevision > conversation.sentRevision THEN old.lastSentMessageID
          ELSE coalesce(conversation.lastSentMessageID, old.lastSentMessageID) END,
        createdAt = min(conversation.createdAt, old.createdAt),
        updatedAt = CASE WHEN old.listRevision > conversation.listRevision THEN old.updatedAt
          ELSE conversation.updatedAt END,
        listRevision = max(conversation.listRevision, old.listRevision),
        readPlace = max(conversation.readPlace, old.readPlace),
        emptiedPlace = max(conversation.emptiedPlace, old.emptiedPlace),
        readIsPending = max(conversation.readIsPending, old.readIsPending),
        refusedCode = coalesce(conversation.refusedCode, old.refusedCode),
        refusedExplanation = CASE WHEN conversation.refusedCode IS NULL THEN old.refusedExplanation
          ELSE conversation.refusedExplanation END
      FROM (SELECT * FROM conversation WHERE id = ?2) AS old WHERE conversation.id = ?1
      """, [new.rawValue, old.rawValue])
  }

  /// Moves the data that outlives a conversation: its names, its deletions, and its role as the active conversation.
  func joinRemains(of old: ConversationKey, into new: ConversationKey) throws {
    try db.settings.change(.activeConversation, from: old, to: new)
    try run(
      "UPDATE waitingOperation SET conversationID = ? WHERE conversationID = ?", [new.rawValue, old.rawValue])
    try run(
      "UPDATE conversationName SET conversationID = ?, isPresent = 0 WHERE conversationID = ?",
      [new.rawValue, old.rawValue])
    var hasOthers = changedRows > 0
    // Its first name now belongs to the other conversation too.
    try run(
      "INSERT INTO conversationName (name, conversationID) VALUES (?, ?) ON CONFLICT DO NOTHING",
      [old.rawValue, new.rawValue])
    try run(
      "UPDATE joinedConversation SET conversationID = ? WHERE conversationID = ?",
      [new.rawValue, old.rawValue])
    hasOthers = hasOthers || changedRows > 0
    // Most names are new. Reading all names for each one would make the first sync quadratic.
    if try hasOthers || isHere(old) {
      db.names = try storedNames()
    } else if db.names.keys[ConversationID(rawValue: old.rawValue)] == nil {
      db.names.keys[ConversationID(rawValue: old.rawValue)] = new
    }
    if localDeletions.horizons[old] != nil
      || localDeletions.marks.values.contains(where: { $0.emptied == old })
    {
      try joinDeletions(of: old, into: new)
    }
  }

  private func joinDeletions(of old: ConversationKey, into new: ConversationKey) throws {
    try run("UPDATE deletion SET emptied = ? WHERE emptied = ?", [new.rawValue, old.rawValue])
    try run(
      """
      INSERT INTO horizon (conversationID, serverOrder, deletedOrder, isEvicted, members, isConfirmed)
      SELECT ?1, serverOrder, deletedOrder, isEvicted, members, isConfirmed FROM horizon WHERE conversationID = ?2
      ON CONFLICT (conversationID) DO UPDATE SET serverOrder = max(serverOrder, excluded.serverOrder),
        deletedOrder = coalesce(max(deletedOrder, excluded.deletedOrder), deletedOrder, excluded.deletedOrder)
      """, [new.rawValue, old.rawValue])
    try run("DELETE FROM horizon WHERE conversationID = ?", [old.rawValue])
    localDeletions = try db.deletions.stored()
  }
}

/// The tables whose rows refer to a conversation, and move to the other one as they are.
private let moved = ["draft", "message", "outbox", "draftVersion"]
