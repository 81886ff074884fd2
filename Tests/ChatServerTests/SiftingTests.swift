import Foundation
import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

/// A caller in front of the server sees which messages the server has, and can filter messages out.
@Suite struct SiftingTests {
  @Test func `held-back messages are not accepted, and the others are`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let client = try await bench.client("alice")
    let id = try #require(client.id)
    let send = try JSONEncoder().encode(
      Wire.ClientFrame.send(.init(messages: [eg("a"), eg("b")])))
    await bench.server.receive(send, on: id) { messages, accepted in
      #expect(messages.map(\.id) == ["a", "b"])
      #expect(accepted.isEmpty)
      return [messages[1]]
    }
    #expect(try await bench.server.messages(in: "c").map(\.id) == ["b"])
    await bench.server.receive(send, on: id) { messages, accepted in
      #expect(accepted == ["b"])
      return messages
    }
    #expect(try await bench.server.messages(in: "c").map(\.id) == ["b", "a"])
  }

  @Test func `a frame without messages passes, and so does an invalid frame`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let client = try await bench.client("alice")
    let id = try #require(client.id)
    _ = client.heard()
    for frame in [try JSONEncoder().encode(Wire.ClientFrame.ping), Data("{".utf8)] {
      await bench.server.receive(frame, on: id) { _, _ in
        Issue.record("There is nothing to sift.")
        return []
      }
    }
    #expect(client.heard().count == 2, "A pong, and a failure.")
  }
}
