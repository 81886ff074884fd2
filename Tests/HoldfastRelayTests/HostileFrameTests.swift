import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRelay

private typealias eg = EngineExample

/// Frames of a broken or hostile server. Nothing traps, and no data of the user changes in the store.
@Suite(.timeLimit(.minutes(10))) struct HostileFrameTests {
  /// The stored contents that no frame can change.
  private struct Picture: Equatable, Sendable {
    struct Row: Equatable, Sendable {
      var id: MessageID
      var sender: UserID
      var text: String
      var isDelivered: Bool
      var failure: FailureReason?
    }

    var rows: [Row]
    var draft: String
    var storedDrafts: [String]
    var unsent: Int
    var conversations: Set<String>

    init(_ client: ChatClient) throws {
      rows = try client.rows().map { row in
        Row(
          id: row.id, sender: row.sender, text: row.text, isDelivered: !row.status.isUnsent,
          failure: row.status.failure)
      }
      draft = client.drafts.text(in: eg.conversation)
      storedDrafts = try client.drafts.stored(in: eg.conversation)
      unsent = try client.outbox.unsentCount()
      conversations = Set(try client.reader.list(limit: 1000).rows.map { "\($0.id) \($0.title)" })
    }
  }

  private struct Observed: Sendable {
    var before: Picture
    /// The contents while the client continues, and after a relaunch.
    var afterwards: [Picture]
  }

  /// Sends `frames` to a client whose store has data of every kind: messages of others, a message of the user in
  /// flight, a failed message, a draft, and a reply that is still being written.
  private static func deliver(_ frames: [Data]) async throws -> Observed {
    try await Bench.aside {
      let pictures = Mutexed<[Picture]>([])
      try Bench.simulate(inMemory: true) { bench in
        let relay = FakeRelay()
        let client = try relay.client(on: bench)
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { await client.run() }
          defer { group.cancelAll() }
          try await fill(client, relay, bench)
          let before = try Picture(client)
          for frame in frames { try relay.say(frame) }
          try await bench.pass(.seconds(2))
          let after = try Picture(client)
          pictures.withLock { $0 = [before, after] }
        }
        let relaunched = try Picture(try relay.client(on: bench))
        pictures.withLock { $0.append(relaunched) }
      }
      let all = pictures.withLock { $0 }
      return Observed(before: all[0], afterwards: Array(all[1...]))
    }
  }

  private static func fill(_ client: ChatClient, _ relay: FakeRelay, _ bench: Bench) async throws {
    try await relay.welcome()
    let messages = [eg.known("m1", order: 1), eg.known("m2", order: 2)]
    try relay.say(
      .events(
        .init(
          after: nil, cursor: 3,
          items: [
            .init(conversation: .init(id: eg.conversation.rawValue, title: nil, members: ["alice", "bob"]))
          ] + messages.map { .init(message: $0) }, more: false)))
    try relay.say(.piece(eg.wirePiece(0, "Once")))
    try await bench.pass(.seconds(1))
    let failed = try client.send("failed", in: eg.conversation)
    _ = try await relay.hear()
    try relay.say(
      .refused(.init(id: failed.rawValue, handover: 1, kind: .rejected, explanation: "No.")))
    try await bench.rest()
    let waiting = try client.send("on its way", in: eg.conversation)
    _ = try await relay.hear()
    client.drafts.edit("half a thought", in: eg.conversation)
    try client.drafts.save(in: eg.conversation)
    // The frames of the tables name these IDs.
    try #require([failed, waiting] == [eg.failedID, eg.waitingID])
  }

  @Test(arguments: HostileFrame.withoutEffect)
  func `an invalid frame changes nothing in the store`(hostile: HostileFrame) async throws {
    let observed = try await Self.deliver(hostile.frames)
    #expect(observed.before.unsent == 2)
    for after in observed.afterwards { #expect(after == observed.before) }
  }

  @Test(arguments: HostileFrame.welcome)
  func `a valid frame changes something`(frame: HostileFrame) async throws {
    let observed = try await Self.deliver(frame.frames)
    for after in observed.afterwards { #expect(after != observed.before) }
  }

  @Test(arguments: HostileFrame.withinTheServersRights)
  func `valid frames with absurd values change nothing that the user wrote`(
    hostile: HostileFrame
  ) async throws {
    let observed = try await Self.deliver(hostile.frames)
    let before = observed.before
    let known = Set(before.rows.map(\.id))
    for after in observed.afterwards {
      #expect(after.draft == before.draft)
      #expect(after.storedDrafts == before.storedDrafts)
      #expect(after.unsent == before.unsent)
      let kept = after.rows.filter { known.contains($0.id) }
      #expect(kept.map(\.text).sorted() == before.rows.map(\.text).sorted())
      #expect(Set(after.rows.map(\.id)).count == after.rows.count)
      for row in after.rows {
        #expect(row.failure?.explanation.utf8.count ?? 0 < 2000, "A sentence for the user has an end.")
      }
    }
  }
}
