import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct DraftControllerTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// A launch of an app that sends by itself.
  private func launch(on bench: Bench? = nil) throws -> DraftController {
    let bench = bench ?? self.bench
    return DraftController(
      store: try bench.store(), user: eg.user,
      configuration: ChatConfiguration(environment: bench.environment))
  }

  private func texts(_ drafts: DraftController) throws -> String? {
    try drafts.restore(in: eg.conversation)?.text
  }

  // D1.4, D1.5, D4.1, D5.1, D7, D9.1, D10.1, D10.2
  @Test func `a draft comes back exactly as typed, with its cursor and its banner`() throws {
    do {
      let drafts = try launch()
      #expect(try drafts.restore(in: eg.conversation) == nil)
      drafts.textChanged(" 👩‍👩‍👧 hello ", selection: TextRange(start: 9, end: 10), in: eg.conversation)
      try drafts.background()
    }
    bench.dateError.withLock { $0 += 300 }
    let restored = try #require(try launch().restore(in: eg.conversation))
    #expect(restored.content == DraftContent(" 👩‍👩‍👧 hello ", selection: TextRange(start: 9, end: 10)))
    #expect(restored.banner?.text == "Recovered draft • 5 minutes ago")
  }

  // D7.2, D7.3
  @Test func `a confirmed send deletes the draft, and a failed one leaves it`() throws {
    do {
      let drafts = try launch()
      drafts.textChanged("hello", in: eg.conversation)
      try drafts.background()
      #expect(try texts(drafts) == "hello")
      try drafts.sendSucceeded("m1", in: eg.conversation)
      #expect(try texts(drafts) == nil)
      try drafts.background()
    }
    #expect(try texts(launch()) == nil)
  }

  // D7.2, D8.1: a text that is typed while another one is on its way is not the sent text.
  @Test func `text that is typed while a message is on its way stays, and is newer`() throws {
    do {
      let drafts = try launch()
      drafts.textChanged("first", in: eg.conversation)
      try drafts.background()
      drafts.textChanged("second", in: eg.conversation)
      try drafts.sendSucceeded("m1", text: "first", in: eg.conversation)
      #expect(try texts(drafts) == "second")
    }
    let drafts = try launch()
    #expect(try texts(drafts) == "second")
    try drafts.sendSucceeded("m2", text: "second", in: eg.conversation)
    #expect(try texts(launch()) == nil)
  }

  // D7.3
  @Test func `a send that cannot be noted leaves the draft`() throws {
    let drafts = try launch()
    drafts.textChanged("hello", in: eg.conversation)
    bench.gate.fail()
    #expect { try drafts.sendSucceeded("m1", in: eg.conversation) } throws: {
      ($0 as? ChatError)?.code == .storageFull
    }
    #expect(try texts(drafts) == "hello")
    bench.gate.heal()
    #expect { try drafts.sendSucceeded("", in: eg.conversation) } throws: {
      ($0 as? ChatError)?.code == .malformedID
    }
    try drafts.background()
    #expect(try texts(launch()) == "hello")
  }

  // D2.1
  @Test func `typing is saved by itself while it runs`() throws {
    try Bench.simulate { bench in
      let drafts = try launch(on: bench)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await drafts.run() }
        defer { group.cancelAll() }
        drafts.textChanged("hello", in: eg.conversation)
        try await bench.pass(.milliseconds(702))
        #expect(try texts(launch(on: bench)) == "hello")
      }
    }
  }

  // D10.6, D10.7, D10.8, S9.1
  @Test func `a discarded draft is gone from the files, and Undo brings it back`() throws {
    let drafts = try launch()
    drafts.textChanged("never to be found", in: eg.conversation)
    try drafts.background()
    try drafts.discard(in: eg.conversation)
    #expect(drafts.banner(in: eg.conversation)?.kind == .discarded)
    for name in ["store.sqlite", "store.sqlite-wal"] {
      #expect(try bench.scratch.bytes(of: name).range(of: Data("never to be found".utf8)) == nil)
    }
    #expect(try drafts.undoDiscard(in: eg.conversation)?.text == "never to be found")
    #expect(try drafts.undoDiscard(in: eg.conversation) == nil)
    #expect(try texts(launch()) == "never to be found")
  }

  // D11.1, D12.1, D12.2
  @Test func `each conversation keeps its own, and an old draft asks until it is kept`() throws {
    do {
      let drafts = try launch()
      drafts.textChanged("one", in: "a")
      drafts.textChanged("two", in: "b")
      drafts.closed("a")
      drafts.closed("b")
      #expect(try drafts.restore(in: "a")?.text == "one")
      try drafts.background()
    }
    bench.dateError.withLock { $0 += 8 * 86_400 }
    let drafts = try launch()
    #expect(try drafts.restore(in: "b")?.banner?.kind == .old)
    drafts.keep(in: "b")
    #expect(drafts.banner(in: "b") == nil)
    #expect(try drafts.metrics().restores == 2)
  }

  // D7: the app starts to use the outbox.
  @Test func `its store is one that a client opens`() throws {
    do {
      let drafts = try launch()
      drafts.textChanged("hello", in: eg.conversation)
      try drafts.background()
    }
    let client = try bench.client()
    #expect(client.draftText(in: eg.conversation) == "hello")
    try client.conversation(eg.conversation).sendDraft()
    #expect(try client.bodies() == ["hello"])
  }

  @Test func `an invalid ID is refused when it is stored`() throws {
    let drafts = try launch()
    drafts.textChanged("hello", in: "")
    #expect { try drafts.background() } throws: { ($0 as? ChatError)?.code == .unknownConversation }
  }

  // S8.1
  @Test func `a store of another account is refused`() throws {
    _ = try launch()
    #expect { try DraftController(storage: .folder(bench.scratch.url), user: "mallory") } throws: {
      ($0 as? ChatError)?.code == .storageForeign
    }
  }
}
