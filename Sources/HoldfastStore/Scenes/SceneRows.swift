import Foundation
import GRDB
import HoldfastCore

/// The stored state of a window.
package struct StoredScene: Equatable {
  /// The largest state of a window, in bytes.
  package static let maximumBytes = 256 << 10

  /// The version of the app's state when it was written.
  package var version: Int
  /// Nil when the state has more than ``maximumBytes``, and was not read.
  package var state: Data?
}

extension Transaction {
  /// The largest number of windows that are kept. The windows that were changed longest ago are forgotten first.
  /// No system shows as many windows. For an app that never closes a window for good, the newest windows stay.
  static let maximumScenes = 100

  /// Stores the state of one window, with one upsert. Other windows are not written; those beyond
  /// ``maximumScenes`` are forgotten.
  package func saveScene(_ id: SceneID, version: Int, state: Data, now: Date) throws {
    try run(
      """
      INSERT INTO scene (id, version, state, updatedAt, revision) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET version = excluded.version, state = excluded.state,
        updatedAt = excluded.updatedAt, revision = excluded.revision
      """, [id.rawValue, version, state, now.microseconds, try nextRevision()])
    try run(
      "DELETE FROM scene WHERE id NOT IN (SELECT id FROM scene ORDER BY revision DESC LIMIT ?)",
      [Self.maximumScenes])
  }

  package func deleteScene(_ id: SceneID) throws {
    try run("DELETE FROM scene WHERE id = ?", [id.rawValue])
  }

  /// Deletes the states of all windows. Announces nothing: the engine announces it once its memory of the windows
  /// is empty too, so that no observer reads the old state again.
  package func deleteAllScenes() throws {
    try run("DELETE FROM scene")
  }
}

private enum SceneColumn: String, QueryColumn {
  case version
  case state = "CASE WHEN length(state) <= ? THEN state END"

  static let window = select("FROM scene WHERE id = ?")
}

extension Reading {
  package func scene(_ id: SceneID) throws -> StoredScene? {
    try row(SceneColumn.window, [StoredScene.maximumBytes, id.rawValue]) { row in
      StoredScene(version: row[.version], state: row[.state])
    }
  }
}
