import ChatServer
import ChatServerTesting
import Foundation
import Holdfast
import HoldfastRelay
import HoldfastTesting
import NIOWebSocket
import Simulator
import Testing

@testable import holdfast_lab
@testable import HoldfastCommand

/// The layer in front of the real server: the frames that the client gets, and the messages that the server has.
@Suite(.timeLimit(.minutes(10))) struct FaultLayerTests {
  private func withServer(
    _ body: (FaultLayer, ChatServer, OutboundQueue, any ConnectionInterceptor, ConnectionID) async throws ->
      Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "faults-\(ChatEnvironment().makeID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try ChatServer(folder: folder)
    try await server.register("alice", token: "secret")
    let (layer, queue) = (FaultLayer(), OutboundQueue())
    let gate = try #require(layer.connection(to: server, queue))
    let id = try await server.connect(token: "secret") { gate.push($0) }
    await gate.receive(try Self.encoded(.hello(.init(after: nil))), on: id)
    try await body(layer, server, queue, gate, id)
    await server.stop()
  }

  private static func encoded(_ frame: Wire.ClientFrame) throws -> Data { try JSONEncoder().encode(frame) }

  private static func send(_ id: String, handover: Int64 = 1) throws -> Data {
    try encoded(
      .send(
        .init(messages: [
          .init(
            id: id, conversation: "c", members: ["alice"], title: nil, role: "user",
            content: MessageContent("hi"), at: 0, predecessor: nil, handover: handover)
        ])))
  }

  /// Everything that was written to the socket, once the socket is closed.
  private static func heard(_ queue: OutboundQueue) async throws -> [Wire.ServerFrame] {
    queue.finish()
    var frames: [Wire.ServerFrame] = []
    for await frame in queue.frames where frame.opcode == .text {
      frames.append(try JSONDecoder().decode(Wire.ServerFrame.self, from: Data(frame.data.readableBytesView)))
    }
    return frames
  }

  @Test func `a refused message gets a refusal, and the server does not have it`() async throws {
    try await withServer { layer, server, queue, gate, id in
      layer.obey(FaultOrder(type: .refuse, count: 1))
      await gate.receive(try Self.send("a"), on: id)
      #expect(try await server.messages(in: "c").isEmpty)
      await gate.receive(try Self.send("a", handover: 2), on: id)
      #expect(try await server.messages(in: "c").map(\.id) == ["a"])
      let refusals = try await Self.heard(queue).compactMap { frame -> Wire.Refused? in
        if case .refused(let refused) = frame { refused } else { nil }
      }
      #expect(refusals.map(\.kind) == [.rejected])
      #expect(refusals.first?.explanation?.isEmpty == false)
    }
  }

  // O6
  @Test func `a lost receipt: the server has the message, and the client gets no answer`() async throws {
    try await withServer { layer, server, queue, gate, id in
      layer.obey(FaultOrder(type: .loseReceipts, count: 1))
      await gate.receive(try Self.send("a"), on: id)
      #expect(try await server.messages(in: "c").map(\.id) == ["a"])
      await queue.untilEnding()
      let heard = try await Self.heard(queue)
      #expect(heard.count == 2, "The welcome and the first page, and nothing of the message.")
    }
  }

  // O5
  @Test func `a slow server answers each message by itself, in order`() async throws {
    try await withServer { layer, server, queue, gate, id in
      layer.obey(FaultOrder(type: .slow, seconds: 60))
      let messages = ["a", "b"].map {
        Wire.Outgoing(
          id: $0, conversation: "c", members: ["alice"], title: nil, role: "user",
          content: MessageContent("hi"),
          at: 0, predecessor: $0 == "b" ? "a" : nil, handover: $0 == "b" ? 2 : 1)
      }
      await gate.receive(try Self.encoded(.send(.init(messages: messages))), on: id)
      #expect(try await server.messages(in: "c").map(\.id) == ["a", "b"])
      let receipts = try await Self.heard(queue).filter { if case .receipts = $0 { true } else { false } }
      #expect(receipts.count == 2)
    }
  }

  @Test func `each change of what is done wrong is reported, also the end of a wait`() throws {
    // In virtual time, because a busy machine may take longer than a real second to report.
    let scheduler = SeededScheduler(seed: 1)
    var environment = ChatEnvironment()
    environment.uptime = { scheduler.now }
    environment.sleep = { try await scheduler.sleep(until: $0) }
    let layer = FaultLayer(environment: environment)
    try scheduler.run {
      let (reports, report) = AsyncStream.makeStream(of: FaultReport.self)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await layer.report { report.yield($0) } }
        defer { group.cancelAll() }
        var iterator = reports.makeAsyncIterator()
        layer.obey(FaultOrder(type: .refuse, count: 2))
        #expect(await iterator.next() == FaultReport(refusals: 2))
        layer.obey(FaultOrder(type: .behave))
        #expect(await iterator.next() == FaultReport())
        layer.obey(FaultOrder(type: .unavailable, seconds: 1))
        let unavailable = await iterator.next()
        #expect(unavailable?.unavailableUntil != nil)
        #expect(await iterator.next() == FaultReport(), "It serves again by itself.")
        #expect(scheduler.now == .seconds(1))
      }
    }
  }
}
