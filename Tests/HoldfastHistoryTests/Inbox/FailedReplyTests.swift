import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Replies whose model fails.
@Suite struct FailedReplyTests {
  private let bench = try! Bench()
  private static let overloaded = FailureReason(.replyFailed, "The model is overloaded.")

  private func failed(_ text: String? = nil) async throws -> ReplyHandle {
    let reply = try await bench.client().conversation(eg.conversation).beginReply(answering: "request")
    if let text { try await reply.append(text) }
    try await reply.fail("The model is overloaded.")
    return reply
  }

  // L4.1
  @Test
  func `a reply that fails before its first word is a failed row with the reason, after a relaunch too`()
    async throws
  {
    let id = try await failed().id
    let client = try bench.client()
    let row = try client.row(id)
    #expect(row.status.failure == Self.overloaded)
    #expect(row.status == MessageStatus(.failed, failure: Self.overloaded))
    #expect((row.status.text, row.status.tone) == ("Failed", .failed))
    #expect(!row.status.isComplete)
    #expect(row.text == "")
    #expect(row.actions == [.retryReply, .delete])
    #expect(try client.message(id).explain().sentence == "The model is overloaded.")
    #expect(try client.processingRequests().map(\.isInterrupted) == [true])
  }

  // L4.1, L4.2
  @Test func `a reply that fails behind its first words can also be continued`() async throws {
    let id = try await failed("Hel").id
    let client = try bench.client()
    #expect(try client.row(id).text == "Hel")
    #expect(try client.row(id).actions == [.continueReply, .retryReply, .delete])
    let reply = try await client.message(id).continueReply()
    #expect(try client.row(id).status == MessageStatus(.streaming))
    try await reply.interrupt()
    #expect(try client.row(id).status == MessageStatus(.interrupted))
  }

  // L4.2, L4.3
  @Test func `a retried reply takes the place of the failed one`() async throws {
    let id = try await failed().id
    let client = try bench.client()
    let reply = try await client.message(id).retryReply()
    try await reply.append("Hello")
    try await reply.finish()
    #expect(try client.rows().map(\.text) == ["Hello"])
    #expect(try client.rows().map(\.status.state) == [.queued])
    #expect(try client.processingRequests().isEmpty)
  }

  // L4.2, L4.3, L4.4
  @Test(arguments: [nil, "Hel"]) func `a failed reply can be deleted, and nothing of it stays`(text: String?)
    async throws
  {
    let id = try await failed(text).id
    let client = try bench.client()
    #expect(try client.message(id).delete() == nil)
    #expect(try client.rows().isEmpty)
    #expect(try client.processingRequests().isEmpty)
    #expect(try client.outbox.health().waiting == 0)
    #expect(try bench.client().rows().isEmpty)
  }

  // L4.4
  @Test func `a reply that is being written cannot be deleted`() async throws {
    let client = try bench.client()
    let reply = try await client.conversation(eg.conversation).beginReply()
    try await reply.append("Hel")
    #expect(throws: ChatError.self) { try client.message(reply.id).delete() }
    #expect(try client.row(reply.id).text == "Hel")
  }
}
