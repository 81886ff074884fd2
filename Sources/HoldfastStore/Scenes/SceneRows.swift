import Foundation
import GRDB
import HoldfastCore

/// The places of windows.
package struct SceneRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var scenes: SceneRows<Self> { SceneRows(db: self) }
}

/// The stored state of a window.
package struct StoredScene: Equatable {
  /// The largest state of a window, in bytes.
  package static let maximumBytes = 256 << 10

  /// The version of the app's state when it was written.
  package var version: Int
  /// Nil when the state is larger than ``maximumBytes``, and was not read.
  package var state: Data?
  /// Whether the selected conversation was erased since the state was stored. The state then has neither the
  /// conversation nor the pages and the sheet above it.
  package var isConversationLost = false
}

extension SceneRows where Access == Transaction {
  /// Stores the state of one window, with one upsert. Other windows are not written; those beyond ``maximumScenes``
  /// are deleted. A conversation that the window did not show before becomes the active one (rule H4).
  package func save(_ id: SceneID, version: Int, state: Data, now: Date) throws {
    let before = try conversation(in: id)
    try run(
      """
      INSERT INTO scene (id, version, state, updatedAt, revision) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET version = excluded.version, state = excluded.state,
        updatedAt = excluded.updatedAt, revision = excluded.revision, isConversationLost = 0
      """, [id.rawValue, version, state, now.microseconds, try db.settings.nextRevision()])
    try run(
      "DELETE FROM scene WHERE id NOT IN (SELECT id FROM scene ORDER BY revision DESC LIMIT ?)",
      [maximumScenes])
    guard let shown = try conversation(in: id), shown != before else { return }
    let key = db.key(of: ConversationID(rawValue: shown))
    if try db.conversations.isVisible(key) { try db.conversations.setActive(key) }
  }

  /// The ID of the conversation that a window shows, as it was stored.
  private func conversation(in id: SceneID) throws -> String? {
    try value(
      """
      SELECT json_extract(CAST(state AS TEXT), '$.conversation') FROM scene
      WHERE id = ? AND json_valid(CAST(state AS TEXT))
      """, [id.rawValue])
  }

  /// Gives a new window the state that was stored last, of whichever window. Does nothing without one.
  package func copyLast(to id: SceneID) throws {
    try run(
      """
      INSERT INTO scene (id, version, state, updatedAt, revision, isConversationLost)
      SELECT ?, version, state, updatedAt, ?, isConversationLost FROM scene ORDER BY revision DESC LIMIT 1
      """, [id.rawValue, try db.settings.nextRevision()])
  }

  package func delete(_ id: SceneID) throws {
    try run("DELETE FROM scene WHERE id = ?", [id.rawValue])
  }

  /// Records that the window has shown the loss of its conversation.
  package func noteLossShown(in id: SceneID) throws {
    try run("UPDATE scene SET isConversationLost = 0 WHERE id = ?", [id.rawValue])
  }

  /// Removes an erased conversation from the states of windows: the selection together with the pages and the sheet
  /// above it, and its scroll position. A window that showed it reports the loss when it opens next (rule R5). A
  /// state that is not JSON is unchanged.
  func remove(_ conversation: ConversationKey) throws {
    for name in db.names.names(everOf: conversation) { try remove(name) }
  }

  private func remove(_ conversation: ConversationID) throws {
    try run(
      """
      UPDATE scene SET isConversationLost = 1, state = CAST(
        json_set(json_remove(CAST(state AS TEXT), '$.conversation', '$.sheet'), '$.path', json('[]')) AS BLOB)
      WHERE json_valid(CAST(state AS TEXT)) AND json_extract(CAST(state AS TEXT), '$.conversation') = ?
      """, [conversation.rawValue])
    try run(
      """
      UPDATE scene SET state = CAST(json_set(CAST(state AS TEXT), '$.scroll.timelines', json((
          SELECT json_group_array(json(t.value)) FROM json_each(CAST(state AS TEXT), '$.scroll.timelines') t
          WHERE json_extract(t.value, '$.conversation') IS NOT ?1))) AS BLOB)
      WHERE json_valid(CAST(state AS TEXT)) AND EXISTS (
        SELECT 1 FROM json_each(CAST(state AS TEXT), '$.scroll.timelines') t
        WHERE json_extract(t.value, '$.conversation') = ?1)
      """, [conversation.rawValue])
  }

  /// Deletes the states of all windows. Announces no change: the engine announces it once its memory of the windows
  /// is empty too, so that no observer reads the old state again.
  package func deleteAll() throws {
    try run("DELETE FROM scene")
  }
}

private enum SceneColumn: String, QueryColumn {
  case version
  case state = "CASE WHEN length(state) <= ? THEN state END"
  case isConversationLost

  static let window = select("FROM scene WHERE id = ?")
}

extension SceneRows {
  package func stored(_ id: SceneID) throws -> StoredScene? {
    try row(SceneColumn.window, [StoredScene.maximumBytes, id.rawValue]) { row in
      StoredScene(
        version: row[.version], state: row[.state], isConversationLost: row[.isConversationLost])
    }
  }
}

/// The largest number of windows that are kept. The least recently changed windows are deleted first. No system
/// shows as many windows. In an app that never discards windows, the newest are kept.
let maximumScenes = 100
