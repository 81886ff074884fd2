import GRDB
import HoldfastCore
import Synchronization

/// The earlier IDs of conversations (SPEC D15). A caller that still uses an earlier ID means the conversation
/// that had it. The IDs are kept in memory, because every incoming message is looked up here. There are few of
/// them.
package final class ConversationAliases: Sendable {
  private struct State {
    var map: [ConversationID: ConversationID] = [:]
    var renames = 0
  }
  private let state = Mutex(State())

  package func current(_ id: ConversationID) -> ConversationID { state.withLock { $0.map[id] ?? id } }

  /// Whether no conversation was ever renamed.
  package var isEmpty: Bool { state.withLock { $0.map.isEmpty } }

  /// The number of renames seen. It grows with each rename, so that a caller that stores something by
  /// conversation knows when to look again.
  package var renames: Int { state.withLock { $0.renames } }

  func set(_ aliases: [ConversationID: ConversationID]) {
    state.withLock { state in
      guard state.map != aliases else { return }
      state.map = aliases
      state.renames += 1
    }
  }
}

private enum AliasColumn: String, QueryColumn {
  case alias, conversationID

  static let all = select("FROM conversationAlias")
}

extension Reading {
  func conversationAliases() throws -> [ConversationID: ConversationID] {
    let aliases = try rows(AliasColumn.all) { row in
      (row[.alias] as ConversationID, row[.conversationID] as ConversationID)
    }
    return Dictionary(uniqueKeysWithValues: aliases)
  }

  /// The ID that the conversation has in this snapshot.
  package func presentID(of id: ConversationID) throws -> ConversationID {
    try value("SELECT conversationID FROM conversationAlias WHERE alias = ?", [id.rawValue]) ?? id
  }
}

extension Transaction {
  /// Gives a conversation another ID, with everything that refers to it. If a conversation has the new ID
  /// already, it takes everything in. The holders of open drafts move those drafts themselves.
  package func renameConversation(_ old: ConversationID, to new: ConversationID) throws {
    try requireConversation(old)
    // A conversation with the new ID that was just deleted takes nothing in. It is made anew.
    try eraseToMakeAnew(new)
    let isThere = try isHere(new)
    // The new ID now belongs to a conversation, so that it is no longer an earlier ID.
    try run("DELETE FROM conversationAlias WHERE alias = ?", [new.rawValue])
    if isThere {
      try mergeConversation(old, into: new)
    } else {
      // The foreign keys that refer to it follow.
      try run("UPDATE conversation SET id = ? WHERE id = ?", [new.rawValue, old.rawValue])
    }
    try run(
      """
      INSERT INTO conversationAlias (alias, conversationID) VALUES (?, ?)
      ON CONFLICT (alias) DO UPDATE SET conversationID = excluded.conversationID
      """, [old.rawValue, new.rawValue])
    try followRename(of: old, to: new)
    aliasesAfterwards = try conversationAliases()
    for id in [old, new] {
      changes.noteEntry(in: id)
      changes.noteDraft(in: id)
      changes.lanes.insert(id)
    }
  }

  /// Updates the rows that name the conversation without a foreign key.
  private func followRename(of old: ConversationID, to new: ConversationID) throws {
    try change(.activeConversation, from: old, to: new)
    if deletions.marks.values.contains(where: { $0.emptied == old }) {
      try run("UPDATE deletion SET emptied = ? WHERE emptied = ?", [new.rawValue, old.rawValue])
      deletions = try localDeletions()
    }
    guard deletions.horizons[old] != nil else { return }
    try run(
      """
      INSERT INTO horizon (conversationID, serverOrder, isEvicted, members, isConfirmed)
      SELECT ?1, serverOrder, isEvicted, members, isConfirmed FROM horizon WHERE conversationID = ?2
      ON CONFLICT (conversationID) DO UPDATE SET serverOrder = max(serverOrder, excluded.serverOrder)
      """, [new.rawValue, old.rawValue])
    try run("DELETE FROM horizon WHERE conversationID = ?", [old.rawValue])
    deletions = try localDeletions()
  }

  private func mergeConversation(_ old: ConversationID, into new: ConversationID) throws {
    // A draft that is older than its conversation's last sent message is hidden, and must not appear again.
    try run(
      """
      DELETE FROM draft WHERE conversationID IN (?, ?) AND slot = 'new'
        AND revision <= (SELECT sentRevision FROM conversation WHERE id = draft.conversationID)
      """, [old.rawValue, new.rawValue])
    for table in ["draft", "message", "outbox", "draftVersion", "conversationAlias"] {
      try run(
        "UPDATE \(table) SET conversationID = ? WHERE conversationID = ?", [new.rawValue, old.rawValue])
    }
    changes.unusedAttachments = true
    // Drafts become newer than the messages that were sent in either conversation.
    try run(
      "UPDATE draft SET revision = ? WHERE conversationID = ?", [try nextRevision(), new.rawValue])
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
    // The server's statements about the new conversation stand, including a refusal. The facts that only this
    // device knows are added.
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
    try run("DELETE FROM conversation WHERE id = ?", [old.rawValue])
  }
}
