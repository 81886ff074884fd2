import EngineFixtures
import Foundation
import Testing

@testable import HoldfastCore
@testable import HoldfastRelay

private typealias eg = FrameExample

@Suite(.timeLimit(.minutes(10))) struct FrameBatchTests {
  private func messages(in frame: Data) throws -> [Wire.Outgoing] {
    let said = try JSONDecoder().decode(Wire.ClientFrame.self, from: frame)
    guard case .send(let send) = said else { return [] }
    return send.messages
  }

  // O1.2
  @Test func `a message is sent as it is, and names members only where there are some`() throws {
    var first = eg.outgoing(1)
    first.members = ["alice", "bob"]
    first.title = "Plans"
    let frames = try FrameBatch([first, eg.outgoing(2)]).frames
    let sent = try messages(in: try #require(frames.first))
    #expect(frames.count == 1)
    #expect(
      sent.first
        == Wire.Outgoing(
          id: "m1", conversation: "c", members: ["alice", "bob"], title: "Plans", role: "user",
          content: MessageContent("hi"), at: eg.at, predecessor: nil, handover: 1))
    #expect(sent.last?.members == nil)
    #expect(sent.last?.predecessor == "m1")
  }

  // O14
  @Test func `an operation is sent with its kind and its target`() throws {
    var message = eg.outgoing(2, body: "better")
    message.operation = MessageOperation(.edit, of: "m1")
    let frame = try #require(try FrameBatch([message]).frames.first)
    guard case .send(let send) = try JSONDecoder().decode(Wire.ClientFrame.self, from: frame) else {
      Issue.record("it is no send")
      return
    }
    #expect(send.messages.first?.operation == .init(kind: "edit", target: "m1"))
    #expect(send.messages.first?.text == "better")
    #expect(send.messages.first?.predecessor == "m1")
  }

  // O5.3
  @Test func `at most 64 messages share a frame, in order`() throws {
    let frames = try FrameBatch((1...150).map { eg.outgoing($0) }).frames
    #expect(try frames.map { try messages(in: $0).count } == [64, 64, 22])
    #expect(try frames.flatMap { try messages(in: $0).map(\.handover) } == Array(1...150))
  }

  @Test func `long messages fill frames of half a megabyte at most`() throws {
    let long = String(repeating: "x", count: 100_000)
    let frames = try FrameBatch((1...20).map { eg.outgoing($0, body: long) }).frames
    #expect(frames.allSatisfy { $0.count <= FrameBatch.comfortableBytes })
    #expect(try frames.flatMap { try messages(in: $0).map(\.handover) } == Array(1...20))
  }

  @Test func `a text that escapes to six times its size still leaves, alone`() throws {
    let escaped = String(repeating: "\u{1}", count: 100_000)
    let batch = try FrameBatch([eg.outgoing(1), eg.outgoing(2, body: escaped), eg.outgoing(3)])
    #expect(try batch.frames.flatMap { try messages(in: $0).map(\.handover) } == [1, 2, 3])
    #expect(batch.frames.contains { $0.count > FrameBatch.comfortableBytes })
    #expect(batch.tooLarge.isEmpty)
  }

  @Test func `a date that no calendar has does not keep a message`() throws {
    var strange = eg.outgoing(1)
    for seconds in [Double.infinity, -.infinity, .nan, 1e300] {
      strange.createdAt = Date(timeIntervalSince1970: seconds)
      #expect(try FrameBatch([strange]).frames.count == 1)
    }
  }

  // O7.11
  @Test func `a message beyond the server's limit is refused here, and those around it leave`() async throws {
    var huge = eg.outgoing(2)
    huge.reasoning = String(repeating: "x", count: 1 << 20)
    let messages = [eg.outgoing(1), huge, eg.outgoing(3)]
    try await VirtualTime.run { time in
      let relay = FakeRelay()
      let transport = FrameTransport(connector: relay, environment: time.environment)
      async let script: Void = {
        try await relay.welcome()
        #expect(try await relay.hear() == .ping)
        try relay.say(.pong(.init()))
      }()
      try await transport.withConnection(resumingAfter: nil) { connection in
        #expect(try await connection.receive() == .ready)
        async let event = connection.receive()
        try await connection.send(messages)
        let reason = FailureReason(.tooLong, "This message is too long to be sent.")
        #expect(try await event == .refused("m2", transmission: 2, .rejected(reason)))
      }
      try await script
      #expect(try self.messages(in: try await relay.hearBytes()).map(\.id) == ["m1"])
      #expect(try self.messages(in: try await relay.hearBytes()).map(\.id) == ["m3"])
    }
  }
}
