import EngineFixtures
import Foundation
import Simulator
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct HardSaveTests {
  private let bench: Bench
  private let disk: FaultyDisk
  private let gate = FailingGate()

  init() throws {
    bench = try Bench(inMemory: true)
    disk = try FaultyDisk(under: bench.scratch.url)
  }

  private func client() throws -> ChatClient {
    let client = try ChatClient(
      storage: .folder(bench.scratch.url), transport: bench.transport, user: eg.user,
      configuration: ChatConfiguration(environment: bench.environment), gate: gate.gate)
    try client.createConversation(eg.conversation, members: [eg.user, eg.other])
    return client
  }

  private struct Cost: Equatable {
    var transactions: Int
    var syncs: Int64
  }

  /// The cost of one hard save.
  private func cost(_ client: ChatClient) throws -> Cost {
    let (transactions, syncs) = (gate.commits, disk.count(.sync))
    try client.hardSave()
    return Cost(transactions: gate.commits - transactions, syncs: disk.count(.sync) - syncs)
  }

  // D4.4
  @Test(arguments: [1, 2_000])
  func `a hard save of a draft takes one transaction and one sync, whatever the history's length`(
    messages: Int
  ) throws {
    let client = try client()
    for first in stride(from: 1, through: messages, by: 500) {
      try client.takeIn(orders: first...min(messages, first + 499))
    }
    client.drafts.edit("the first words", in: eg.conversation)
    try client.store.emptyJournal()
    // The first transaction in an empty journal syncs the journal's header as well.
    try client.hardSave()
    for number in 0..<10 {
      client.drafts.edit("half a thought, \(number)", in: eg.conversation)
      #expect(try cost(client) == Cost(transactions: 1, syncs: 1))
      #expect(try client.storedDraft()?.text == "half a thought, \(number)")
    }
    #expect(try cost(client) == Cost(transactions: 0, syncs: 0), "Nothing was typed.")
  }

  // D4.4, R8
  @Test func `a hard save takes one transaction for each unsaved draft, and one for all windows`() throws {
    let client = try client()
    try client.createConversation("another", members: [eg.user])
    client.drafts.edit("here", in: eg.conversation)
    client.drafts.edit("there", in: "another")
    for id in ["1", "2", "3"] {
      let opened: OpenedScene<SceneExample.Route, SceneExample.Sheet> = client.reader.openScene(
        SceneID(rawValue: id), version: 1, migrations: [])
      _ = client.scenes.change(
        SceneID(rawValue: id), to: SceneContent(SceneExample.full), opening: opened.opening)
    }
    #expect(try cost(client).transactions == 3)
    #expect(try cost(client).transactions == 0)
  }

  // D4.3, R8.2
  @Test func `when neither a draft nor a window can be stored, the error is the draft's`() throws {
    let client = try bench.client()
    client.drafts.edit(String(repeating: "x", count: Drafts.maximumBytes + 1), in: eg.conversation)
    let opened: OpenedScene<SceneExample.Route, SceneExample.Sheet> = client.reader.openScene(
      "1", version: 1, migrations: [])
    _ = client.scenes.change("1", to: SceneContent(SceneExample.full), opening: opened.opening)
    bench.gate.fail()
    #expect(refusal { try client.hardSave() } == .draftTooLong)
    #expect(client.scenes.problem(of: "1")?.code == .storageFull, "The window was tried all the same.")
    client.drafts.edit("short", in: eg.conversation)
    bench.gate.heal()
    try client.hardSave()
    #expect(try client.storedDraft()?.text == "short")
    #expect(try client.storedScene("1") == SceneExample.full)
  }
}
