import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct DraftControllerTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// A launch of an app that sends messages itself.
  private func launch(on bench: Bench? = nil) throws -> DraftController {
    let bench = bench ?? self.bench
    return DraftController(
      store: try bench.store(), user: eg.user,
      configuration: ChatConfiguration(environment: bench.environment))
  }

  /// The composer of a launch of the app.
  private func openComposer(on bench: Bench? = nil) throws -> DraftComposer {
    try launch(on: bench).composer(in: eg.conversation)
  }

  // D1.4, D1.5, D4.1, D5.1, D7, D9.1, D10.1, D10.2
  @Test func `a draft comes back exactly as typed, with its cursor and its banner`() throws {
    do {
      let composer = try openComposer()
      #expect(try composer.content() == DraftContent())
      composer.edit(" 👩‍👩‍👧 hello ", selection: TextRange(start: 9, end: 10))
      try composer.hardSave()
    }
    bench.dateError.withLock { $0 += 300 }
    let composer = try openComposer()
    #expect(try composer.content() == DraftContent(" 👩‍👩‍👧 hello ", selection: TextRange(start: 9, end: 10)))
    #expect(composer.banner?.text == "Recovered draft • 5 minutes ago")
  }

  // D7.2, D7.3
  @Test func `a confirmed send deletes the draft, and a failed one leaves it`() throws {
    let server = Mutexed<ConnectionFailure?>(ConnectionFailure(.unreachable))
    /// The app sends the message itself, and reports the messages that its server has.
    func send(_ id: MessageID, _ composer: DraftComposer) throws {
      if let failure = server.withLock({ $0 }) { throw failure }
      try composer.sendSucceeded(id)
    }
    do {
      let composer = try openComposer()
      composer.edit("hello")
      try composer.hardSave()
      #expect(throws: ConnectionFailure.self) { try send("m1", composer) }
      #expect(try composer.content().text == "hello")
    }
    server.withLock { $0 = nil }
    do {
      // The server has the message, and the store cannot record it. Nothing is stored again here: the draft is the
      // one that was on disk.
      let composer = try openComposer()
      #expect(try composer.content().text == "hello")
      bench.gate.fail()
      #expect(throws: ChatError.self) { try send("m1", composer) }
      #expect(try composer.content().text == "hello")
    }
    bench.gate.heal()
    do {
      let composer = try openComposer()
      #expect(try composer.content().text == "hello")
      try send("m1", composer)
      #expect(try composer.content().text == "")
      try composer.hardSave()
    }
    #expect(try openComposer().content().text == "")
  }

  // D7.2, D8.1: a text that is typed during the transmission of another one is not the sent text.
  @Test func `text that is typed while a message is on its way stays, and is newer`() throws {
    do {
      let composer = try openComposer()
      composer.edit("first")
      try composer.hardSave()
      composer.edit("second")
      try composer.sendSucceeded("m1", text: "first")
      #expect(try composer.content().text == "second")
    }
    let composer = try openComposer()
    #expect(try composer.content().text == "second")
    try composer.sendSucceeded("m2", text: "second")
    #expect(try openComposer().content().text == "")
  }

  // D7.3
  @Test func `a send that cannot be noted leaves the draft`() throws {
    let composer = try openComposer()
    composer.edit("hello")
    bench.gate.fail()
    #expect { try composer.sendSucceeded("m1") } throws: {
      ($0 as? ChatError)?.code == .storageFull
    }
    #expect(try composer.content().text == "hello")
    bench.gate.heal()
    #expect { try composer.sendSucceeded("") } throws: {
      ($0 as? ChatError)?.code == .malformedID
    }
    try composer.hardSave()
    #expect(try openComposer().content().text == "hello")
  }

  // D1.8
  @Test func `the answered message and the formatting come back with the draft`() throws {
    do {
      let composer = try openComposer()
      composer.edit("hello @bob", formatting: Data([1, 2]))
      try composer.reply(to: "m1")
      let error = #expect(throws: ChatError.self) { try composer.reply(to: "\n") }
      #expect(error?.code == .malformedID)
      composer.focus()
      try composer.hardSave()
      composer.blur()
    }
    let content = try openComposer().content()
    #expect(content == DraftContent("hello @bob", replyTo: "m1", formatting: Data([1, 2])))
  }

  // D13.2
  @Test func `two processes with controllers on one store follow each other's drafts`() async throws {
    func launch() throws -> DraftController {
      try DraftController(
        storage: .folder(bench.scratch.url).shared(), user: eg.user,
        configuration: ChatConfiguration(environment: bench.environment))
    }
    let (app, share) = (try launch(), try launch())
    let (composer, shared) = (
      app.composer(in: eg.conversation), share.composer(in: eg.conversation)
    )
    composer.edit("typed in the app")
    try app.hardSave()
    #expect(try shared.content().text == "typed in the app")
    shared.edit("typed in the app, and shared")
    try share.hardSave()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await app.run() }
      group.addTask {
        let signal = Signal()
        let subscription = app.store.changes.subscribe(signal) { !$0.drafts.isEmpty }
        defer { app.store.changes.unsubscribe(subscription) }
        while try composer.content().text != "typed in the app, and shared" {
          await signal.wait()
        }
      }
      try await group.next()
      group.cancelAll()
    }
  }

  // D2.1
  @Test func `typing is saved by itself while it runs`() throws {
    try Bench.simulate { bench in
      let drafts = try launch(on: bench)
      let composer = drafts.composer(in: eg.conversation)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await drafts.run() }
        defer { group.cancelAll() }
        composer.edit("hello")
        try await bench.pass(.milliseconds(702))
        #expect(try openComposer(on: bench).content().text == "hello")
      }
    }
  }

  // D10.6, D10.7, D10.8, S9.1
  @Test func `a discarded draft is gone from the files, and Undo brings it back`() throws {
    let composer = try openComposer()
    composer.edit("never to be found")
    try composer.hardSave()
    try composer.discard()
    #expect(composer.banner?.kind == .discarded)
    for name in ["store.sqlite", "store.sqlite-wal"] {
      #expect(try bench.scratch.bytes(of: name).range(of: Data("never to be found".utf8)) == nil)
    }
    #expect(try composer.undoDiscard()?.text == "never to be found")
    #expect(try composer.undoDiscard() == nil)
    #expect(try openComposer().content().text == "never to be found")
  }

  // D11.1, D12.1, D12.2
  @Test func `each conversation keeps its own, and an old draft asks until it is kept`() throws {
    do {
      let drafts = try launch()
      for (text, conversation): (String, ConversationID) in [("one", "a"), ("two", "b")] {
        let composer = drafts.composer(in: conversation)
        composer.edit(text)
      }
      #expect(
        try drafts.composer(in: "a").content().text == "one", "It was stored when its composer had gone.")
      try drafts.hardSave()
    }
    bench.dateError.withLock { $0 += 8 * 86_400 }
    let drafts = try launch()
    let composer = drafts.composer(in: "b")
    #expect(try composer.content().text == "two")
    #expect(composer.banner?.kind == .old)
    try composer.keepDraft()
    #expect(composer.banner == nil)
    #expect(try drafts.draftMetrics().restores == 2)
  }

  // D7: the app starts to use the outbox.
  @Test func `an app that takes the outbox too keeps its store, and its code of drafts`() throws {
    /// The app's own code for drafts. It appends a line to the draft.
    func type(_ line: String, into composer: DraftComposer) throws {
      let text = try composer.content().text
      composer.edit(text.isEmpty ? line : text + "\n" + line)
      try composer.hardSave()
    }
    try type("hello", into: openComposer())
    let client = try bench.client()
    let conversation = client.conversation(eg.conversation)
    try type("and again", into: conversation.composer())
    try conversation.sendDraft()
    #expect(try client.bodies() == ["hello\nand again"])
    #expect(try conversation.composer().content() == DraftContent())
  }

  @Test func `an invalid ID is refused when it is stored`() throws {
    let drafts = try launch()
    let composer = drafts.composer(in: "")
    composer.edit("hello")
    #expect { try drafts.hardSave() } throws: { ($0 as? ChatError)?.code == .unknownConversation }
  }

  // S8.1
  @Test func `a store of another account is refused`() throws {
    _ = try launch()
    #expect { try DraftController(storage: .folder(bench.scratch.url), user: "mallory") } throws: {
      ($0 as? ChatError)?.code == .storageForeign
    }
  }

  // D15.1
  @Test func `a conversation with another ID keeps its drafts, under both IDs`() throws {
    let drafts = try launch()
    let composer = drafts.composer(in: eg.conversation)
    composer.edit("unsent")
    _ = try composer.beginEdit("m1", text: "at eight")
    composer.edit("at nine")
    try drafts.replaceID(of: eg.conversation, with: "server-17")
    #expect(try composer.content().text == "at nine")
    composer.edit("at ten")
    #expect(try composer.cancelEdit().text == "unsent")
    #expect(try drafts.composer(in: "server-17").content().text == "unsent")
    try drafts.hardSave()
    for conversation: ConversationID in ["server-17", eg.conversation] {
      #expect(try launch().composer(in: conversation).content().text == "unsent")
    }
    #expect { try drafts.replaceID(of: "a", with: "a") } throws: {
      ($0 as? ChatError)?.code == .sameConversation
    }
  }

  // D15.1
  @Test func `a text that was never stored gets the conversation's new ID`() throws {
    let drafts = try launch()
    let composer = drafts.composer(in: "local")
    composer.edit("typed just now")
    try drafts.replaceID(of: "local", with: "server-17")
    try drafts.hardSave()
    #expect(try launch().composer(in: "server-17").content().text == "typed just now")
  }
}
