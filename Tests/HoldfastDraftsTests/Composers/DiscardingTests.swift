import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@MainActor @Suite struct DiscardingTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  /// A composer whose draft was stored by an earlier launch of the app, this many seconds ago.
  private func recovered(_ text: String, after seconds: Double = 0) throws -> ComposerModel {
    do {
      let composer = ComposerModel(try bench.client(), eg.conversation)
      composer.edit(text)
      composer.hardSave()
    }
    bench.dateError.withLock { $0 += seconds }
    return ComposerModel(try bench.client(), eg.conversation)
  }

  private func isInFiles(_ text: String) throws -> Bool {
    try ["store.sqlite", "store.sqlite-wal"].contains { name in
      try bench.scratch.bytes(of: name).range(of: Data(text.utf8)) != nil
    }
  }

  // D10.5, D10.6, S9.1
  @Test func `a draft that is discarded is gone from the composer, the store and the bytes of its files`()
    throws
  {
    let composer = try recovered("never to be found")
    #expect(try isInFiles("never to be found"))
    composer.discard()
    #expect(composer.snapshot.text == "")
    #expect(composer.snapshot.banner?.kind == .discarded)
    #expect(composer.snapshot.problem == nil)
    #expect(try !isInFiles("never to be found"))
    let next = ComposerModel(try bench.client(), eg.conversation)
    #expect(next.snapshot.text == "")
    #expect(next.snapshot.banner == nil)
  }

  // D10.7
  @Test func `undo brings the text back, in front of what was typed since, and stores it`() throws {
    let composer = try recovered("first")
    composer.discard()
    composer.undoDiscard()
    #expect(composer.snapshot.text == "first")
    #expect(composer.snapshot.banner == nil)
    #expect(ComposerModel(try bench.client(), eg.conversation).snapshot.text == "first")
    composer.undoDiscard()
    #expect(composer.snapshot.text == "first", "Only what was discarded can be undone.")
  }

  // D10.7
  @Test func `text that is typed after a discard stays behind the text that undo brings back`() throws {
    let composer = try recovered("first")
    composer.discard()
    composer.edit("second")
    #expect(composer.snapshot.banner?.kind == .discarded)
    composer.undoDiscard()
    #expect(composer.snapshot.text == "first\nsecond")
    #expect(ComposerModel(try bench.client(), eg.conversation).snapshot.text == "first\nsecond")
  }

  // D10.7
  @Test func `sending after a discard takes Undo away`() throws {
    let composer = try recovered("first")
    composer.discard()
    composer.edit("second")
    #expect(composer.send() != nil)
    #expect(composer.snapshot.banner == nil)
    composer.undoDiscard()
    #expect(composer.snapshot.text == "")
  }

  @Test func `a discard that fails keeps the text and says why`() throws {
    let composer = try recovered("first")
    bench.gate.fail()
    composer.discard()
    #expect(composer.snapshot.text == "first")
    #expect(composer.snapshot.problem != nil)
    bench.gate.heal()
    composer.discard()
    #expect(composer.snapshot.text == "")
  }

  @Test func `discarding nothing does nothing`() throws {
    let composer = ComposerModel(try bench.client(), eg.conversation)
    let before = composer.snapshot
    composer.discard()
    #expect(composer.snapshot == before)
    #expect(composer.snapshot.banner == nil)
  }

  // D11.1
  @Test func `keeping an old draft ends the question`() throws {
    let composer = try recovered("first", after: 8 * 86_400)
    #expect(composer.snapshot.banner?.kind == .old)
    #expect(composer.snapshot.text == "first", "It is shown while the question is open.")
    composer.keepDraft()
    #expect(composer.snapshot.banner == nil)
    #expect(composer.snapshot.text == "first")
    composer.hardSave()
    #expect(ComposerModel(try bench.client(), eg.conversation).snapshot.text == "first")
  }
}
