import EngineFixtures
import Foundation
import Testing

@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastTransport

private typealias eg = FrameExample

/// Detection of a dead link by a connection, and its handling of invalid frames of a server.
@Suite(.timeLimit(.minutes(10))) struct FrameLinkTests {
  private func withLink(
    client: @escaping @Sendable (any TransportConnection, VirtualTime) async throws -> Void = {
      connection, _ in while true { _ = try await connection.receive() }
    },
    server: @escaping @Sendable (FakeRelay, VirtualTime) async throws -> Void
  ) async throws -> (failure: ConnectionFailure?, at: Duration) {
    nonisolated(unsafe) var end: (ConnectionFailure?, Duration) = (nil, .zero)
    try await VirtualTime.run { time in
      let relay = FakeRelay()
      let transport = FrameTransport(connector: relay, environment: time.environment)
      async let script: Void = server(relay, time)
      do {
        try await transport.withConnection(resumingAfter: nil) { try await client($0, time) }
        end = (nil, time.now)
      } catch let failure as ConnectionFailure {
        end = (failure, time.now)
      }
      try await script
    }
    return end
  }

  @Test func `a server that never answers the hello is given up`() async throws {
    let end = try await withLink { relay, _ in _ = try await relay.hear() }
    #expect(end.failure?.reason == .timedOut)
    #expect(end.at == .seconds(10))
  }

  @Test func `a server whose first page never comes is given up`() async throws {
    let end = try await withLink { relay, time in
      _ = try await relay.hear()
      try await time.sleep(until: .seconds(4))
      try relay.say(.welcome(.init(account: "alice", maximumMessageBytes: 1)))
    }
    #expect(end.failure?.reason == .timedOut)
    #expect(end.at == .seconds(14))
  }

  @Test func `a silent link is pinged, and given up when the pong stays out`() async throws {
    let end = try await withLink { relay, time in
      try await relay.welcome()
      try relay.say(.events(eg.page(after: nil, cursor: 0, [])))
      #expect(try await relay.hear() == .ping)
      #expect(time.now == .seconds(15))
    }
    #expect(end.failure?.reason == .timedOut)
    #expect(end.at == .seconds(25))
  }

  @Test func `a link that answers its pings lives on`() async throws {
    let end = try await withLink { relay, time in
      try await relay.welcome()
      try relay.say(.events(eg.page(after: nil, cursor: 0, [])))
      for round in 1...4 {
        #expect(try await relay.hear() == .ping)
        #expect(time.now == .seconds(15 * round))
        try relay.say(.pong(.init()))
      }
      relay.close()
    }
    #expect(end.failure?.reason == .unreachable)
    #expect(end.at == .seconds(60))
  }

  @Test func `a pong from beyond the place reveals a page that was lost`() async throws {
    let end = try await withLink { relay, _ in
      try await relay.welcome()
      try relay.say(.events(eg.page(after: nil, cursor: 1, [1])))
      #expect(try await relay.hear() == .ping)
      try relay.say(.pong(.init(cursor: 2)))
      #expect(try await relay.hear() == .sync(.init(after: 1)))
      try relay.say(.events(eg.page(after: 1, cursor: 2, [2])))
      #expect(try await relay.hear() == .ping)
      try relay.say(.pong(.init(cursor: 2)))
      #expect(try await relay.hear() == .ping)
      relay.close()
    }
    #expect(end.failure?.reason == .unreachable)
  }

  @Test func `a ping that cannot leave does not keep a dead link alive`() async throws {
    let end = try await withLink { relay, _ in
      try await relay.welcome()
      try relay.say(.events(eg.page(after: nil, cursor: 0, [])))
      relay.stopTaking()
    }
    #expect(end.failure?.reason == .timedOut)
    #expect(end.at == .seconds(25))
  }

  @Test func `an engine that is busy for a minute does not lose its link`() async throws {
    let end = try await withLink { connection, time in
      _ = try await connection.receive()
      _ = try await connection.receive()
      try await time.sleep(until: .seconds(60))
      #expect(try await connection.receive() == .items([.message(eg.incoming(2))], cursor: eg.cursor(2)))
    } server: { relay, _ in
      try await relay.welcome()
      try relay.say(.events(eg.page(after: nil, cursor: 1, [1])))
      try relay.say(.events(eg.page(after: 1, cursor: 2, [2])))
    }
    #expect(end.failure == nil)
    #expect(end.at == .seconds(60))
  }

  @Test func `cancelling ends the connection at once`() async throws {
    try await VirtualTime.run { time in
      let relay = FakeRelay()
      let transport = FrameTransport(connector: relay, environment: time.environment)
      await #expect(throws: CancellationError.self) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            try await transport.withConnection(resumingAfter: nil) { connection in
              while true { _ = try await connection.receive() }
            }
          }
          try await relay.welcome()
          group.cancelAll()
          try await group.waitForAll()
        }
      }
      #expect(time.now == .zero)
    }
  }

  @Test func `an item that makes no sense is dropped, and the place goes on`() async throws {
    let hostile: [Wire.Item] = [
      .init(), .init(conversation: .init(id: "", title: nil, members: ["alice"])),
      .init(conversation: .init(id: "c", title: nil, members: ["\u{7}"])),
      .init(message: eg.item(1, id: "")), .init(message: eg.item(1, id: String(repeating: "x", count: 256))),
      .init(message: eg.item(0)), .init(message: eg.item(.min)), .init(message: eg.item(1, role: "emperor")),
      .init(message: eg.item(1, at: .max)), .init(message: eg.item(1, at: .min)),
      .init(message: eg.item(1, sender: "a\nb")),
    ]
    _ = try await withLink { connection, _ in
      _ = try await connection.receive()
      let left = IncomingConversation(id: "c", title: "Plans", members: ["alice", "bob"])
      #expect(
        try await connection.receive()
          == .items([.conversation(left), .message(eg.incoming(9))], cursor: eg.cursor(9)))
      #expect(try await connection.receive() == .items([], cursor: eg.cursor(.max)))
    } server: { relay, _ in
      try await relay.welcome()
      let good: [Wire.Item] = [
        .init(conversation: .init(id: "c", title: "Plans", members: ["alice", "bob"])),
        .init(message: eg.item(9)),
      ]
      try relay.say(.events(.init(after: nil, cursor: 9, items: hostile + good, more: false)))
      try relay.say(.receipts(.init(items: [.init(id: "m", conversation: "c", order: -1, at: eg.at)])))
      try relay.say(.refused(.init(id: "", handover: 1, kind: .gap)))
      try relay.say(
        .piece(
          .init(
            id: "m", conversation: "c", sender: "bob", role: "user", sequence: -1, text: "", reasoning: nil)))
      try relay.say(raw: #"{"type":"confetti","amount":12}"#)
      try relay.say(.events(.init(after: .min, cursor: .min, items: [], more: true)))
      try relay.say(.events(.init(after: 9, cursor: .max, items: [], more: false)))
    }
  }

  @Test(arguments: [
    "", "nothing", "{}", "[]", #"{"type":7}"#, #"{"type":"events"}"#,
    #"{"type":"events","cursor":1e400,"items":[],"more":false}"#,
    #"{"type":"failure","code":"later","explanation":""}"#, String(repeating: "[", count: 100_000),
  ])
  func `a frame that makes no sense ends the connection without a quote of it`(frame: String) async throws {
    let end = try await withLink { relay, _ in
      try await relay.welcome()
      try relay.say(raw: frame)
    }
    let detail = "a frame of \(frame.utf8.count) bytes makes no sense"
    #expect(end.failure == ConnectionFailure(.incompatible, detail: detail))
  }
}
