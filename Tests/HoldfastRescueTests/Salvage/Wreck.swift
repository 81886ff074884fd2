import EngineFixtures
import Foundation
import GRDB

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = EngineExample

/// The files of a store: its database, and the frames of its journal that are not checkpointed yet.
struct StoreFiles {
  var database: Data
  var journal: Data

  /// Conversations with long and short drafts, and queued, failed and delivered messages. No two IDs of messages or
  /// of drafts differ in only one letter, as with random IDs.
  static let example: StoreFiles? = {
    guard let bench = try? Bench(inMemory: true), let store = try? bench.store() else { return nil }
    do {
      for number in 1...12 {
        let conversation = ConversationID(rawValue: "conversation-\(number)")
        try store.write { transaction in
          try transaction.conversations.create(
            conversation.key, title: "T\(number)", members: [eg.user], now: eg.date)
          for message in 1...40 {
            let id = MessageID(rawValue: "message-\(number)-\(message)-\(number)-\(message)")
            let body = String(repeating: "words of \(number) \(message) ", count: message % 9 * 12 + 1)
            let isQueued = message > 35
            try transaction.messages.insert(
              id, in: conversation.key, sender: eg.user, role: .user, content: MessageContent(body),
              order: isQueued ? nil : Int64(message),
              place: isQueued ? TimelinePlace.underWay : TimelinePlace.confirmed(order: Int64(message)),
              createdAt: eg.date)
            if isQueued { try transaction.outbox.enqueue(id, in: conversation.key, at: 0) }
          }
          try transaction.drafts.save(
            DraftKey(conversation: conversation.key),
            content: DraftContent(String(repeating: "draft \(number) ", count: number * number * 20)),
            newID: "draft-\(number)-\(number)", session: "s", now: eg.date)
        }
        // The second half remains in the journal.
        if number == 6 { try store.emptyJournal() }
      }
      return StoreFiles(
        database: try bench.scratch.bytes(of: "store.sqlite"),
        journal: try bench.scratch.bytes(of: "store.sqlite-wal"))
    } catch {
      return nil
    }
  }()

  /// The contents of the store, and the pages that contain each text, as offsets in the two files.
  struct Contents {
    var drafts: [String: (text: String, pages: Set<Int>)] = [:]
    var messages: [String: (text: String, pages: Set<Int>)] = [:]
    var queue: [String: Set<Int>] = [:]
  }

  func contents() throws -> Contents {
    let image = PageImage(database: database, journal: journal)
    let scratch = try ScratchFolder(inMemory: true)
    let queue = try DatabaseQueue(path: scratch.url.appendingPathComponent("schema.sqlite").path)
    try Schema.migrator.migrate(queue)
    let shapes = try queue.read { db in
      try ["draft", "message", "outbox"].map { try TableShape($0, Reading(db)) }
    }
    let tables = SalvagedTables(image, shapes)
    var contents = Contents()
    func text(_ row: SalvagedRow, _ column: Int) -> String {
      row.values[column].text ?? ""
    }
    tables.forEachRow(of: shapes[0], eachPage: {}) { row, _ in
      if let row { contents.drafts[text(row, 0)] = (text(row, 4), Set(row.pages)) }
    }
    tables.forEachRow(of: shapes[1], eachPage: {}) { row, _ in
      if let row { contents.messages[text(row, 1)] = (text(row, 8), Set(row.pages)) }
    }
    tables.forEachRow(of: shapes[2], eachPage: {}) { row, _ in
      if let row { contents.queue[text(row, 1)] = Set(row.pages) }
    }
    return contents
  }
}

/// A store to salvage, with files that may be damaged.
struct Wreck {
  let scratch: ScratchFolder
  var folder: URL { scratch.url.appendingPathComponent("alice") }

  init(_ files: StoreFiles) throws {
    scratch = try ScratchFolder(inMemory: true)
    try makePrivateFolder(folder)
    try files.database.write(to: folder.appendingPathComponent("store.sqlite"))
    try files.journal.write(to: folder.appendingPathComponent("store.sqlite-wal"))
  }

  func salvage() throws -> (report: SalvageReport, store: Store) {
    let report = try StoreSalvage.salvage(folder: folder, user: eg.user)
    return (report, try Store(folder: folder, owner: eg.user))
  }
}

extension Store {
  /// The messages of the outbox.
  func unsentTexts() throws -> [String: String] {
    try texts("SELECT m.id, m.body FROM outbox o JOIN message m ON m.id = o.messageID")
  }
}
