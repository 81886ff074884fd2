import EngineFixtures
import Foundation
import GRDB
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite struct StoreTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func open(owner: UserID = eg.user, in folder: URL? = nil) throws(ChatError) -> Store {
    try Store(folder: folder ?? scratch.url, owner: owner)
  }

  private func pragma(_ name: String, of store: Store) throws -> Int? {
    try store.write { try $0.row("PRAGMA \(name)")?[0] }
  }

  private func failure(_ body: () throws -> Void) -> ChatError? {
    do {
      try body()
      return nil
    } catch {
      return error as? ChatError
    }
  }

  private func change(mode: Int, of name: String = "") throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: scratch.url.appendingPathComponent(name).path)
  }

  /// A database of another program, with one row in it.
  private func makeForeignDatabase(mode: String) throws {
    let queue = try DatabaseQueue(path: scratch.url.appendingPathComponent("store.sqlite").path)
    try queue.writeWithoutTransaction { db in
      _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)")
      try db.execute(sql: "CREATE TABLE photo (id INTEGER); INSERT INTO photo VALUES (1)")
    }
    try queue.close()
  }

  // P3.4
  @Test func `folder, database and journal are private to the user`() throws {
    let folder = scratch.url.appendingPathComponent("new/alice")
    let store = try open(in: folder)
    try store.write { try $0.conversations.create("c", title: nil, members: [], now: eg.date) }
    #expect(try scratch.mode(of: "new/alice") == 0o700)
    for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
      #expect(try scratch.mode(of: "new/alice/\(name)") == 0o600)
    }
  }

  // P3.5
  @Test(arguments: [0o777, 0o770, 0o702])
  func `a folder that others can write is refused`(mode: Int) throws {
    try change(mode: mode)
    #expect(failure { _ = try open() }?.code == .storagePermissions)
    try change(mode: 0o755)
    #expect(failure { _ = try open() } == nil, "Others may know that it is there.")
  }

  // P3.5
  @Test func `a database that others can write is refused`() throws {
    _ = try open()
    try change(mode: 0o660, of: "store.sqlite")
    #expect(failure { _ = try open() }?.code == .storagePermissions)
  }

  // S1.2
  @Test func `every commit is synced, also after one that was not`() throws {
    let store = try open()
    #expect(try pragma("synchronous", of: store) == 2)
    let during: Int? = try store.writeUnsynced { try $0.row("PRAGMA synchronous")?[0] }
    #expect(during == 1)
    #expect(try pragma("synchronous", of: store) == 2)
    #expect(failure { try store.writeUnsynced { _ in throw ChatError(.storageFull, "") } } != nil)
    #expect(try pragma("synchronous", of: store) == 2)
  }

  // S1.2, S6, S9
  @Test func `the database is in WAL mode, can shrink, and overwrites what is deleted`() throws {
    for _ in 1...2 {
      let store = try open()
      #expect(try store.write { try $0.row("PRAGMA journal_mode")?[0] as String? } == "wal")
      #expect(try pragma("auto_vacuum", of: store) == 2)
      #expect(try pragma("secure_delete", of: store) == 1)
      #expect(try pragma("foreign_keys", of: store) == 1)
      #expect(try pragma("application_id", of: store) == 0x486F_6C64)
    }
  }

  // S2.2
  @Test(arguments: ["DELETE FROM conversation", "PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM"])
  func `one connection writes and checkpoints, and all others can only read`(statement: String) throws {
    let store = try open()
    try store.write { try $0.conversations.create("c", title: nil, members: [], now: eg.date) }
    let before = try ["store.sqlite", "store.sqlite-wal"].map(scratch.bytes)
    #expect(throws: ChatError.self) {
      try store.access { pool in try pool.unsafeRead { try $0.execute(sql: statement) } }
    }
    // Reads a store without a client, as doctor does while the app runs.
    #expect(throws: ChatError.self) {
      try StoreReading.open(scratch.url) { queue in try queue.unsafeRead { try $0.execute(sql: statement) } }
    }
    #expect(try ["store.sqlite", "store.sqlite-wal"].map(scratch.bytes) == before)
    #expect(throws: Never.self) {
      try store.access { pool in try pool.writeWithoutTransaction { try $0.execute(sql: statement) } }
    }
  }

  // S9.1
  @Test func `a deleted text is gone from the database file once the journal is written back`() throws {
    let secret = "a secret of some length"
    let store = try open()
    try store.write { transaction in
      try transaction.conversations.create(eg.conversation.key, title: nil, members: [], now: eg.date)
      try transaction.drafts.save(
        eg.key, content: DraftContent(secret), newID: "d", session: "s", now: eg.date)
    }
    #expect(try scratch.bytes(of: "store.sqlite-wal").range(of: Data(secret.utf8)) != nil)
    try store.write { try $0.drafts.delete(eg.key) }
    let other = try DatabaseQueue(path: scratch.url.appendingPathComponent("store.sqlite").path)
    try other.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    for name in ["store.sqlite", "store.sqlite-wal"] {
      #expect(try scratch.bytes(of: name).range(of: Data(secret.utf8)) == nil)
    }
  }

  // S3.1, S3.2
  @Test(arguments: ["delete", "wal"])
  func `a database of something else is refused, and left as it is`(mode: String) throws {
    try makeForeignDatabase(mode: mode)
    let before = try scratch.bytes(of: "store.sqlite")
    #expect(failure { _ = try open() }?.code == .storageForeign)
    #expect(try scratch.bytes(of: "store.sqlite") == before)
  }

  // S3.1, S3.2
  @Test func `a file that is not a database counts as damaged, and is left as it is`() throws {
    let before = Data("This is no database. ".utf8) + Data(repeating: 0x55, count: 5000)
    try before.write(to: scratch.url.appendingPathComponent("store.sqlite"))
    try change(mode: 0o600, of: "store.sqlite")
    #expect(failure { _ = try open() }?.code == .storageDamaged)
    #expect(try scratch.bytes(of: "store.sqlite") == before)
  }

  // S3.2
  @Test func `a store whose pages are damaged says so when they are read`() throws {
    try open().write { transaction in
      try transaction.conversations.create(eg.conversation.key, title: nil, members: [], now: eg.date)
    }
    var bytes = try scratch.bytes(of: "store.sqlite")
    bytes.replaceSubrange(4096..., with: Data(repeating: 0x55, count: bytes.count - 4096))
    try bytes.write(to: scratch.url.appendingPathComponent("store.sqlite"))
    try change(mode: 0o600, of: "store.sqlite")
    #expect(failure { _ = try open() }?.code == .storageDamaged)
  }

  // S1, S3
  @Test func `a process that ended while the store was made leaves one that opens`() throws {
    let file = scratch.url.appendingPathComponent("store.sqlite").path
    #expect(
      FileManager.default.createFile(atPath: file, contents: nil, attributes: [.posixPermissions: 0o600]))
    let begun = try DatabaseQueue(path: file)
    // The first transaction that the migrator commits.
    try begun.write {
      try $0.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    }
    try begun.close()
    try open().write { try $0.conversations.create("c", title: nil, members: ["alice"], now: Date()) }
  }

  // S1, S2
  @Test func `another look at a store that is open leaves its locks where they are`() throws {
    let store = try open()
    let held = HeldFiles(folder: scratch.url)
    let locks = try held.locks(on: "store.sqlite")
    #expect(!locks.isEmpty, "They keep other processes from taking the journal away.")
    #expect(!Store.isProtected(store.file))
    #expect(try held.locks(on: "store.sqlite") == locks)
    _ = try open()
    #expect(try held.locks(on: "store.sqlite") == locks)
    _ = try StoreInspection.examine(scratch.url)
    #expect(try held.locks(on: "store.sqlite") == locks)
  }

  // S3.1, S3.2, S5.3
  @Test func `a newer schema is refused, and left as it is`() throws {
    try open().write { try $0.run("INSERT INTO grdb_migrations VALUES ('of tomorrow')") }
    let before = try scratch.bytes(of: "store.sqlite")
    #expect(failure { _ = try open() }?.code == .storageNewer)
    #expect(try scratch.bytes(of: "store.sqlite") == before)
  }

  // S3.5
  @Test(arguments: [
    "CREATE TRIGGER forged AFTER INSERT ON message BEGIN UPDATE message SET body = 'mine' WHERE id = new.id; END",
    "CREATE VIEW loop AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
    "ALTER TABLE message ADD COLUMN also TEXT GENERATED ALWAYS AS (upper(body)) VIRTUAL",
    "CREATE TABLE messageText_notes (note TEXT DEFAULT 'forged')",
    "CREATE TABLE messageText_more (id INTEGER PRIMARY KEY)",
    """
    PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'indexedUpTo', 'indexed UpTo');
    """,
    """
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'draft') WHERE name = 'message';
    """,
    """
    ANALYZE; PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = 'CREATE TABLE sqlite_stat1(tbl,idx,stat' || char(9) || 'as(1))' WHERE name = 'sqlite_stat1';
    """,
    """
    DROP TABLE grdb_migrations;
    CREATE VIEW grdb_migrations AS
    WITH RECURSIVE n (identifier) AS (SELECT '1' UNION ALL SELECT identifier FROM n) SELECT identifier FROM n
    """,
    """
    ALTER TABLE attachment RENAME TO attachment2;
    CREATE VIEW attachment AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n
    """,
  ])
  func `a store with a schema of somebody else is refused before it is read, and left as it is`(_ sql: String)
    throws
  {
    _ = try open()
    let other = try DatabaseQueue(path: scratch.url.appendingPathComponent("store.sqlite").path)
    try other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA legacy_alter_table = ON; \(sql)") }
    try other.close()
    let before = try scratch.bytes(of: "store.sqlite")
    #expect(failure { _ = try open() }?.code == .storageDamaged)
    #expect(failure { _ = try StoreInspection.examine(scratch.url) }?.code == .storageDamaged)
    let new = scratch.url.appendingPathComponent("restored")
    let failed = failure { try StoreCopy.restore(from: scratch.url, to: new) { _, _ in } }
    #expect(failed?.code == .backupDamaged)
    #expect(try scratch.bytes(of: "store.sqlite") == before)
  }

  // S3.5
  @Test(arguments: ["VACUUM", "ANALYZE", "REINDEX", "PRAGMA optimize"])
  func `a store that was tidied by hand opens`(_ sql: String) throws {
    _ = try open()
    let other = try DatabaseQueue(path: scratch.url.appendingPathComponent("store.sqlite").path)
    try other.writeWithoutTransaction { try $0.execute(sql: sql) }
    try other.close()
    #expect(failure { _ = try open() } == nil)
  }

  // S3.5
  @Test func `a reading without an end is ended`() throws {
    _ = try open()
    let endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    let failed = failure {
      _ = try StoreReading.open(scratch.url) { try $0.read { try Int.fetchOne($0, sql: endless) } }
    }
    #expect(failed?.code == .storageDamaged)
  }

  // S8.1
  @Test func `the store of another account is refused, and its owner still opens it`() throws {
    _ = try open()
    #expect(failure { _ = try open(owner: "bob") }?.code == .storageForeign)
    #expect(failure { _ = try open() } == nil)
  }

  // S8.1
  @Test func `an account whose ID has other bytes for the same letters is another account`() throws {
    _ = try open(owner: "rene\u{301}")
    #expect(failure { _ = try open(owner: "ren\u{e9}") }?.code == .storageForeign)
    #expect(failure { _ = try open(owner: "rene\u{301}") } == nil)
  }

  @Test(arguments: ["", "a\0b", String(repeating: "x", count: 256)])
  func `an owner's ID must be well formed`(owner: String) {
    #expect(failure { _ = try open(owner: UserID(rawValue: owner)) }?.code == .malformedID)
  }

  // S3
  @Test func `an empty file is a new store`() throws {
    #expect(
      FileManager.default.createFile(
        atPath: scratch.url.appendingPathComponent("store.sqlite").path, contents: nil))
    try change(mode: 0o600, of: "store.sqlite")
    #expect(try pragma("auto_vacuum", of: try open()) == 2)
  }

  @Test func `a folder that cannot be made is a typed error`() throws {
    try Data("x".utf8).write(to: scratch.url.appendingPathComponent("file"))
    let error = failure { _ = try open(in: scratch.url.appendingPathComponent("file/store")) }
    #expect(error?.code.isStorage == true)
  }

  // S4.1, S4.3
  @Test func `a full disk is a typed error, changes nothing, and ends`() throws {
    let store = try open()
    try store.write {
      try $0.conversations.create(eg.conversation.key, title: nil, members: [], now: eg.date)
    }
    let content = DraftContent(String(repeating: "x", count: 1 << 20))
    let save = {
      try store.write {
        try $0.drafts.save(eg.key, content: content, newID: "d", session: "s", now: eg.date)
      }
    }
    let pages: Int = try #require(try pragma("page_count", of: store))
    _ = try pragma("max_page_count = \(pages)", of: store)
    #expect(failure(save)?.code == .storageFull)
    #expect(try store.read { try $0.drafts.restorable(eg.key) } == nil)
    _ = try pragma("max_page_count = 1000000", of: store)
    #expect(failure(save) == nil)
    #expect(try store.read { try $0.drafts.restorable(eg.key) }?.content == content)
  }

  @Test func `errors carry no contents`() throws {
    let store = try open()
    try store.write {
      try $0.conversations.create(eg.conversation.key, title: nil, members: [], now: eg.date)
    }
    let insert = {
      try store.write {
        try $0.messages.insert(
          "m", in: eg.conversation.key, sender: eg.user, role: .user, content: MessageContent("secret"),
          order: nil,
          place: 1, createdAt: eg.date)
      }
    }
    try insert()
    let error = try #require(failure(insert))
    #expect(error.code == .storageFailed)
    #expect(!"\(error)".contains("secret"))
    #expect(!"\(error)".contains("INSERT"))
  }

  @Test func `a transaction that throws changes nothing, and wakes no observer`() throws {
    let store = try open()
    let signal = Signal()
    _ = store.changes.subscribe(signal) { changes in
      Issue.record("observers were notified of \(changes)")
      return true
    }
    #expect(
      failure {
        try store.write { transaction in
          try transaction.conversations.create("c", title: nil, members: [], now: eg.date)
          throw ChatError(.storageFull, "")
        }
      }?.code == .storageFull)
    #expect(try store.read { try $0.conversations.stored("c") } == nil)
  }

  @Test func `the changes of a commit wake the observers that they concern`() async throws {
    let store = try open()
    let (list, drafts) = (Signal(), Signal())
    _ = store.changes.subscribe(list, to: \.list)
    let subscription = store.changes.subscribe(drafts) { !$0.drafts.isEmpty }
    store.changes.unsubscribe(subscription)
    try store.write { try $0.conversations.create("c", title: nil, members: [], now: eg.date) }
    await list.wait()
  }
}
