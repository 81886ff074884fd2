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
      drafts.edit(" 👩‍👩‍👧 hello ", selection: TextRange(start: 9, end: 10), in: eg.conversation)
      try drafts.hardSave()
    }
    bench.dateError.withLock { $0 += 300 }
    let restored = try #require(try launch().restore(in: eg.conversation))
    #expect(restored.content == DraftContent(" 👩‍👩‍👧 hello ", selection: TextRange(start: 9, end: 10)))
    #expect(restored.banner?.text == "Recovered draft • 5 minutes ago")
  }

  // D7.2, D7.3
  @Test func `a confirmed send deletes the draft, and a failed one leaves it`() throws {
    let server = Mutexed<ConnectionFailure?>(ConnectionFailure(.unreachable))
    /// The app sends by itself, and tells of what its server has.
    func send(_ id: MessageID, _ drafts: DraftController) throws {
      if let failure = server.withLock({ $0 }) { throw failure }
      try drafts.sendSucceeded(id, in: eg.conversation)
    }
    do {
      let drafts = try launch()
      drafts.edit("hello", in: eg.conversation)
      try drafts.hardSave()
      #expect(throws: ConnectionFailure.self) { try send("m1", drafts) }
      #expect(try texts(drafts) == "hello")
    }
    server.withLock { $0 = nil }
    do {
      // The server has the message, and the store cannot note it. Nothing is stored again here: the draft is the one that
      // was on disk.
      let drafts = try launch()
      #expect(try texts(drafts) == "hello")
      bench.gate.fail()
      #expect(throws: ChatError.self) { try send("m1", drafts) }
      #expect(try texts(drafts) == "hello")
    }
    bench.gate.heal()
    do {
      let drafts = try launch()
      #expect(try texts(drafts) == "hello")
      try send("m1", drafts)
      #expect(try texts(drafts) == nil)
      try drafts.hardSave()
    }
    #expect(try texts(launch()) == nil)
  }

  // D7.2, D8.1: a text that is typed while another one is on its way is not the sent text.
  @Test func `text that is typed while a message is on its way stays, and is newer`() throws {
    do {
      let drafts = try launch()
      drafts.edit("first", in: eg.conversation)
      try drafts.hardSave()
      drafts.edit("second", in: eg.conversation)
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
    drafts.edit("hello", in: eg.conversation)
    bench.gate.fail()
    #expect { try drafts.sendSucceeded("m1", in: eg.conversation) } throws: {
      ($0 as? ChatError)?.code == .storageFull
    }
    #expect(try texts(drafts) == "hello")
    bench.gate.heal()
    #expect { try drafts.sendSucceeded("", in: eg.conversation) } throws: {
      ($0 as? ChatError)?.code == .malformedID
    }
    try drafts.hardSave()
    #expect(try texts(launch()) == "hello")
  }

  // D1.8
  @Test func `the answered message and the formatting come back with the draft`() throws {
    do {
      let drafts = try launch()
      drafts.edit("hello @bob", formatting: Data([1, 2]), in: eg.conversation)
      try drafts.reply(to: "m1", in: eg.conversation)
      let error = #expect(throws: ChatError.self) { try drafts.reply(to: "\n", in: eg.conversation) }
      #expect(error?.code == .malformedID)
      drafts.focus(in: eg.conversation)
      try drafts.hardSave()
      drafts.blur(in: eg.conversation)
    }
    let content = try launch().restore(in: eg.conversation)?.content
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
    app.edit("typed in the app", in: eg.conversation)
    try app.hardSave()
    #expect(try share.restore(in: eg.conversation)?.text == "typed in the app")
    share.edit("typed in the app, and shared", in: eg.conversation)
    try share.hardSave()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await app.run() }
      group.addTask {
        let signal = Signal()
        let subscription = app.store.changes.subscribe(signal) { !$0.drafts.isEmpty }
        defer { app.store.changes.unsubscribe(subscription) }
        while try app.restore(in: eg.conversation)?.text != "typed in the app, and shared" {
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
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await drafts.run() }
        defer { group.cancelAll() }
        drafts.edit("hello", in: eg.conversation)
        try await bench.pass(.milliseconds(702))
        #expect(try texts(launch(on: bench)) == "hello")
      }
    }
  }

  // D10.6, D10.7, D10.8, S9.1
  @Test func `a discarded draft is gone from the files, and Undo brings it back`() throws {
    let drafts = try launch()
    drafts.edit("never to be found", in: eg.conversation)
    try drafts.hardSave()
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
      drafts.edit("one", in: "a")
      drafts.edit("two", in: "b")
      drafts.close("a")
      drafts.close("b")
      #expect(try drafts.restore(in: "a")?.text == "one")
      try drafts.hardSave()
    }
    bench.dateError.withLock { $0 += 8 * 86_400 }
    let drafts = try launch()
    #expect(try drafts.restore(in: "b")?.banner?.kind == .old)
    try drafts.keepDraft(in: "b")
    #expect(drafts.banner(in: "b") == nil)
    #expect(try drafts.draftMetrics().restores == 2)
  }

  // D7: the app starts to use the outbox.
  @Test func `its store is one that a client opens`() throws {
    do {
      let drafts = try launch()
      drafts.edit("hello", in: eg.conversation)
      try drafts.hardSave()
    }
    let client = try bench.client()
    #expect(client.draftText(in: eg.conversation) == "hello")
    try client.conversation(eg.conversation).sendDraft()
    #expect(try client.bodies() == ["hello"])
  }

  @Test func `an invalid ID is refused when it is stored`() throws {
    let drafts = try launch()
    drafts.edit("hello", in: "")
    #expect { try drafts.hardSave() } throws: { ($0 as? ChatError)?.code == .unknownConversation }
  }

  // S8.1
  @Test func `a store of another account is refused`() throws {
    _ = try launch()
    #expect { try DraftController(storage: .folder(bench.scratch.url), user: "mallory") } throws: {
      ($0 as? ChatError)?.code == .storageForeign
    }
  }

  /// A launch with a stored draft, which the app has not been given.
  private func launchWithDraft(_ text: String = "stored") throws -> DraftController {
    do {
      let drafts = try launch()
      drafts.edit(text, in: eg.conversation)
      try drafts.hardSave()
    }
    return try launch()
  }

  // D17.1, D17.2
  @Test func `text that is typed before the draft is restored goes behind it`() throws {
    let drafts = try launchWithDraft()
    drafts.edit("n", in: eg.conversation)
    drafts.edit("new", in: eg.conversation)
    try drafts.hardSave()
    drafts.edit("newer", in: eg.conversation)
    #expect(try texts(drafts) == "stored\nnewer")
    drafts.edit("all of it anew", in: eg.conversation)
    #expect(try texts(drafts) == "all of it anew", "The app had shown what it replaces.")
  }

  // D17.1, D17.2
  @Test func `text that is typed before the draft can be read goes behind it`() throws {
    let drafts = try launchWithDraft()
    try StoreSurgery.hideDrafts(in: drafts.store)
    drafts.edit("n", in: eg.conversation)
    drafts.edit("new", in: eg.conversation)
    #expect(throws: ChatError.self) { try drafts.hardSave() }
    #expect(throws: ChatError.self) { try drafts.restore(in: eg.conversation) }
    try StoreSurgery.showDrafts(in: drafts.store)
    try drafts.hardSave()
    drafts.edit("newer", in: eg.conversation)
    #expect(try texts(drafts) == "stored\nnewer")
  }

  // D17.1
  @Test func `what nobody has seen is neither sent nor discarded`() throws {
    let drafts = try launchWithDraft()
    drafts.edit("new", in: eg.conversation)
    #expect { try drafts.discard(in: eg.conversation) } throws: { ($0 as? ChatError)?.code == .draftChanged }
    try drafts.sendSucceeded("m1", in: eg.conversation)
    #expect(try texts(drafts) == "stored")
    try drafts.discard(in: eg.conversation)
    #expect(try texts(launch()) == nil)
  }

  // D18.2, D18.3, D18.5, D18.6
  @Test func `an emptied text can be taken back, until it is sent or discarded`() throws {
    let drafts = try launchWithDraft("a long thought")
    #expect(try texts(drafts) == "a long thought")
    drafts.edit("", in: eg.conversation)
    let versions = try drafts.versions(in: eg.conversation)
    #expect(versions.map(\.text) == ["a long thought"])
    #expect(try drafts.restoreVersion(versions[0].id, in: eg.conversation).text == "a long thought")
    #expect(try texts(launch()) == "a long thought")
    for end in 0...1 {
      drafts.edit("another thought", in: eg.conversation)
      drafts.edit("", in: eg.conversation)
      #expect(try !drafts.versions(in: eg.conversation).isEmpty)
      drafts.edit("the last", in: eg.conversation)
      if end == 0 { try drafts.sendSucceeded("m1", in: eg.conversation) }
      if end == 1 { try drafts.discard(in: eg.conversation) }
      #expect(try drafts.versions(in: eg.conversation).isEmpty)
    }
  }

  // D18.1
  @Test func `a save writes nothing when nothing changed`() throws {
    let drafts = try launchWithDraft()
    #expect(try texts(drafts) == "stored")
    let saves = try drafts.draftMetrics().saves
    drafts.edit("stored", in: eg.conversation)
    try drafts.hardSave()
    #expect(try drafts.draftMetrics().saves == saves)
  }

  // D1.3, D1.9, D5.1
  @Test func `an edit leaves the new message alone, survives a kill, and ends when it is sent`() throws {
    do {
      let drafts = try launchWithDraft("unsent")
      #expect(try drafts.beginEdit("m1", text: "at eight", in: eg.conversation).text == "at eight")
      #expect(drafts.unfinishedEdit(in: eg.conversation) == nil)
      drafts.edit("at nine", in: eg.conversation)
      try drafts.hardSave()
      #expect(drafts.unfinishedEdit(in: eg.conversation) == "m1")
    }
    let drafts = try launch()
    #expect(try texts(drafts) == "unsent")
    #expect(drafts.unfinishedEdit(in: eg.conversation) == "m1")
    #expect { try drafts.beginEdit("m2", text: "", in: eg.conversation) } throws: {
      ($0 as? ChatError)?.code == .editInProgress
    }
    #expect(try drafts.beginEdit("m1", text: "at eight", in: eg.conversation).text == "at nine")
    drafts.edit("at ten", in: eg.conversation)
    try drafts.sendSucceeded("m1", text: "at nine", in: eg.conversation)
    #expect(try texts(drafts) == "at ten", "It was typed on meanwhile.")
    try drafts.sendSucceeded("m1", text: "at ten", in: eg.conversation)
    #expect(try texts(drafts) == "unsent")
    #expect(drafts.unfinishedEdit(in: eg.conversation) == nil)
    #expect(try texts(launch()) == "unsent")
  }

  // D1.3, D10.7
  @Test func `a cancelled edit gives the new message back, and Undo goes on with the edit`() throws {
    let drafts = try launchWithDraft("unsent")
    _ = try drafts.beginEdit("m1", text: "at eight", in: eg.conversation)
    drafts.edit("at nine", in: eg.conversation)
    try drafts.hardSave()
    #expect(try drafts.cancelEdit(in: eg.conversation).text == "unsent")
    #expect(drafts.unfinishedEdit(in: eg.conversation) == nil)
    #expect(drafts.banner(in: eg.conversation)?.kind == .discarded)
    #expect(try drafts.undoDiscard(in: eg.conversation)?.text == "at nine")
    #expect(drafts.unfinishedEdit(in: eg.conversation) == "m1")
    try drafts.discard(in: eg.conversation)
    #expect(try texts(drafts) == "unsent")
  }

  // D1.7, D16.3, D16.5
  @Test func `a file is kept with the draft, and goes when the draft is sent`() throws {
    let drafts = try launchWithDraft("look")
    let map = try drafts.attach(Data("a map".utf8), name: "map.txt", to: eg.conversation)
    let hill = try drafts.attach(Data("a hill".utf8), name: "hill.png", to: eg.conversation)
    #expect(try drafts.restore(in: eg.conversation)?.content.attachments == [map, hill])
    try drafts.removeAttachment(hill.id, in: eg.conversation)
    #expect(drafts.attachmentFile(hill.checksum) == nil)
    let file = try #require(try launch().attachmentFile(map.checksum))
    #expect(try Data(contentsOf: file) == Data("a map".utf8))
    drafts.edit("look at this", in: eg.conversation)
    try drafts.sendSucceeded("m1", text: "look", attachments: [map], in: eg.conversation)
    #expect(try drafts.restore(in: eg.conversation)?.content == DraftContent("look at this"))
    #expect(drafts.attachmentFile(map.checksum) == nil)
    _ = try drafts.beginEdit("m1", text: "look", in: eg.conversation)
    #expect { try drafts.attach(Data(), name: "x", to: eg.conversation) } throws: {
      ($0 as? ChatError)?.code == .editInProgress
    }
  }

  // D15.1
  @Test func `a conversation with another ID keeps its drafts, under both IDs`() throws {
    let drafts = try launchWithDraft("unsent")
    _ = try drafts.beginEdit("m1", text: "at eight", in: eg.conversation)
    drafts.edit("at nine", in: eg.conversation)
    try drafts.replaceID(of: eg.conversation, with: "server-17")
    #expect(try drafts.restore(in: "server-17")?.text == "at nine")
    drafts.edit("at ten", in: eg.conversation)
    #expect(try drafts.cancelEdit(in: "server-17").text == "unsent")
    try drafts.hardSave()
    #expect(try launch().restore(in: "server-17")?.text == "unsent")
    #expect(try launch().restore(in: eg.conversation)?.text == "unsent")
    #expect { try drafts.replaceID(of: "a", with: "a") } throws: {
      ($0 as? ChatError)?.code == .sameConversation
    }
  }

  // D15.1
  @Test func `a text that was never stored gets the conversation's new ID`() throws {
    let drafts = try launch()
    drafts.edit("typed just now", in: "local")
    try drafts.replaceID(of: "local", with: "server-17")
    try drafts.hardSave()
    #expect(try launch().restore(in: "server-17")?.text == "typed just now")
  }
}
