import Foundation
import GRDB
import HoldfastCore

/// What the store has of a window.
package struct StoredScene: Equatable {
  /// No place of a window has more.
  package static let maximumBytes = 256 << 10

  /// Of the app, when it was written.
  package var version: Int
  /// Nil: it has more than ``maximumBytes``, and was not read.
  package var state: Data?
}

extension Transaction {
  /// As many windows are kept: of more, those that were changed longest ago are forgotten. No system shows as many, and
  /// of an app that never closes one for good something must stay.
  static let maximumScenes = 100

  /// One upsert for each, and nothing for any other window.
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

  package func deleteAllScenes() throws {
    try run("DELETE FROM scene")
  }

  /// Every draft, with its versions and its files. How often they were stored is counted with those that went before.
  package func deleteAllDrafts() throws {
    let concerned = try db.rows(
      "SELECT conversationID FROM draft UNION SELECT conversationID FROM draftVersion"
    ) { ConversationID(rawValue: $0[0]) }
    guard !concerned.isEmpty else { return }
    let saves: Int = try db.row("SELECT coalesce(sum(saves), 0) FROM draft")![0]
    try count(DraftMetrics.savesMetric, [0: saves])
    try run("DELETE FROM draft")
    try run("DELETE FROM draftVersion")
    changes.drafts.formUnion(concerned)
    changes.list = true
    changes.unusedAttachments = true
  }
}

extension Database {
  package func scene(_ id: SceneID) throws -> StoredScene? {
    try row(
      "SELECT version, CASE WHEN length(state) <= ? THEN state END FROM scene WHERE id = ?",
      [StoredScene.maximumBytes, id.rawValue]
    ).map { StoredScene(version: $0[0], state: $0[1]) }
  }

  /// The ID that the conversation has now. Nil: it is not there.
  package func presentConversation(_ id: ConversationID) throws -> ConversationID? {
    guard id.isWellFormed else { return nil }
    let present = try presentID(of: id)
    // One that its user has deleted is not there, while Undo is offered too.
    let isThere = try row(
      """
      SELECT 1 FROM conversation
      WHERE id = ? AND NOT EXISTS (SELECT 1 FROM deletion WHERE conversationID = conversation.id)
      """, [present.rawValue])
    return isThere == nil ? nil : present
  }
}
