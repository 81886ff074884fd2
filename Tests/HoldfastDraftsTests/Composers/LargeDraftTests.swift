import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// A draft of a megabyte (rule D16).
@MainActor @Suite(.serialized) struct LargeDraftTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  nonisolated private static let plain = String(repeating: "Lorem ipsum dolor sit amet. ", count: 37_450)
  nonisolated private static let mixed = String(repeating: "Grüße, 世界! 👩‍👩‍👧 e\u{301} ", count: 27_000)

  // D16.1
  @Test func `a draft of a megabyte is saved and comes back to the byte`() throws {
    for text in [Self.plain, Self.mixed] {
      #expect(text.utf8.count > 1_000_000)
      do {
        let composer = ComposerModel(try bench.client(), eg.conversation)
        composer.edit(text, selection: TextRange(start: 500_000, end: 500_000))
        composer.hardSave()
      }
      let composer = ComposerModel(try bench.client(), eg.conversation)
      #expect(composer.snapshot.text.hasSameBytes(as: text))
      composer.discard()
    }
  }

  // D16.2
  // At 60 frames a second, a frame has 16 ms. Here the code is not optimised, and the two processors do other work
  // as well.
  @Test(arguments: [true, false])
  func `a keystroke into a megabyte takes less than a frame`(isPlain: Bool) throws {
    let (name, text) = isPlain ? ("plain", Self.plain) : ("mixed", Self.mixed)
    let composer = ComposerModel(try bench.client(), eg.conversation)
    composer.edit(text)
    composer.hardSave()
    let middle = text.index(text.startIndex, offsetBy: text.count / 2)
    for (place, index) in [("end", text.endIndex), ("middle", middle), ("start", text.startIndex)] {
      var times: [Duration] = []
      var typed = text
      for _ in 0..<21 {
        typed.insert("x", at: index)
        times.append(ContinuousClock().measure { composer.edit(typed) })
      }
      let median = times.sorted()[times.count / 2]
      #expect(median < .milliseconds(16), "\(name), at the \(place)")
    }
  }

  // D16
  @Test func `typing wakes whoever saves once in a pause, and not at each keystroke`() throws {
    try Bench.simulate { bench in
      let client = try bench.client(isSimulated: true)
      client.drafts.table.withLock { $0.awaited = nil }
      var wakes = 0
      for number in 1...50 {
        let entry = client.drafts.edit(eg.key, DraftContent(String(repeating: "x", count: number)))
        try await bench.pass(.milliseconds(10))
        let awaited = client.drafts.table.withLock { $0.awaited }
        if awaited == entry.buffer.deadline { wakes += 1 }
      }
      #expect(wakes == 1)
    }
  }

  // D16
  @Test func `a draft that is stored and on no screen is not kept in memory`() throws {
    let client = try bench.client()
    for number in 1...20 {
      let id = ConversationID(rawValue: "c\(number)")
      try client.createConversation(id)
      let composer = ComposerModel(client, id)
      composer.edit("draft \(number)")
    }
    #expect(client.drafts.table.withLock { $0.keys.isEmpty })
    let composer = ComposerModel(client, "c7")
    #expect(composer.snapshot.text == "draft 7")
    try client.hardSave()
    #expect(client.drafts.table.withLock { $0.keys.count } == 2, "Those of the composer on the screen.")
  }

  // D16, S4.1, S4.3: unsaved text is kept, even when no composer shows it.
  @Test func `a draft that cannot be stored stays in memory when its composer goes away`() throws {
    let client = try bench.client()
    do {
      let composer = ComposerModel(client, eg.conversation)
      composer.edit("hello")
      bench.gate.fail()
    }
    #expect(client.drafts.text(in: eg.conversation) == "hello")
    bench.gate.heal()
    try client.hardSave()
    #expect(try bench.client().drafts.text(in: eg.conversation) == "hello")
  }
}
