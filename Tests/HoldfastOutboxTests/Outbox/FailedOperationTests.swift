import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Failed edits, deletions and reactions, and the user's actions on them. Only the intents run.
@Suite(.timeLimit(.minutes(10))) struct FailedOperationTests {
  private let bench: Bench

  init() throws { bench = try Bench(maximumMessageBytes: 100) }

  // O8.5
  @Test func `a failed message's operations wait, and follow it when it is retried`() async throws {
    let client = try bench.client()
    let failed = try client.send("one", in: eg.conversation)
    let reactions = try ["👍", "🎉"].map { try #require(try client.message(failed).react($0)) }
    try client.fail(failed)
    let next = try client.send("two", in: eg.conversation)
    #expect(try client.queue() == [next])
    #expect(try client.row(failed).operation?.status.text == "Reaction waits for its message")
    try await client.message(failed).retry()
    #expect(try client.queue() == [next, failed] + reactions)
  }

  // O8.2, O14
  @Test func `a failed edit shows the server's text, and can be retried or deleted`() async throws {
    let client = try bench.client()
    let id = try client.delivered("one")
    let operation = try #require(try client.message(id).edit(to: "two"))
    try client.fail(operation)
    let shown = try client.row(id)
    #expect(shown.text == "one")
    #expect(shown.editedAt == nil)
    #expect(shown.status.state == .delivered)
    #expect(
      shown.operation
        == MessageRow.Operation(
          id: operation, kind: .edit, text: "two",
          status: MessageStatus(.failed, failure: eg.rejection)))
    #expect(shown.operation?.status.text == "Edit failed - Tap to retry")
    #expect(shown.operation?.status.tone == .failed)
    #expect(shown.operation?.status.failure == eg.rejection)
    try await client.message(operation).retry()
    #expect(try client.queue() == [operation])
    #expect(try client.row(id).text == "two")
    try await client.message(operation).cancel()
    #expect(try client.row(id).text == "one")
    #expect(try client.row(id).operation == nil)
    #expect(try client.outbox.unsentCount() == 0)
  }

  // O14
  @Test func `an edit replaces a failed edit`() throws {
    let client = try bench.client()
    let id = try client.delivered("one")
    let first = try #require(try client.message(id).edit(to: "two"))
    try client.fail(first)
    let second = try #require(try client.message(id).edit(to: "three"))
    #expect(try client.queue() == [second])
    #expect(try client.outbox.unsentCount() == 1)
  }

  // O14
  @Test func `an edit that fails with a newer one behind it goes away without a question`() throws {
    let client = try bench.client()
    let id = try client.delivered("one")
    let first = try #require(try client.message(id).edit(to: "two"))
    try client.transmit(first)
    let second = try #require(try client.message(id).edit(to: "three"))
    try client.fail(first)
    #expect(try client.row(id).operation?.id == second)
    #expect(try client.outbox.unsentCount() == 1)
  }

  // O14
  @Test func `a message that the server refused takes over what was done to it meanwhile`() throws {
    let client = try bench.client()
    let ids = try ["one", "two"].map { try client.send($0, in: eg.conversation) }
    for id in ids { try client.transmit(id) }
    try client.message(ids[0]).edit(to: "eins")
    try client.message(ids[1]).delete()
    try client.comeBack(ids[0], ids[1], isRefused: true)
    for id in ids { try client.fail(id) }
    #expect(try client.rows().map(\.text) == ["eins"])
    #expect(try client.rows().map(\.operation) == [nil])
    #expect(try client.outbox.unsentCount() == 1)
  }

  // O9.5
  @Test func `an operation that may have arrived cannot be cancelled, and no operation can be taken back`()
    async throws
  {
    let client = try bench.client()
    let id = try client.delivered("one")
    let operation = try #require(try client.message(id).edit(to: "two"))
    #expect(await failureCode { try await client.message(operation).takeBack() } == .unknownMessage)
    #expect(try client.queue() == [operation])
    try client.transmit(operation)
    #expect(await failureCode { try await client.message(operation).cancel() } == .tooLate)
  }

  // O9.3, O14
  @Test func `a message that is taken back comes with the text that is shown`() async throws {
    let client = try bench.client()
    let id = try client.send("one", in: eg.conversation)
    try client.transmit(id)
    try client.message(id).edit(to: "two")
    try client.comeBack(id, isRefused: true)
    #expect(try await client.message(id).takeBack().text == "two")
    #expect(try client.outbox.unsentCount() == 0)
  }
}
