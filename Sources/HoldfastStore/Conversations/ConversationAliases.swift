import GRDB
import Synchronization
import HoldfastCore

/// IDs that conversations had before (SPEC D15): whoever still uses one means the conversation that had it. Kept in
/// memory, because every incoming message is looked up here; there are few of them.
package final class ConversationAliases: Sendable {
  private struct State {
    var map: [ConversationID: ConversationID] = [:]
    var renames = 0
  }
  private let state = Mutex(State())

  package func current(_ id: ConversationID) -> ConversationID { state.withLock { $0.map[id] ?? id } }

  /// No conversation was ever renamed.
  package var isEmpty: Bool { state.withLock { $0.map.isEmpty } }

  /// Goes up each time that one is renamed: whoever keeps something by conversation looks then.
  package var renames: Int { state.withLock { $0.renames } }

  func set(_ aliases: [ConversationID: ConversationID]) {
    state.withLock { state in
      guard state.map != aliases else { return }
      state.map = aliases
      state.renames += 1
    }
  }
}

extension Database {
  func conversationAliases() throws -> [ConversationID: ConversationID] {
    let aliases = try rows("SELECT alias, conversationID FROM conversationAlias") {
      (ConversationID(rawValue: $0[0]), ConversationID(rawValue: $0[1]))
    }
    return Dictionary(uniqueKeysWithValues: aliases)
  }

  /// The ID that the conversation has in this snapshot.
  package func presentID(of id: ConversationID) throws -> ConversationID {
    try row("SELECT conversationID FROM conversationAlias WHERE alias = ?", [id.rawValue])
      .map { ConversationID(rawValue: $0[0]) } ?? id
  }
}

extension Transaction {
  /// Gives a conversation another ID, with all that refers to it. One that has the new ID already takes everything in.
  /// Drafts are moved by whoever holds them.
  package func renameConversation(_ old: ConversationID, to new: ConversationID) throws {
    try requireConversation(old)
    // Deleted a moment ago, it takes nothing in: it is made anew.
    try eraseToMakeAnew(new)
    let isThere = try db.row("SELECT 1 FROM conversation WHERE id = ?", [new.rawValue]) != nil
    // It is no earlier ID of anything any more: a conversation has it now.
    try run("DELETE FROM conversationAlias WHERE alias = ?", [new.rawValue])
    if isThere {
      try mergeConversation(old, into: new)
    } else {
      // The keys that refer to it follow.
      try run("UPDATE conversation SET id = ? WHERE id = ?", [new.rawValue, old.rawValue])
    }
    try run(
      """
      INSERT INTO conversationAlias (alias, conversationID) VALUES (?, ?)
      ON CONFLICT (alias) DO UPDATE SET conversationID = excluded.conversationID
      """, [old.rawValue, new.rawValue])
    try followRename(of: old, to: new)
    aliasesAfterwards = try db.conversationAliases()
    for id in [old, new] {
      changes.timelines.insert(id)
      changes.drafts.insert(id)
      changes.lanes.insert(id)
    }
    changes.list = true
    changes.outbox = true
  }

  /// What names the conversation without a key to it.
  private func followRename(of old: ConversationID, to new: ConversationID) throws {
    try run(
      "UPDATE setting SET value = ? WHERE name = 'activeConversation' AND value = ?",
      [new.rawValue, old.rawValue])
    guard deletions.horizons[old] != nil else { return }
    try run(
      """
      INSERT INTO horizon (conversationID, serverOrder, isEvicted, members, isConfirmed)
      SELECT ?1, serverOrder, isEvicted, members, isConfirmed FROM horizon WHERE conversationID = ?2
      ON CONFLICT (conversationID) DO UPDATE SET serverOrder = max(serverOrder, excluded.serverOrder)
      """, [new.rawValue, old.rawValue])
    try run("DELETE FROM horizon WHERE conversationID = ?", [old.rawValue])
    deletions = try db.localDeletions()
  }

  private func mergeConversation(_ old: ConversationID, into new: ConversationID) throws {
    // A draft that is older than its conversation's last message is hidden, and must not be seen again.
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
    // Newer than what was sent in either.
    try run(
      "UPDATE draft SET revision = ? WHERE conversationID = ?", [try nextRevision(), new.rawValue])
    // A request that is under way is one of the conversation: the newer one is waited for.
    try run(
      """
      INSERT INTO work (conversationID, requestID, startedAt, writer, isInterrupted)
      SELECT ?, requestID, startedAt, writer, isInterrupted FROM work WHERE conversationID = ? ON CONFLICT DO NOTHING
      """, [new.rawValue, old.rawValue])
    // What the server has said of the conversation stands, that it refuses it too; what only this device knows is added.
    try run(
      """
      UPDATE conversation SET title = CASE WHEN old.titleIsCustom THEN coalesce(old.title, conversation.title)
          ELSE coalesce(conversation.title, old.title) END,
        titleIsCustom = max(conversation.titleIsCustom, old.titleIsCustom),
        members = CASE WHEN json_array_length(conversation.members) < json_array_length(old.members)
          AND NOT conversation.isConfirmed THEN old.members ELSE conversation.members END,
        sentRevision = max(conversation.sentRevision, old.sentRevision),
        lastSentMessageID = CASE WHEN old.sentRevision > conversation.sentRevision THEN old.lastSentMessageID
          ELSE coalesce(conversation.lastSentMessageID, old.lastSentMessageID) END,
        createdAt = min(conversation.createdAt, old.createdAt),
        updatedAt = CASE WHEN old.listRevision > conversation.listRevision THEN old.updatedAt
          ELSE conversation.updatedAt END,
        listRevision = max(conversation.listRevision, old.listRevision),
        refusedCode = coalesce(conversation.refusedCode, old.refusedCode),
        refusedExplanation = CASE WHEN conversation.refusedCode IS NULL THEN old.refusedExplanation
          ELSE conversation.refusedExplanation END
      FROM (SELECT * FROM conversation WHERE id = ?2) AS old WHERE conversation.id = ?1
      """, [new.rawValue, old.rawValue])
    try run("DELETE FROM conversation WHERE id = ?", [old.rawValue])
  }
}
