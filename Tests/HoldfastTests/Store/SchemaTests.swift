import Foundation
import GRDB
import Testing

@testable import Holdfast

private typealias eg = EngineExample

@Suite struct SchemaTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// A store of an earlier version, with `rows` in it.
  private func makeStore(version: String, _ rows: String) throws {
    let file = scratch.url.appendingPathComponent("store.sqlite").path
    let queue = try DatabaseQueue(path: file)
    try Schema.migrator.migrate(queue, upTo: version)
    try queue.write { try $0.execute(sql: rows) }
    try queue.close()
    // As the engine makes it: others cannot write.
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
  }

  // S5
  @Test func `version 1 keeps what is unsent, what depends on it, and what is typed`() throws {
    try makeStore(
      version: "1",
      """
      INSERT INTO conversation (id, createdAt, updatedAt, listRevision) VALUES ('c', 1, 1, 1);
      INSERT INTO message (position, id, conversationID, place, sender, role, body, createdAt) VALUES
        (1, 'queued', 'c', 1, 'alice', 'user', 'one', 1), (2, 'flown', 'c', 2, 'alice', 'user', 'two', 1),
        (3, 'failed', 'c', 3, 'alice', 'user', 'three', 1), (4, 'held', 'c', 4, 'alice', 'user', 'four', 1);
      INSERT INTO outbox (position, messageID, conversationID, attempts, unanswered, mayHaveArrived, parkedCode,
        parkedExplanation, isHeld, enqueuedAt)
      VALUES (1, 'queued', 'c', 0, 0, 0, NULL, NULL, 0, 10), (2, 'flown', 'c', 1, 2, 1, NULL, NULL, 0, 11),
        (5, 'failed', 'c', 3, 0, 0, 'rejected', 'No.', 0, 12), (6, 'held', 'c', 0, 0, 0, NULL, NULL, 1, 13);
      INSERT INTO operation (position, id, messageID, kind, payload, attempts, createdAt) VALUES
        (1, 'op-edit', 'flown', 'edit', 'two, better', 1, 20), (2, 'op-delete', 'queued', 'delete', NULL, 0, 21);
      INSERT INTO reaction VALUES ('flown', 'bob', '👍');
      INSERT INTO draft (id, conversationID, slot, content, revision, session, updatedAt)
        VALUES ('d', 'c', 'new', 'typed', 7, 's', 30);
      INSERT INTO draftVersion VALUES ('c', 'new', 6, 'typed before', NULL, NULL, 29);
      INSERT INTO stream (messageID, startedAt) VALUES ('queued', 40);
      INSERT INTO chunk VALUES ('queued', 0, 1, 'o', '');
      INSERT INTO attachment (checksum, byteCount, createdAt) VALUES ('abc', 3, 50);
      INSERT INTO attachmentUse VALUES ('abc', 'queued', NULL, 0, 'a.png', 'image/png'),
        ('abc', NULL, 'd', 0, 'a.png', 'image/png');
      """)

    let store = try Store(folder: scratch.url, owner: eg.user)

    let outbox = try store.read { db in
      try db.rows(
        """
        SELECT position, coalesce(messageID, operationID), attempts, departedAt, parkedCode, isHeld
        FROM outbox ORDER BY position
        """
      ) { row in
        let departedAt = (row[3] as Int64?).map(String.init) ?? "-"
        return
          "\(row[0] as Int) \(row[1] as String) \(row[2] as Int) \(departedAt) \((row[4] as String?) ?? "-") \(row[5] as Int)"
      }
    }
    #expect(
      outbox == [
        "1 queued 0 - - 0", "2 flown 1 11 - 0", "5 failed 3 - rejected 0", "6 held 0 - - 1",
        "7 op-edit 1 - - 0", "8 op-delete 0 - - 0",
      ])
    #expect(try store.read { try $0.draft(DraftKey(conversation: "c")) }?.content.text == "typed")
    let tables = [
      "message", "operation", "reaction", "draftVersion", "stream", "chunk", "attachment", "attachmentUse",
    ]
    let counts = try store.read { db in
      try tables.map { try db.row("SELECT count(*) FROM \($0)")![0] as Int }
    }
    #expect(counts == [4, 2, 1, 1, 1, 1, 1, 2])
  }

  // D16, S5
  @Test(arguments: ["1", "2", "3"])
  func `an earlier version keeps its attachments, and one that is not here can be wanted`(
    version: String
  ) throws {
    try makeStore(
      version: version,
      """
      INSERT INTO conversation (id, createdAt, updatedAt, listRevision) VALUES ('c', 1, 1, 1);
      INSERT INTO message (position, id, conversationID, place, sender, role, body, createdAt) VALUES
        (1, 'm', 'c', 1, 'alice', 'user', 'one', 1);
      INSERT INTO outbox (position, messageID, conversationID, enqueuedAt) VALUES (1, 'm', 'c', 10);
      INSERT INTO draft (id, conversationID, slot, content, revision, session, updatedAt)
        VALUES ('d', 'c', 'new', 'typed', 7, 's', 30);
      INSERT INTO attachment (checksum, byteCount, uploadedBytes, serverID, createdAt) VALUES ('abc', 3, 3, 's', 50),
        ('def', 4, 1, NULL, 51);
      INSERT INTO attachmentUse VALUES ('abc', 'm', NULL, 0, 'a.png', 'image/png'),
        ('def', NULL, 'd', 0, 'b.png', 'image/png');
      """)

    let store = try Store(folder: scratch.url, owner: eg.user)

    let sent = try store.read { try $0.attachments(of: "m") }
    #expect(sent.map(\.attachment.checksum) == ["abc"])
    #expect(sent.map(\.isHere) == [true])
    #expect(sent.map(\.isUploaded) == [true])
    let picked = try store.read { try $0.draft(DraftKey(conversation: "c")) }?.content.attachments
    #expect(picked?.map(\.name) == ["b.png"])
    #expect(try store.read { try $0.attachment("def") }?.uploadedBytes == 1)
    try store.write {
      try $0.run("UPDATE attachment SET isHere = 0 WHERE checksum = 'abc'")
      try $0.want("abc")
    }
    #expect(try store.read { try $0.nextFetch(atMost: 0, besides: []) }?.attachment.checksum == "abc")
  }

  // R6, S5
  @Test(arguments: ["1", "2", "3"])
  func `an earlier version keeps the places of its windows`(version: String) throws {
    try makeStore(
      version: version,
      "INSERT INTO scene (id, version, state, updatedAt) VALUES ('main', 7, CAST('place' AS BLOB), 1);")

    let store = try Store(folder: scratch.url, owner: eg.user)

    #expect(try store.read { try $0.scene("main") } == StoredScene(version: 7, state: Data("place".utf8)))
    try store.write { try $0.saveScene("other", version: 7, state: Data(), now: eg.date) }
    #expect(try store.read { try $0.row("SELECT count(*) FROM scene")![0] as Int } == 2)
  }

  // H3, P1, S5
  @Test(arguments: ["1", "2", "3"])
  func `an earlier version keeps its replies and requests, and its own replies can be continued`(
    version: String
  ) throws {
    try makeStore(
      version: version,
      """
      INSERT INTO setting (name, value) VALUES ('owner', 'alice');
      INSERT INTO conversation (id, createdAt, updatedAt, listRevision) VALUES ('c', 1, 1, 1);
      INSERT INTO message (position, id, conversationID, place, sender, role, body, createdAt) VALUES
        (1, 'own', 'c', 1, 'alice', 'assistant', '', 1), (2, 'other', 'c', 2, 'bob', 'assistant', '', 1);
      INSERT INTO stream (messageID, startedAt, isInterrupted) VALUES ('own', 40, 1), ('other', 41, 1);
      INSERT INTO chunk VALUES ('own', 0, 1, 'o', 'r'), ('other', 0, 1, 'p', '');
      INSERT INTO work VALUES ('c', 'request', 42);
      """)

    let store = try Store(folder: scratch.url, owner: eg.user)

    let stored = try store.write { try $0.takeOverStream("own", by: "s").stored }
    #expect(stored == StreamPrefix(text: "o", reasoning: "r", nextSequence: 1))
    #expect(throws: ChatError.self) { try store.write { try $0.takeOverStream("other", by: "s") } }
    #expect(try store.read { try $0.work() }.map(\.id) == ["request"])
  }

  // O14, S5
  @Test func `what depends on a message leaves the queue with it`() throws {
    let store = try Store(folder: scratch.url, owner: eg.user)
    let left = try store.write { transaction in
      try transaction.db.execute(
        sql: """
          INSERT INTO conversation (id, createdAt, updatedAt, listRevision) VALUES ('c', 1, 1, 1);
          INSERT INTO message (id, conversationID, place, sender, role, body, createdAt)
            VALUES ('m', 'c', 1, 'alice', 'user', 'one', 1);
          INSERT INTO operation (id, messageID, kind, payload, createdAt) VALUES ('o', 'm', 'react', '👍', 1);
          INSERT INTO outbox (messageID, conversationID, enqueuedAt) VALUES ('m', 'c', 1);
          INSERT INTO outbox (operationID, conversationID, enqueuedAt) VALUES ('o', 'c', 1);
          DELETE FROM message WHERE id = 'm';
          """)
      return try transaction.db.row("SELECT count(*) FROM outbox")![0] as Int
    }
    #expect(left == 0)
  }
}
