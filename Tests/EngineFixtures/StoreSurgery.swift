import Foundation
import GRDB
import Holdfast
import HoldfastCore

@testable import HoldfastStore

/// Manual changes to a store, for tests that have no SQL. No function of the engine makes them. They play damage to
/// a file, a crash between two steps of one call, and a store of an earlier version.
package enum StoreSurgery {
  /// Makes every read of drafts fail, and no other read, as a damaged table would.
  package static func hideDrafts(of client: ChatClient) throws { try hideDrafts(in: client.store) }

  package static func hideDrafts(in store: Store) throws {
    try store.write { try $0.run("ALTER TABLE draft RENAME TO hidden") }
  }

  /// Lets reads of drafts succeed again.
  package static func showDrafts(of client: ChatClient) throws { try showDrafts(in: client.store) }

  package static func showDrafts(in store: Store) throws {
    try store.write { try $0.run("ALTER TABLE hidden RENAME TO draft") }
  }

  /// Makes every read and write of windows fail.
  package static func hideScenes(of client: ChatClient) throws {
    try client.store.write { try $0.run("ALTER TABLE scene RENAME TO hiddenScene") }
  }

  /// Lets reads and writes of windows succeed again.
  package static func showScenes(of client: ChatClient) throws {
    try client.store.write { try $0.run("ALTER TABLE hiddenScene RENAME TO scene") }
  }

  /// Makes every read and write of the outbox fail.
  package static func hideOutbox(of client: ChatClient) throws {
    try client.store.write { try $0.run("ALTER TABLE outbox RENAME TO hiddenOutbox") }
  }

  /// Makes every read of conversations fail.
  package static func hideConversations(of client: ChatClient) throws {
    try client.store.write { try $0.run("ALTER TABLE conversation RENAME TO hiddenConversation") }
  }

  /// Makes every read of messages fail.
  package static func hideMessages(of client: ChatClient) throws {
    try client.store.write { try $0.run("ALTER TABLE message RENAME TO hidden") }
  }

  /// Lets reads of messages succeed again.
  package static func showMessages(of client: ChatClient) throws {
    try client.store.write { try $0.run("ALTER TABLE hidden RENAME TO message") }
  }

  /// Deletes a draft and keeps its files: the process ends between the commit and the sweep, which the engine makes
  /// in one call.
  package static func deleteDraftWithoutSweep(_ key: DraftKey, of client: ChatClient) throws {
    try client.store.write {
      try $0.drafts.delete(key)
      $0.changes.unusedAttachments = false
    }
  }

  /// Empties the index of the search, so that a search in the index finds nothing.
  package static func emptyIndex(of client: ChatClient) throws {
    try client.store.write { try $0.run("DELETE FROM messageText") }
  }

  /// Replaces all words of the index by those of an earlier version of the engine, in which no current word is
  /// found.
  package static func outdateIndex(of client: ChatClient) throws {
    try client.store.write {
      try $0.run("UPDATE messageText SET words = 'earlier'")
      try $0.settings.remove(Setting<Int64>.outdatedUpTo)
    }
  }

  /// Replaces the list of a message's videos with JSON that is not a list. An import does not accept such a list.
  package static func damageVideos(of id: MessageID, in client: ChatClient) throws {
    try client.store.write {
      try $0.run(#"UPDATE message SET videos = '{"no":"array"}' WHERE id = ?"#, [id.rawValue])
    }
  }

  /// Stores a mark of the waiting clock that is not a number.
  package static func damageWaitingMark(in store: Store) throws {
    try store.write {
      try $0.settings.set(Setting<String>(name: Setting<Int64>.waitingReading.name), to: "x")
      try $0.settings.set(Setting<String>(name: Setting<Int64>.waitingDate.name), to: "y")
    }
  }

  /// The ID of the only draft, and the message that was the last sent one when the draft was saved. The engine
  /// stores the second for people who read the file, and never reads it.
  package static func identityOfDraft(of client: ChatClient) throws -> [String?] {
    let row = try client.store.read { try $0.row("SELECT id, lastSentMessageID FROM draft") }
    return [row?[0], row?[1]]
  }

  /// Makes a store of an earlier version whose messages are not indexed: a conversation `old` with this many
  /// messages, `number 1` and so on.
  package static func makeStoreOfVersion3(messages: Int, in scratch: ScratchFolder) throws {
    let file = scratch.url.appendingPathComponent(Store.fileName).path
    let queue = try DatabaseQueue(path: file)
    try Schema.migrator.migrate(queue, upTo: "3")
    try queue.write { db in
      try db.execute(
        sql: """
          INSERT INTO setting (name, value) VALUES ('owner', 'alice');
          INSERT INTO conversation (id, createdAt, updatedAt, listRevision) VALUES ('old', 1, 1, 1);
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(messages))
          INSERT INTO message (position, id, conversationID, place, serverOrder, sender, role, body, createdAt)
            SELECT i, 'm' || i, 'old', i * 2, i, 'bob', 'user', 'number ' || i, 1 FROM n
          """)
    }
    try queue.close()
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
  }
}
