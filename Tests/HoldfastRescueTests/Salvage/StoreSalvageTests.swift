import EngineFixtures
import Foundation
import GRDB
import GRDBSQLite
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = EngineExample

/// Complete and damaged stores, and the data that salvage restores.
@Suite(.timeLimit(.minutes(10))) struct StoreSalvageTests {
  // H5, H8, S3.3
  @Test func `salvaged messages can be searched, and deleted ones stay away`() throws {
    let bench = try Bench(inMemory: true)
    let store = try bench.store()
    let (kept, gone): (ConversationID, ConversationID) = ("kept", "gone")
    try store.write { transaction in
      for conversation in [kept, gone] {
        try transaction.conversations.create(conversation.key, title: nil, members: [eg.user], now: eg.date)
        let id = MessageID(rawValue: "in \(conversation)")
        try transaction.messages.insert(
          id, in: conversation.key, sender: eg.user, role: .user, content: MessageContent("lighthouse"),
          order: nil,
          place: TimelinePlace.underWay, createdAt: eg.date)
        try transaction.outbox.enqueue(id, in: conversation.key, at: 0)
      }
    }
    while try store.write({ try $0.search.indexNext(limit: 10, maximumBytes: 1000) }) {}
    try store.write { _ = try $0.deletions.hide(gone.key) }
    let wreck = try Wreck(
      StoreFiles(
        database: bench.scratch.bytes(of: "store.sqlite"),
        journal: bench.scratch.bytes(of: "store.sqlite-wal")))

    var steps: [Int64] = []
    let report = try StoreSalvage.salvage(folder: wreck.folder, user: eg.user) { completed, total in
      steps = [completed, total]
    }

    #expect(report.unsent == 1)
    #expect(steps.count == 2 && steps[0] == steps[1], "It says how far it is, to the end.")
    let client = try ChatClient(
      storage: .folder(wreck.folder), transport: bench.transport, user: eg.user,
      configuration: ChatConfiguration(environment: bench.environment))
    #expect(try client.reader.list(limit: 10).rows.map(\.id) == [kept])
    #expect(try client.search("lighthouse").hits.map(\.conversation) == [kept])
    while try client.store.write({ try $0.search.indexNext(limit: 10, maximumBytes: 1000) }) {}
    #expect(try client.search("lighthouse").hits.map(\.conversation) == [kept])
  }

  // S3.3
  @Test func `a row whose number is taken, and behind which no number follows, is lost alone`() throws {
    let bench = try Bench(inMemory: true)
    let store = try bench.store()
    try store.write { transaction in
      try transaction.conversations.create("c", title: nil, members: [eg.user], now: eg.date)
      for order in 1...2 {
        try transaction.messages.insert(
          MessageID(rawValue: "m\(order)"), in: "c", sender: eg.other, role: .user,
          content: MessageContent("words"), order: Int64(order),
          place: TimelinePlace.confirmed(order: Int64(order)),
          createdAt: eg.date)
      }
      try transaction.run("UPDATE message SET position = ? WHERE id = 'm2'", [Int64.max - 1])
      try transaction.run("UPDATE message SET position = ? WHERE id = 'm1'", [Int64.max])
    }
    try store.emptyJournal()
    var database = try bench.scratch.bytes(of: "store.sqlite")
    // The second to last position, as stored at the beginning of a row, becomes the last.
    let number = Data([0xBF] + [UInt8](repeating: 0xFF, count: 7) + [0xFE])
    let place = try #require(database.range(of: number))
    database[place.upperBound - 1] = 0xFF
    let wreck = try Wreck(StoreFiles(database: database, journal: Data()))

    let report = try StoreSalvage.salvage(folder: wreck.folder, user: eg.user)

    #expect(report.messages == 1)
    #expect(report.lostRows == ["message": 1])
  }

  // S3.3, S9
  @Test func `a store whose pages end with bytes that SQLite leaves alone is read and compacted too`() throws
  {
    let scratch = try ScratchFolder(inMemory: true)
    let folder = scratch.url.appendingPathComponent("alice")
    let file = folder.appendingPathComponent(Store.fileName)
    try makePrivateFolder(folder)
    try makePrivateFile(file)
    do {
      var configuration = Configuration()
      configuration.prepareDatabase { db in
        var reserved: Int32 = 12
        sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
      }
      let queue = try DatabaseQueue(path: file.path, configuration: configuration)
      try Schema.migrator.migrate(queue)
      try queue.close()
    }
    let reserved = try Data(contentsOf: file)[20]
    try #require(reserved == 12)
    func body(_ number: Int) -> String { String(repeating: "words of \(number) ", count: number * 37) }
    do {
      let store = try Store(folder: folder, owner: eg.user)
      try store.write { transaction in
        try transaction.conversations.create("c", title: nil, members: [eg.user], now: eg.date)
        for number in 1...60 {
          try transaction.messages.insert(
            MessageID(rawValue: "m\(number)"), in: "c", sender: eg.user, role: .user,
            content: MessageContent(body(number)), order: Int64(number),
            place: TimelinePlace.confirmed(order: Int64(number)),
            createdAt: eg.date)
        }
      }
      try store.compact()
      try store.close(.suspended)
    }

    let report = try StoreSalvage.salvage(folder: folder, user: eg.user)

    #expect(report.lostRows.isEmpty && report.lostPages.isEmpty)
    let bodies = try Store(folder: folder, owner: eg.user).texts("SELECT id, body FROM message")
    #expect(bodies.count == 60)
    #expect((1...60).allSatisfy { bodies["m\($0)"] == body($0) })
  }

  // S3.3
  @Test func `a store that is whole is salvaged whole, with what is in its journal`() throws {
    let files = try #require(StoreFiles.example)
    let wreck = try Wreck(files)
    let (report, store) = try wreck.salvage()
    #expect(report.isComplete, "\(report)")
    #expect((report.drafts, report.unsent, report.messages, report.conversations) == (12, 60, 480, 12))
    #expect(try store.texts("SELECT id, content FROM draft").count == 12)
    #expect(
      try store.texts("SELECT id, content FROM draft")["draft-12-12"]?.hasPrefix("draft 12 draft 12") == true)
    let contents = try files.contents()
    let drafts = try store.texts("SELECT id, content FROM draft")
    #expect(drafts == contents.drafts.mapValues { $0.text })
    let bodies = try store.texts("SELECT id, body FROM message")
    #expect(bodies == contents.messages.mapValues { $0.text })
  }

  // S3.3
  @Test func `without its first page the pages are recognized by what their rows look like`() throws {
    var files = try #require(StoreFiles.example)
    files.database.replaceSubrange(0..<8192, with: Data(repeating: 0xA5, count: 8192))
    files.journal = Data()
    let before = try StoreFiles(database: try #require(StoreFiles.example).database, journal: Data())
      .contents()
    let (report, store) = try Wreck(files).salvage()
    #expect(report.drafts == 6)
    #expect(try store.texts("SELECT id, content FROM draft") == before.drafts.mapValues { $0.text })
    #expect(try store.unsentTexts().count == 30)
  }

  // S3.3
  @Test func `a message whose place in the queue is lost fails, and its user decides`() throws {
    let files = try #require(StoreFiles.example)
    let contents = try files.contents()
    var image = files
    let queue = contents.queue.values.reduce(into: Set<Int>()) { $0.formUnion($1) }
    // The journal has the newest version of each page. All versions are damaged.
    for page in queue {
      try #require(page * 4096 <= image.database.count)
      image.database.replaceSubrange(
        (page - 1) * 4096..<page * 4096, with: Data(repeating: 0xA5, count: 4096))
      for start in stride(from: 32, to: image.journal.count, by: 24 + 4096) {
        guard image.journal[start..<start + 4].reduce(0, { $0 << 8 | Int($1) }) == page else { continue }
        image.journal.replaceSubrange(
          start + 24..<start + 24 + 4096, with: Data(repeating: 0xA5, count: 4096))
      }
    }
    let (report, store) = try Wreck(image).salvage()
    #expect(report.doubtful == 60)
    let failed = try store.read { db in
      try db.row("SELECT count(*) FROM outbox WHERE parkedCode = 'outcomeUnknown'")?[0] as Int?
    }
    #expect(failed == 60)
  }

  // S3.1, S8.1
  @Test func `a store that is not there, not ours, or in use is left alone`() throws {
    let files = try #require(StoreFiles.example)
    let wreck = try Wreck(files)
    let nowhere = wreck.scratch.url.appendingPathComponent("nowhere")
    #expect(refusal { _ = try StoreSalvage.salvage(folder: nowhere, user: eg.user) } == .storageUnavailable)
    #expect(refusal { _ = try StoreSalvage.salvage(folder: wreck.folder, user: "bob") } == .storageForeign)
    let foreign = wreck.scratch.url.appendingPathComponent("foreign")
    try makePrivateFolder(foreign)
    let other = try DatabaseQueue(path: foreign.appendingPathComponent("store.sqlite").path)
    try other.write { try $0.execute(sql: "CREATE TABLE book (title TEXT)") }
    try other.close()
    #expect(refusal { _ = try StoreSalvage.salvage(folder: foreign, user: eg.user) } == .storageForeign)
    #expect(try FileManager.default.contentsOfDirectory(atPath: foreign.path) == ["store.sqlite"])
    try FileManager.default.removeItem(at: foreign)
    let lock = try FileLock(wreck.folder.appendingPathComponent(FileLock.drain))
    #expect(try lock.acquire())
    #expect(refusal { _ = try StoreSalvage.salvage(folder: wreck.folder, user: eg.user) } == .storageBusy)
    lock.release()
    #expect(try FileManager.default.contentsOfDirectory(atPath: wreck.scratch.url.path) == ["alice"])
    #expect(try Data(contentsOf: wreck.folder.appendingPathComponent("store.sqlite")) == files.database)
  }

  // S3.1, S3.4
  @Test func `a process that ended between setting aside and putting in place has lost nothing`() throws {
    let files = FileManager.default
    let wreck = try Wreck(try #require(StoreFiles.example))
    let salvaging = wreck.scratch.url.appendingPathComponent("alice.salvaging")
    // An unfinished store does not count as a store.
    try makePrivateFolder(salvaging)
    let before = try Store(folder: wreck.folder, owner: eg.user).unsentTexts()
    #expect(before.count == 60)
    #expect(files.fileExists(atPath: salvaging.path))

    _ = try wreck.salvage()
    try files.moveItem(at: wreck.folder, to: salvaging)
    #expect(try Store(folder: wreck.folder, owner: eg.user).unsentTexts() == before)
    #expect(
      try files.contentsOfDirectory(atPath: wreck.scratch.url.path).sorted() == ["alice", "alice.damaged"])
  }

  // S3.3, S5
  @Test func `a store of version 1 is salvaged and brought to this one`() throws {
    let scratch = try ScratchFolder(inMemory: true)
    let folder = scratch.url.appendingPathComponent("alice")
    try makePrivateFolder(folder)
    let queue = try DatabaseQueue(path: folder.appendingPathComponent("store.sqlite").path)
    try Schema.migrator.migrate(queue, upTo: "1")
    try queue.write {
      try $0.execute(
        sql: """
          INSERT INTO conversation (id, createdAt, updatedAt, listRevision) VALUES ('c', 1, 1, 1);
          INSERT INTO message (position, id, conversationID, place, sender, role, body, createdAt)
            VALUES (1, 'queued', 'c', 1, 'alice', 'user', 'one', 1);
          INSERT INTO outbox (position, messageID, conversationID, enqueuedAt) VALUES (1, 'queued', 'c', 10);
          INSERT INTO draft (id, conversationID, slot, content, revision, session, updatedAt)
            VALUES ('d', 'c', 'new', 'typed', 7, 's', 30);
          """)
    }
    try queue.close()
    let report = try StoreSalvage.salvage(folder: folder, user: eg.user)
    #expect(report.isComplete, "\(report)")
    let store = try Store(folder: folder, owner: eg.user)
    #expect(try store.unsentTexts() == ["queued": "one"])
    #expect(try store.read { try $0.drafts.restorable(DraftKey(conversation: "c")) }?.content.text == "typed")
  }
}
