import EngineFixtures
import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

/// Stores with flipped bytes, and the data that salvage restores.
@Suite(.timeLimit(.minutes(10))) struct FlippedBytesTests {
  // S3.3
  @Test(arguments: [1, 2, 3, 4]) func `bytes are flipped at random, and what lies on other pages comes back`(
    part: UInt64
  ) async throws {
    let files = try #require(StoreFiles.example)
    let contents = try files.contents()
    #expect((contents.drafts.count, contents.messages.count, contents.queue.count) == (12, 480, 60))
    let found = try await Bench.aside {
      try ((part * 50 - 49)...(part * 50)).flatMap { try problems(seed: $0, files, contents) }
    }
    #expect(found == [])
  }

  /// The mistakes in the salvage of one store with flipped bytes.
  private func problems(seed: UInt64, _ whole: StoreFiles, _ contents: StoreFiles.Contents) throws -> [String]
  {
    var random = SeededRandom(seed: seed)
    var files = whole
    var pages: Set<Int> = []
    // Damages one byte, a few, or many.
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
      (report, store) = try wreck.salvage()
    } catch let error as ChatError where error.code == .storageForeign {
      // One letter of the account's name has changed.
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
    let drafts = try store.texts("SELECT id, content FROM draft")
    for (id, draft) in contents.drafts where draft.pages.isDisjoint(with: pages) {
      require(drafts[id] == draft.text, id)
    }
    let (bodies, unsent) = (try store.texts("SELECT id, body FROM message"), try store.unsentTexts())
    for (id, message) in contents.messages where message.pages.isDisjoint(with: pages) {
      require(bodies[id] == message.text, id)
      // A message whose place in the queue is lost is there as a failed message, or as another message.
      guard let place = contents.queue[id], place.isDisjoint(with: pages) else { continue }
      require(unsent[id] == message.text, "\(id) in the queue")
    }
    return problems
  }

  /// The pages that a changed byte of the journal affects: one page, or, for the header of a frame, all pages of the
  /// journal.
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
}
