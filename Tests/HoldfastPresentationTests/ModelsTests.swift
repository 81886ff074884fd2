import EngineFixtures
import Foundation
import Synchronization
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The models as a view uses them. Their updates are awaited through their own observation.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ModelsTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  @Test(arguments: [Int.min, -1, 0, 1, 2, .max])
  func `any limit gives as many rows as there are, and none below 0`(limit: Int) throws {
    let client = try bench.client()
    for text in ["one", "two"] { try client.send(text, in: eg.conversation) }
    let timeline = try client.reader.conversation(eg.conversation, limit: limit)
    #expect(timeline.rows.map(\.text) == ["one", "two"].suffix(max(limit, 0)))
    #expect(timeline.hasOlder == (limit < 2))
    #expect(try client.reader.list(limit: limit).rows.count == (limit < 1 ? 0 : 1))
  }

  // D5.1, D9.1, D10.1, D10.2, U2
  @Test func `a composer restores its draft after a relaunch, with the cursor, as recovered`() throws {
    do {
      let composer = ComposerModel(try bench.client(), eg.conversation)
      composer.edit("hello", selection: TextRange(start: 5, end: 5))
      composer.hardSave()
      #expect(composer.snapshot.problem == nil)
    }
    let composer = ComposerModel(try bench.client(), eg.conversation)
    #expect(
      composer.snapshot
        == ComposerSnapshot(
          text: "hello", selection: TextRange(start: 5, end: 5), generation: 0, canSend: true,
          banner: composer.snapshot.banner, problem: nil))
    #expect(composer.snapshot.banner?.kind == .recovered)
    #expect(composer.snapshot.banner?.text == "Recovered draft • just now")
    composer.edit("hello!", selection: nil)
    #expect(composer.snapshot.banner == nil)
  }

  @Test func `typing leaves the text field alone, and sending does not`() throws {
    let composer = ComposerModel(try bench.client(), eg.conversation)
    composer.edit("h")
    composer.edit("hi")
    #expect(composer.snapshot.generation == 0)
    #expect(composer.snapshot.canSend)
    #expect(composer.send() != nil)
    #expect(composer.snapshot.generation == 1)
    #expect(composer.snapshot.text == "")
    #expect(!composer.snapshot.canSend)
  }

  // D8.2, U3
  @Test func `a sent text never shows up in a composer again`() throws {
    let client = try bench.client()
    let (first, second) = (ComposerModel(client, eg.conversation), ComposerModel(client, eg.conversation))
    first.edit("hello")
    first.hardSave()
    first.send()
    second.hardSave()
    first.hardSave()
    #expect(second.snapshot.text == "")
    #expect(ComposerModel(client, eg.conversation).snapshot.text == "")
    #expect(ComposerModel(try bench.client(), eg.conversation).snapshot.text == "")
  }

  // S4.1, S4.3
  @Test func `a send that fails keeps the text and says why`() throws {
    let client = try bench.client()
    let composer = ComposerModel(client, eg.conversation)
    #expect(composer.send() == nil)
    #expect(composer.snapshot.problem?.isEmpty == false)
    composer.edit("hello")
    #expect(composer.snapshot.problem == nil)
    bench.gate.fail()
    #expect(composer.send() == nil)
    #expect(composer.snapshot.text == "hello")
    #expect(composer.snapshot.generation == 0)
    #expect(composer.snapshot.problem == "The disk is full.")
    composer.hardSave()
    #expect(composer.snapshot.problem == "The disk is full.")
    bench.gate.heal()
    composer.hardSave()
    #expect(composer.snapshot.problem == nil)
    #expect(composer.send() != nil)
    #expect(try client.bodies() == ["hello"])
  }

  @Test func `the text field takes over what the engine replaced`() throws {
    let composer = ComposerModel(try bench.client(), eg.conversation)
    composer.edit("a\0", selection: TextRange(start: 2, end: 2))
    #expect(composer.snapshot.text == "a\u{FFFD}")
    #expect(composer.snapshot.generation == 1)
  }

  // D17.2
  @Test func `a composer that loads late shows both texts, and the text field takes them over`() throws {
    do {
      let composer = ComposerModel(try bench.client(), eg.conversation)
      composer.edit("stored")
      composer.hardSave()
    }
    let client = try bench.client()
    try StoreSurgery.hideDrafts(of: client)
    let composer = ComposerModel(client, eg.conversation)
    #expect(composer.snapshot.problem != nil)
    composer.edit("typ")
    try StoreSurgery.showDrafts(of: client)
    composer.edit("type")
    #expect(composer.snapshot.text == "stored\ntype")
    #expect(composer.snapshot.generation == 1)
    #expect(composer.snapshot.problem == nil)
  }

  // D13.2
  @Test func `two composers on one conversation: the one that is not typed into follows`() async throws {
    let client = try bench.client()
    let (first, second) = (ComposerModel(client, eg.conversation), ComposerModel(client, eg.conversation))
    first.edit("hello", selection: TextRange(start: 5, end: 5))
    await Shown.until({ second.snapshot.text == "hello" }, while: second.run)
    #expect(second.snapshot.generation == 1)
    #expect(first.snapshot.generation == 0)
    // The other composer continues from this text, and no older text returns.
    second.edit("hello, you")
    await Shown.until({ first.snapshot.text == "hello, you" }, while: first.run)
    #expect(client.drafts.text(in: eg.conversation) == "hello, you")
  }

  // O9.3
  @Test func `a message that is taken back appears in the composer`() async throws {
    let client = try bench.client()
    let composer = ComposerModel(client, eg.conversation)
    let id = try client.send("hello", in: eg.conversation)
    await Shown.until({ composer.snapshot.text == "hello" }) {
      _ = try? await client.message(id).takeBack()
      await composer.run()
    }
    #expect(composer.snapshot.generation == 1)
  }

  // D12.2, U5
  @Test func `each conversation keeps its own text`() throws {
    let client = try bench.client()
    try client.createConversation("other")
    let (first, second) = (ComposerModel(client, eg.conversation), ComposerModel(client, "other"))
    first.edit("one")
    second.edit("two")
    #expect(ComposerModel(client, eg.conversation).snapshot.text == "one")
    #expect(ComposerModel(client, "other").snapshot.text == "two")
  }

  // O1.1, O3.1, O3.2, O3.4
  @Test func `a row says the status of its message`() throws {
    let client = try bench.client()
    let id = try client.send("hi", in: eg.conversation)
    func shown() throws -> (MessageStatus.Tone, String?) {
      let row = try #require(ConversationModel(client, eg.conversation).snapshot.rows.first)
      return (row.status.tone, row.status.text)
    }
    for link in [Connectivity.offline, .reconnecting] {
      _ = client.sharedStates.link.set(link)
      #expect(try shown() == (.queued, "Queued - Will send when online"))
    }
    _ = client.sharedStates.link.set(.online)
    #expect(try shown() == (.sending, "Sending..."))
    try client.fail(id)
    #expect(try shown() == (.failed, "Failed - Tap to retry"))
    try client.confirm(id)
    #expect(try shown() == (.delivered, nil))
  }

  // O2.4, H7.3
  @Test func `a timeline follows what is sent`() async throws {
    let client = try bench.client()
    let model = ConversationModel(client, eg.conversation)
    #expect(model.snapshot.rows.isEmpty)
    #expect(model.snapshot.exists)
    #expect(model.snapshot.title == "bob")
    await Shown.until({ model.snapshot.rows.count == 1 }) {
      _ = try? client.send("hi", in: eg.conversation)
      await model.run()
    }
  }

  // H7.2
  @Test func `older messages page in, and the rows that are shown keep their IDs`() async throws {
    let client = try bench.client()
    try client.takeIn(orders: 1...250)
    let model = ConversationModel(client, eg.conversation)
    #expect(model.snapshot.rows.map(\.id) == (151...250).map { MessageID(rawValue: "m\($0)") })
    #expect(model.snapshot.hasOlder)
    model.loadOlder()
    #expect(model.snapshot.rows.count == 200)
    model.loadOlder()
    #expect(model.snapshot.rows.map(\.id) == (1...250).map { MessageID(rawValue: "m\($0)") })
    #expect(!model.snapshot.hasOlder)
    // Later updates keep the loaded rows.
    await Shown.until({ model.snapshot.rows.count == 251 }) {
      _ = try? client.send("hi", in: eg.conversation)
      await model.run()
    }
  }

  // H7, R5
  @Test func `a conversation that is not there says so`() throws {
    let model = ConversationModel(try bench.client(), "nowhere")
    #expect(!model.snapshot.exists)
    #expect(model.snapshot.rows.isEmpty)
    #expect(model.snapshot.title == "")
  }

  // H4.2, H4.3
  @Test func `the list has the newest first, with excerpts, drafts and what is unsent`() throws {
    let client = try bench.client()
    for id in ["a", "b", "c", "d"] as [ConversationID] {
      try client.createConversation(id, title: "Of \(id)")
    }
    try client.send("first line\nsecond line", in: "b")
    try client.takeIn(eg.incoming("m", in: "a", "from bob"), now: .distantPast)
    client.drafts.edit("\n  half a thought\n…", in: "c")
    try client.hardSave()
    let rows = ConversationListModel(client).snapshot.rows
    #expect(rows.map(\.id) == ["a", "b", "d", "c", eg.conversation], "A clock that is wrong orders nothing.")
    #expect(
      rows.map(\.excerpt) == [
        "from bob", "first line", "Nothing written yet", "half a thought", "Nothing written yet",
      ])
    #expect(rows.map(\.isDraft) == [false, false, false, true, false])
    #expect(rows.map(\.unsentCount) == [0, 1, 0, 0, 0])
    #expect(rows.first?.title == "Of a")
    #expect(rows.last?.title == "bob")
  }

  // H4
  @Test func `the list follows`() async throws {
    let client = try bench.client()
    let model = ConversationListModel(client)
    await Shown.until({ model.snapshot.rows.first?.id == "new" }) {
      _ = try? client.createConversation("new")
      await model.run()
    }
  }

  // N2.2, N2.3
  @Test func `the banner follows the link and the queue`() async throws {
    let client = try bench.client()
    let model = ConnectionModel(client)
    #expect(model.banner == nil)
    _ = client.sharedStates.link.set(.offline)
    await Shown.until(
      { model.banner?.text == "Offline - Messages will send when reconnected" }, while: model.run)
    await Shown.until({ model.banner?.text == "Offline - 2 messages queued" }) {
      for text in ["1", "2"] { _ = try? client.send(text, in: eg.conversation) }
      await model.run()
    }
    #expect(model.connectivity == .offline)
  }

  // L1.2
  @Test func `without a server no banner is shown, even while the device has no network`() async throws {
    let client = try ChatClient(
      storage: .folder(bench.scratch.url), transport: DeviceTransport(), user: eg.user,
      configuration: ChatConfiguration(path: NetworkPath(isUp: false), environment: bench.environment))
    let model = ConnectionModel(client)
    _ = client.sharedStates.link.set(.offline)
    await Shown.until({ model.connectivity == .offline }, while: model.run)
    #expect(model.banner == nil)
    #expect(client.connectivity == .offline)
    await Shown.until({ model.connectivity == .reconnecting }) {
      _ = client.sharedStates.link.set(.reconnecting)
      client.store.changes.publish(Changes(link: true))
      await model.run()
    }
    #expect(model.banner == nil)
  }

  // O5.7
  @Test func `who is notified that messages were delivered finds them counted`() async throws {
    let client = try bench.client()
    let ids = try (1...3).map { try client.send("\($0)", in: eg.conversation) }
    for id in ids { try client.transmit(id) }
    let found = Mutex<[Int]>([])
    let subscription = client.store.changes.subscribe(Signal()) { changes in
      if changes.delivered { found.withLock { $0.append(client.sharedStates.outbox.delivered) } }
      return false
    }
    defer { client.store.changes.unsubscribe(subscription) }

    try await client.confirm(ids.map { eg.receipt($0, order: nil) })

    #expect(found.withLock { $0 } == [3])
  }

  // O5.7
  @Test func `a long drain shows its progress`() async throws {
    let client = try bench.client()
    let ids = try (1...40).map { try client.send("\($0)", in: eg.conversation) }
    // A receipt is accepted only for a message that has been sent.
    for id in ids { try client.transmit(id) }
    let model = ConnectionModel(client)
    _ = client.sharedStates.link.set(.online)
    // This is one run. Another run would begin a new count.
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await model.run() }
      group.addTask {
        await Shown.hold { model.progress?.text == "Sending 1 of 40" }
        try? await client.confirm(ids.prefix(3).map { eg.receipt($0, order: nil) })
        await Shown.hold { model.progress?.text == "Sending 4 of 40" }
        _ = try? client.send("one more", in: eg.conversation)
        await Shown.hold { model.progress?.text == "Sending 4 of 41" }
        _ = client.sharedStates.link.set(.reconnecting)
        client.store.changes.publish(Changes(link: true))
        await Shown.hold { model.progress == nil }
      }
      await group.next()
      group.cancelAll()
    }
  }
}
