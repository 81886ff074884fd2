import Foundation
import GRDB
import HoldfastTesting
import Testing

@testable import Holdfast

private typealias eg = EngineExample

/// Stores with bytes that were flipped, and what comes back of them.
@Suite(.timeLimit(.minutes(10))) struct StoreSalvageTests {
  /// The files of a store: its database, and what its journal has that is not in the database yet.
  private struct Files {
    var database: Data
    var journal: Data
  }

  private struct Wreck {
    let scratch: ScratchFolder
    var folder: URL { scratch.url.appendingPathComponent("alice") }

    init(_ files: Files) throws {
      scratch = try ScratchFolder(inMemory: true)
      try makePrivateFolder(folder)
      try files.database.write(to: folder.appendingPathComponent("store.sqlite"))
      try files.journal.write(to: folder.appendingPathComponent("store.sqlite-wal"))
    }
  }

  /// Conversations with long and short drafts, queued, failed and delivered messages.
  private static let files: Files? = {
    guard let bench = try? Bench(inMemory: true), let store = try? bench.store() else { return nil }
    do {
      for number in 1...12 {
        let conversation = ConversationID(rawValue: "conversation-\(number)")
        try store.write { transaction in
          try transaction.createConversation(
            conversation, title: "T\(number)", members: [eg.user], now: eg.date)
          for message in 1...40 {
            let id = MessageID(rawValue: "message-\(number)-\(message)")
            let body = String(repeating: "words of \(number) \(message) ", count: message % 9 * 12 + 1)
            let isQueued = message > 35
            try transaction.insertMessage(
              id, in: conversation, sender: eg.user, role: .user, body: body, reasoning: nil,
              order: isQueued ? nil : Int64(message),
              place: isQueued ? TimelinePlace.underWay : TimelinePlace.confirmed(order: Int64(message)),
              createdAt: eg.date)
            if isQueued { try transaction.enqueue(id, in: conversation, at: 0) }
          }
          try transaction.saveDraft(
            DraftKey(conversation: conversation),
            content: DraftContent(String(repeating: "draft \(number) ", count: number * number * 20)),
            newID: "draft-\(number)", session: "s", now: eg.date)
        }
        // The second half stays in the journal.
        if number == 6 { try store.emptyJournal() }
      }
      return Files(
        database: try bench.scratch.bytes(of: "store.sqlite"),
        journal: try bench.scratch.bytes(of: "store.sqlite-wal"))
    } catch {
      return nil
    }
  }()

  /// What the store has, and the bytes that each text lies on: offsets of pages in the two files.
  private struct Contents {
    var drafts: [String: (text: String, pages: Set<Int>)] = [:]
    var messages: [String: (text: String, pages: Set<Int>)] = [:]
    var queue: [String: Set<Int>] = [:]
  }

  private func contents(_ image: PageImage) throws -> Contents {
    let scratch = try ScratchFolder(inMemory: true)
    let queue = try DatabaseQueue(path: scratch.url.appendingPathComponent("schema.sqlite").path)
    try Schema.migrator.migrate(queue)
    let shapes = try queue.read { db in try ["draft", "message", "outbox"].map { try TableShape($0, db) } }
    let tables = SalvagedTables(image, shapes)
    var contents = Contents()
    func text(_ row: SalvagedRow, _ column: Int) -> String {
      String.fromDatabaseValue(row.values[column]) ?? ""
    }
    tables.forEachRow(of: shapes[0]) { row, _ in
      if let row { contents.drafts[text(row, 0)] = (text(row, 4), Set(row.pages)) }
    }
    tables.forEachRow(of: shapes[1]) { row, _ in
      if let row { contents.messages[text(row, 1)] = (text(row, 8), Set(row.pages)) }
    }
    tables.forEachRow(of: shapes[2]) { row, _ in
      if let row { contents.queue[text(row, 1)] = Set(row.pages) }
    }
    return contents
  }

  private func salvage(_ wreck: Wreck) throws -> (report: SalvageReport, store: Store) {
    let report = try StoreSalvage.salvage(folder: wreck.folder, user: eg.user)
    return (report, try Store(folder: wreck.folder, owner: eg.user))
  }

  private func texts(_ store: Store, _ sql: String) throws -> [String: String] {
    try store.read { db in
      Dictionary(uniqueKeysWithValues: try db.rows(sql) { ($0[0] as String, $0[1] as String) })
    }
  }

  private static let unsent =
    "SELECT m.id, m.body FROM outbox o JOIN message m ON m.id = o.messageID"

  // S3, H5, H8
  @Test func `what is salvaged is found by its words, and what was deleted stays away`() throws {
    let bench = try Bench(inMemory: true)
    let store = try bench.store()
    let (kept, gone): (ConversationID, ConversationID) = ("kept", "gone")
    try store.write { transaction in
      for conversation in [kept, gone] {
        try transaction.createConversation(conversation, title: nil, members: [eg.user], now: eg.date)
        let id = MessageID(rawValue: "in \(conversation)")
        try transaction.insertMessage(
          id, in: conversation, sender: eg.user, role: .user, body: "lighthouse", reasoning: nil, order: nil,
          place: TimelinePlace.underWay, createdAt: eg.date)
        try transaction.enqueue(id, in: conversation, at: 0)
      }
    }
    while try store.write({ try $0.indexNext(limit: 10, maximumBytes: 1000) }) {}
    try store.write { try $0.hideConversation(gone) }
    let wreck = try Wreck(
      Files(
        database: bench.scratch.bytes(of: "store.sqlite"),
        journal: bench.scratch.bytes(of: "store.sqlite-wal")))

    let report = try StoreSalvage.salvage(folder: wreck.folder, user: eg.user)

    #expect(report.unsent == 1)
    let client = try ChatClient(
      storage: .folder(wreck.folder), transport: bench.transport, user: eg.user,
      environment: bench.environment)
    #expect(try client.listSnapshot(limit: 10).rows.map(\.id) == [kept])
    #expect(try client.search("lighthouse").hits.map(\.conversation) == [kept])
    while try client.store.write({ try $0.indexNext(limit: 10, maximumBytes: 1000) }) {}
    #expect(try client.search("lighthouse").hits.map(\.conversation) == [kept])
  }

  // S3
  @Test func `a row whose number is taken, and behind which there is none, is lost alone`() throws {
    let bench = try Bench(inMemory: true)
    let store = try bench.store()
    try store.write { transaction in
      try transaction.createConversation("c", title: nil, members: [eg.user], now: eg.date)
      for order in 1...2 {
        try transaction.insertMessage(
          MessageID(rawValue: "m\(order)"), in: "c", sender: eg.other, role: .user, body: "words",
          reasoning: nil, order: Int64(order), place: TimelinePlace.confirmed(order: Int64(order)),
          createdAt: eg.date)
      }
      try transaction.run("UPDATE message SET position = ? WHERE id = 'm2'", [Int64.max - 1])
      try transaction.run("UPDATE message SET position = ? WHERE id = 'm1'", [Int64.max])
    }
    try store.emptyJournal()
    var database = try bench.scratch.bytes(of: "store.sqlite")
    // The number in front of the last, as a row begins with it: it becomes the last.
    let number = Data([0xBF] + [UInt8](repeating: 0xFF, count: 7) + [0xFE])
    let place = try #require(database.range(of: number))
    database[place.upperBound - 1] = 0xFF
    let wreck = try Wreck(Files(database: database, journal: Data()))

    let report = try StoreSalvage.salvage(folder: wreck.folder, user: eg.user)

    #expect(report.messages == 1)
    #expect(report.lostRows == ["message": 1])
  }

  // S3
  @Test func `a store that is whole is salvaged whole, with what is in its journal`() throws {
    let files = try #require(Self.files)
    let wreck = try Wreck(files)
    let (report, store) = try salvage(wreck)
    #expect(report.isComplete, "\(report)")
    #expect((report.drafts, report.unsent, report.messages, report.conversations) == (12, 60, 480, 12))
    #expect(try texts(store, "SELECT id, content FROM draft").count == 12)
    #expect(
      try texts(store, "SELECT id, content FROM draft")["draft-12"]?.hasPrefix("draft 12 draft 12") == true)
    let contents = try contents(PageImage(database: files.database, journal: files.journal))
    let drafts = try texts(store, "SELECT id, content FROM draft")
    #expect(drafts == contents.drafts.mapValues { $0.text })
    let bodies = try texts(store, "SELECT id, body FROM message")
    #expect(bodies == contents.messages.mapValues { $0.text })
  }

  // S3
  @Test(arguments: [1, 2, 3, 4]) func `bytes are flipped at random, and what lies on other pages comes back`(
    part: UInt64
  ) async throws {
    let files = try #require(Self.files)
    let contents = try contents(PageImage(database: files.database, journal: files.journal))
    #expect((contents.drafts.count, contents.messages.count, contents.queue.count) == (12, 480, 60))
    let found = try await Bench.aside {
      try ((part * 50 - 49)...(part * 50)).flatMap { try problems(seed: $0, files, contents) }
    }
    #expect(found == [])
  }

  /// What is not as it should be, of one store with flipped bytes.
  private func problems(seed: UInt64, _ whole: Files, _ contents: Contents) throws -> [String] {
    var random = SeededRandom(seed: seed)
    var files = whole
    var pages: Set<Int> = []
    // One byte, a few, or many of them.
    for _ in 0..<[1, 3, 12, 40][Int(seed % 4)] {
      let place = Int.random(in: 0..<files.database.count + files.journal.count, using: &random)
      let mask = UInt8.random(in: 1...255, using: &random)
      if place < files.database.count {
        files.database[place] ^= mask
        pages.insert(place / 4096 + 1)
      } else {
        files.journal[place - files.database.count] ^= mask
        pages.formUnion(Self.pages(at: place - files.database.count, whole.journal, files.journal))
      }
    }
    let wreck = try Wreck(files)
    let report: SalvageReport
    let store: Store
    do {
      (report, store) = try salvage(wreck)
    } catch let error as ChatError where error.code == .storageForeign {
      // Of the account's name a letter is another.
      let after = try Data(contentsOf: wreck.folder.appendingPathComponent("store.sqlite"))
      return after == files.database ? [] : ["seed \(seed): changed"]
    } catch {
      return ["seed \(seed): \(error)"]
    }
    var problems: [String] = []
    func require(_ condition: Bool, _ problem: String) {
      if !condition { problems.append("seed \(seed): \(problem)") }
    }
    if let aside = report.setAside {
      require(
        try Data(contentsOf: aside.appendingPathComponent("store.sqlite")) == files.database,
        "database changed")
      require(
        try Data(contentsOf: aside.appendingPathComponent("store.sqlite-wal")) == files.journal,
        "journal changed")
    } else {
      require(false, "not set aside")
    }
    let drafts = try texts(store, "SELECT id, content FROM draft")
    for (id, draft) in contents.drafts where draft.pages.isDisjoint(with: pages) {
      require(drafts[id] == draft.text, id)
    }
    let (bodies, unsent) = (try texts(store, "SELECT id, body FROM message"), try texts(store, Self.unsent))
    for (id, message) in contents.messages where message.pages.isDisjoint(with: pages) {
      require(bodies[id] == message.text, id)
      // One whose place in the queue is lost is there as a failed one, or as one that was not.
      guard let place = contents.queue[id], place.isDisjoint(with: pages) else { continue }
      require(unsent[id] == message.text, "\(id) in the queue")
    }
    return problems
  }

  /// The pages that a changed byte of the journal concerns: one, or, in the head of a frame, all that are in it.
  private static func pages(at place: Int, _ whole: Data, _ damaged: Data) -> Set<Int> {
    func number(_ start: Int, _ journal: Data) -> Int {
      journal[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    let starts = stride(from: 32, through: whole.count - 24 - 4096, by: 24 + 4096)
    guard place >= 32 else { return [] }
    let start = 32 + (place - 32) / (24 + 4096) * (24 + 4096)
    guard start + 4 <= whole.count else { return [] }
    guard place - start < 24 else { return [number(start, whole)] }
    return Set(starts.map { number($0, whole) }).union([number(start, damaged)])
  }

  // S3
  @Test func `without its first page the pages are told by what their rows look like`() throws {
    var files = try #require(Self.files)
    files.database.replaceSubrange(0..<8192, with: Data(repeating: 0xA5, count: 8192))
    files.journal = Data()
    let before = try contents(PageImage(database: try #require(Self.files).database, journal: Data()))
    let (report, store) = try salvage(try Wreck(files))
    #expect(report.drafts == 6)
    #expect(try texts(store, "SELECT id, content FROM draft") == before.drafts.mapValues { $0.text })
    #expect(try texts(store, Self.unsent).count == 30)
  }

  // S3
  @Test func `a message whose place in the queue is lost fails, and its user decides`() throws {
    let files = try #require(Self.files)
    let contents = try contents(PageImage(database: files.database, journal: files.journal))
    var image = files
    let queue = contents.queue.values.reduce(into: Set<Int>()) { $0.formUnion($1) }
    // The journal has the newest of each; all of its versions go.
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
    let (report, store) = try salvage(try Wreck(image))
    #expect(report.doubtful == 60)
    let failed = try store.read { db in
      try db.row("SELECT count(*) FROM outbox WHERE parkedCode = 'outcomeUnknown'")?[0] as Int?
    }
    #expect(failed == 60)
  }

  // S3, S8
  @Test func `a store that is not there, not ours, or in use is left alone`() throws {
    let files = try #require(Self.files)
    let wreck = try Wreck(files)
    func code(_ body: () throws -> Void) -> ChatError.Code? {
      do {
        try body()
        return nil
      } catch {
        return (error as? ChatError)?.code
      }
    }
    let nowhere = wreck.scratch.url.appendingPathComponent("nowhere")
    #expect(code { _ = try StoreSalvage.salvage(folder: nowhere, user: eg.user) } == .storageUnavailable)
    #expect(code { _ = try StoreSalvage.salvage(folder: wreck.folder, user: "bob") } == .storageForeign)
    let lock = try FileLock(wreck.folder.appendingPathComponent(FileLock.drain))
    #expect(try lock.take())
    #expect(code { _ = try StoreSalvage.salvage(folder: wreck.folder, user: eg.user) } == .storageBusy)
    lock.release()
    #expect(try FileManager.default.contentsOfDirectory(atPath: wreck.scratch.url.path) == ["alice"])
    #expect(try Data(contentsOf: wreck.folder.appendingPathComponent("store.sqlite")) == files.database)
  }

  // S3, S5
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
    #expect(try texts(store, Self.unsent) == ["queued": "one"])
    #expect(try store.read { try $0.draft(DraftKey(conversation: "c")) }?.content.text == "typed")
  }
}
