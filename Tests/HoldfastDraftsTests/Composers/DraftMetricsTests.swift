import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@MainActor @Suite struct DraftMetricsTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func composer() throws -> ComposerModel { ComposerModel(try bench.client(), eg.conversation) }

  // D14.1, D18.1
  @Test func `saves are counted while the draft is there and when it is gone, over launches`() throws {
    do {
      let composer = try composer()
      for text in ["a", "ab", "ab", "abc"] {
        composer.edit(text)
        composer.hardSave()
      }
      #expect(try composer.client.draftMetrics().saves == 3, "Nothing is written when nothing changed.")
      composer.send()
      composer.edit("next")
      composer.hardSave()
      #expect(try composer.client.draftMetrics().saves == 4)
      composer.edit("")
      composer.hardSave()
    }
    #expect(try bench.client().draftMetrics().saves == 4)
  }

  // D14.1, D14.2
  @Test func `drafts that come back are counted with their age, and those discarded then`() throws {
    for (age, text) in [(60.0, "one"), (60, "two"), (86_400 * 3, "three")] {
      do {
        let composer = try composer()
        composer.edit(text)
        composer.hardSave()
      }
      bench.dateError.withLock { $0 += age }
      let composer = try composer()
      #expect(composer.snapshot.text == text)
      _ = ComposerModel(composer.client, eg.conversation)
      composer.discard()
      try composer.client.hardSave()
    }
    let composer = try composer()
    composer.edit("of this session")
    composer.discard()
    let metrics = try composer.client.draftMetrics()
    #expect(metrics.restores == 3, "A second window on the same draft restores nothing.")
    #expect(metrics.recoveredDiscarded == 3)
    let age = try #require(metrics.restoreAge)
    #expect(age.p50 >= .seconds(60) && age.p50 < .seconds(85))
    #expect(age.p95 >= .seconds(86_400 * 3) && age.p95 < .seconds(86_400 * 5))
  }

  // D14: a clock that was turned back does not give a negative age.
  @Test(arguments: [-1e6, .infinity, .nan, 1e300])
  func `an age that makes no sense is counted all the same`(age: TimeInterval) {
    var counts = RestoreCounts()
    counts.add(age: age)
    #expect(counts.byAge.values.reduce(0, +) == 1)
  }

  // D14.1
  @Test func `restores are stored a moment later, and a full disk loses no count`() throws {
    let composer = try composer()
    composer.edit("hello")
    composer.hardSave()
    let client = try bench.client()
    ComposerModel(client, eg.conversation).focus()
    bench.gate.fail()
    client.drafts.storeCounts()
    bench.gate.heal()
    try client.hardSave()
    #expect(try bench.client().draftMetrics().restores == 1)
  }

  // D14.1, D14.3, D14.4
  @Test func `the numbers have the names of the field, and no contents`() throws {
    let composer = try composer()
    composer.edit("secret")
    composer.hardSave()
    let later = try self.composer()
    later.session.appear()
    let json = String(decoding: try JSONEncoder().encode(later.client.draftMetrics()), as: UTF8.self)
    for name in [
      "draft_saves_count", "draft_restores_count", "recovered_draft_discarded_count", "restore_age_seconds",
    ] { #expect(json.contains("\"\(name)\"")) }
    #expect(!json.contains("secret"))
    #expect(
      try JSONDecoder().decode(DraftMetrics.self, from: Data(json.utf8)) == later.client.draftMetrics())
  }
}
