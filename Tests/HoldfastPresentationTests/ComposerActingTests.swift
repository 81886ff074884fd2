import EngineFixtures
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The actions that a row offers, performed by a composer.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ComposerActingTests {
  private let client: ChatClient
  private let composer: ComposerModel

  init() throws {
    client = try Bench().client()
    composer = ComposerModel(client, eg.conversation)
  }

  private func row(of id: MessageID) throws -> MessageRow {
    try #require(try client.rows().first { $0.id == id })
  }

  // O9.2, O9.4
  @Test func `a queued message is cancelled, and one is edited in the composer`() async throws {
    let first = try client.send("first", in: eg.conversation)
    let second = try client.send("second", in: eg.conversation)
    #expect(await composer.perform(.cancel, on: try row(of: first)))
    #expect(await composer.perform(.edit, on: try row(of: second)))
    composer.refresh()
    #expect(try client.rows().isEmpty)
    #expect(composer.snapshot.text == "second")
    #expect(composer.editing == nil)
  }

  // O8.2
  @Test func `a failed message is tried again, or deleted`() async throws {
    let id = try client.send("hi", in: eg.conversation)
    try client.fail(id)
    #expect(await composer.perform(.retry, on: try row(of: id)))
    #expect(try row(of: id).status.state == .queued)
    try client.fail(id)
    #expect(await composer.perform(.delete, on: try row(of: id)))
    #expect(try client.rows().isEmpty)
  }

  // O14.1, O14.2
  @Test func `a delivered message is edited in place, and deleted for everybody`() async throws {
    let id = try client.delivered("hi")
    #expect(await composer.perform(.edit, on: try row(of: id)))
    #expect(composer.editing == id)
    #expect(composer.snapshot.text == "hi")
    composer.cancelEdit()
    #expect(await composer.perform(.delete, on: try row(of: id)))
    #expect(try row(of: id).isDeleted)
  }

  // O9.5
  @Test func `an action that comes too late changes nothing, and the composer says why`() async throws {
    let id = try client.send("hi", in: eg.conversation)
    let offered = try row(of: id)
    try client.confirm(id)
    #expect(await composer.perform(.cancel, on: offered))
    #expect(composer.snapshot.problemCode == .tooLate)
    #expect(try row(of: id).status.state == .delivered)
  }

  @Test(arguments: [.info, .decide, .react, .continueReply, .retryReply] as [MessageRow.Action])
  func `an action that needs something of the view is left to it`(action: MessageRow.Action) async throws {
    let id = try client.send("hi", in: eg.conversation)
    let offered = try row(of: id)
    #expect(await composer.perform(action, on: offered) == false)
    #expect(try row(of: id) == offered)
    #expect(composer.snapshot.problem == nil)
  }
}
