import EngineFixtures
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

/// Two composers on one conversation. `SmallWorlds` tests every order of their events.
@MainActor @Suite struct DraftTurnTests {
  private let bench: Bench
  private let first: ComposerModel
  private let second: ComposerModel

  init() throws {
    bench = try Bench()
    let client = try bench.client()
    first = ComposerModel(client, EngineExample.conversation)
    second = ComposerModel(client, EngineExample.conversation)
  }

  // D13.1, D13.2, D18.4
  @Test func `the composer in focus writes, and what the other one was typed into is a version`() {
    first.focus()
    first.edit("from the first")
    second.edit("from the second")
    #expect(second.snapshot.text == "from the first", "It follows.")
    #expect(second.snapshot.generation == 1)
    first.edit("from the first, and more")
    #expect(first.snapshot.text == "from the first, and more")
    #expect(first.versions().map(\.text) == ["from the second"])
  }

  // D13.1, D18.4
  @Test
  func `without focus the composer that was typed into last writes, and the replaced text is a version`() {
    first.edit("from the first")
    second.edit("from the second")
    first.refresh()
    #expect(first.snapshot.text == "from the second")
    #expect(first.versions().map(\.text) == ["from the first"])
    first.focus()
    first.blur()
    second.edit("from the second, and more")
    #expect(second.snapshot.text == "from the second, and more")
  }

  // D13
  @Test func `a composer that has followed writes on, whoever has the focus`() {
    first.focus()
    first.edit("one")
    second.refresh()
    second.edit("one two")
    first.refresh()
    #expect(first.snapshot.text == "one two")
    #expect(!first.snapshot.canTakeBack)
  }

  // D13, D18.4: a text field shows a text that the engine has replaced since then.
  @Test func `a keystroke in an older text does not lose what was taken back meanwhile`() async throws {
    let id = try first.client.send("taken back", in: EngineExample.conversation)
    first.edit("typ")
    let generation = first.snapshot.generation
    try await first.client.message(id).takeBack()
    first.refresh()
    #expect(first.snapshot.text == "taken back\ntyp")
    first.edit("type", generation: generation)
    #expect(first.snapshot.text == "type")
    #expect(first.versions().map(\.text) == ["taken back\ntyp"])
  }

  // D8.2, D8.3, D13.3, U3
  @Test func `a window that has not followed cannot bring a sent or discarded text back`() throws {
    for end in [{ _ = $0.send() }, { $0.discard() }] as [@MainActor (ComposerModel) -> Void] {
      first.edit("hello")
      second.refresh()
      end(first)
      second.edit("hello", selection: TextRange(start: 1, end: 1))
      #expect(second.snapshot.text == "")
      #expect(!second.snapshot.canTakeBack, "It is not stored either.")
    }
    first.edit("again")
    second.refresh()
    first.send()
    second.edit("again and more")
    #expect(second.snapshot.text == "")
    #expect(second.versions().map(\.text) == ["again and more"], "What was typed is not lost.")
  }

  // D4.2, D9.1, D10.4, D12.1, D12.2, H2.3
  @Test func `a composer that goes away stores what it holds, and the next one restores it`() throws {
    let client = try bench.client()
    try client.createConversation("other")
    do {
      let left = ComposerModel(client, "other")
      left.edit("half a thought", selection: TextRange(start: 4, end: 4))
    }
    #expect(try client.drafts.stored(in: "other") == ["half a thought"])
    #expect(
      client.drafts.table.withLock { $0[DraftKey(conversation: "other")] == nil },
      "It is forgotten in memory.")
    let entered = ComposerModel(client, "other")
    #expect(entered.snapshot.text == "half a thought")
    #expect(entered.snapshot.selection == TextRange(start: 4, end: 4))
    #expect(entered.snapshot.banner == nil, "A quick switch back is no recovery.")
  }
}
