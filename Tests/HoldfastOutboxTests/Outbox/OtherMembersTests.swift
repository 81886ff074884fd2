import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// A conversation of other members under the ID of one that was begun here (rule E1).
@Suite(.timeLimit(.minutes(10))) struct OtherMembersTests {
  private let bench: Bench

  init() throws { bench = try Bench(inMemory: true) }

  private func knowing(_ members: [UserID]) throws -> ChatClient {
    let client = try bench.client()
    try client.createConversation("pair", members: [eg.other])
    try client.send("one", in: "pair")
    try client.send("two", in: "pair")
    try client.takeIn(IncomingConversation(id: "pair", title: nil, members: members))
    return client
  }

  // E1.4
  @Test(arguments: [["mallory", eg.user], [eg.user, eg.other, "mallory"]])
  func `what was written to some is not sent to others before its user has seen who they are`(
    _ members: [UserID]
  ) async throws {
    let client = try knowing(members)
    let rows = try client.reader.conversation("pair", limit: 10).rows
    #expect(rows.map(\.status.state) == [.failed, .failed])
    #expect(rows.map(\.status.failure) == [FailureReason(.otherMembers), FailureReason(.otherMembers)])
    #expect(Set(try client.conversation("pair").members()) == Set(members))
    try await client.message(rows[0].id).retry()
    #expect(try client.reader.conversation("pair", limit: 10).rows.map(\.status.state) == [.failed, .queued])
    // The user has seen the members: later states of the server change nothing.
    try client.takeIn(IncomingConversation(id: "pair", title: nil, members: members + ["carol"]))
    #expect(try client.reader.conversation("pair", limit: 10).rows.map(\.status.state) == [.failed, .queued])
  }

  // E1.4
  @Test(arguments: [[eg.user, eg.other], [eg.other, eg.user], [eg.user]])
  func `where nobody else is, what waits goes on`(_ members: [UserID]) throws {
    let client = try knowing(members)
    #expect(try client.reader.conversation("pair", limit: 10).rows.map(\.status.state) == [.queued, .queued])
  }
}
