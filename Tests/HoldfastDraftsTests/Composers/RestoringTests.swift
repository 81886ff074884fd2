import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The draft and the cursor that are restored when a conversation is opened.
@MainActor @Suite struct RestoringTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func composer() throws -> ComposerModel { ComposerModel(try bench.client(), eg.conversation) }

  private func restored(_ text: String, _ start: Int, _ end: Int) throws -> ComposerSnapshot {
    do {
      let composer = try composer()
      composer.edit(text, selection: TextRange(start: start, end: end))
      composer.hardSave()
    }
    return try composer().snapshot
  }

  // D9.1, D9.3: text fields count UTF-16 code units.
  @Test(arguments: [
    // A family emoji has seven scalars and eleven units. Text fields can place a cursor between its scalars.
    ("👩‍👩‍👧‍👦!", 11, 12), ("👩‍👩‍👧‍👦", 2, 3), ("👩‍👩‍👧‍👦", 0, 11),
    // A flag has two scalars of two units each.
    ("🇨🇭🇩🇪", 4, 8), ("🇨🇭🇩🇪", 2, 6),
    // A letter with its accents.
    ("e\u{301}\u{323}x", 3, 4), ("e\u{301}", 1, 1),
    // Right-to-left text with digits and Latin letters in it.
    ("שלום abc 123", 4, 8), ("مرحبا بالعالم", 0, 13), ("a\u{202E}b", 2, 3),
    ("", 0, 0), ("a\r\nb", 2, 3),
  ])
  func `a cursor on the boundary of a scalar comes back`(text: String, start: Int, end: Int) throws {
    let snapshot = try restored("x" + text, start + 1, end + 1)
    #expect(snapshot.text == "x" + text)
    #expect(snapshot.selection == TextRange(start: start + 1, end: end + 1))
  }

  // D9.2
  @Test(arguments: [
    ("👩‍👩‍👧‍👦", 1, 2), ("👩‍👩‍👧‍👦", 0, 4), ("🇨🇭", 0, 3), ("hi", 2, 3), ("hi", 1, 0), ("hi", -1, 1),
    ("hi", .min, .max),
  ])
  func `one inside a surrogate pair or out of range is ignored, and the text comes back`(
    text: String, start: Int, end: Int
  ) throws {
    let snapshot = try restored(text, start, end)
    #expect(snapshot.text == text)
    #expect(snapshot.selection == nil)
  }

  // D10.9, D14.1: SwiftUI creates a model each time it creates the view's value, and shows the first one.
  @Test
  func `a composer that no view shows leaves the banner to the one that is shown, and counts as no restore`()
    throws
  {
    do {
      let composer = try composer()
      composer.edit("half a thought")
      composer.hardSave()
    }
    let client = try bench.client()
    for _ in 1...3 { #expect(ComposerModel(client, eg.conversation).snapshot.banner?.kind == .recovered) }
    try client.hardSave()
    #expect(try client.draftMetrics().restores == 0)
    do {
      let shown = ComposerModel(client, eg.conversation)
      shown.focus()
      #expect(shown.snapshot.banner?.kind == .recovered)
    }
    try client.hardSave()
    #expect(try client.draftMetrics().restores == 1)
    #expect(ComposerModel(client, eg.conversation).snapshot.banner == nil, "It is a quick switch back.")
  }

  // D3.2, D10.3
  @Test func `an app sets the age from which a draft of this session is shown as recovered`() throws {
    let client = try bench.client(ChatConfiguration(saving: .init(recoveredAfter: .seconds(60))))
    do {
      let composer = ComposerModel(client, eg.conversation)
      composer.edit("half a thought")
      composer.hardSave()
    }
    bench.dateError.withLock { $0 += 59 }
    #expect(ComposerModel(client, eg.conversation).snapshot.banner == nil)
    bench.dateError.withLock { $0 += 2 }
    #expect(ComposerModel(client, eg.conversation).snapshot.banner?.kind == .recovered)
  }

  // D8.2, D8.4: the clock is turned back after the send, so that an old draft looks newer than the message.
  @Test(arguments: [-1e9, 0, 1e9])
  func `no clock brings a sent text back`(error: TimeInterval) throws {
    do {
      let composer = try composer()
      composer.edit("sent")
      composer.hardSave()
      bench.dateError.withLock { $0 = error }
      composer.send()
    }
    bench.dateError.withLock { $0 = -error }
    #expect(try composer().snapshot.text == "")
  }

  // D8.1, D8.5: the clock is turned back before the draft is typed, so that it looks older than the message.
  @Test(arguments: [-1e9, 1e9])
  func `no clock hides a draft that was typed after the last send`(error: TimeInterval) throws {
    do {
      let composer = try composer()
      composer.edit("sent")
      composer.send()
      bench.dateError.withLock { $0 = error }
      composer.edit("typed after")
      composer.hardSave()
    }
    bench.dateError.withLock { $0 = -error }
    #expect(try composer().snapshot.text == "typed after")
    #expect(try composer().client.reader.list(limit: 1).rows.first?.isDraft == true)
  }

  // D8.3
  @Test func `a draft that was discarded in this session does not come back in it`() throws {
    let client = try bench.client()
    do {
      let composer = ComposerModel(client, eg.conversation)
      composer.edit("discarded")
      composer.hardSave()
      composer.discard()
      composer.hardSave()
      try client.hardSave()
    }
    let composer = ComposerModel(client, eg.conversation)
    #expect(composer.snapshot.text == "")
    #expect(!composer.snapshot.canTakeBack)
    #expect(composer.snapshot.banner == nil)
  }

  // D10.2, D10.4
  @Test func `a recovered draft is told of once, and not on every switch back`() throws {
    do {
      let composer = try composer()
      composer.edit("hello")
    }
    let client = try bench.client()
    do {
      let composer = ComposerModel(client, eg.conversation)
      composer.session.appear()
      #expect(composer.snapshot.banner?.kind == .recovered)
      #expect(ComposerModel(client, eg.conversation).snapshot.banner == nil, "A second window.")
    }
    #expect(ComposerModel(client, eg.conversation).snapshot.banner == nil)
    #expect(ComposerModel(client, eg.conversation).snapshot.text == "hello")
  }
}
