import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransport
import Synchronization
import Testing

/// The faults at a transport's boundary.
@Suite(.timeLimit(.minutes(10))) struct FaultyTransportTests {
  private static let message = OutgoingMessage(
    id: "m1", conversation: "c", content: MessageContent("hi"), createdAt: Date(timeIntervalSince1970: 1),
    transmission: 1)
  private static let receipt = TransportEvent.receipts([
    Receipt(id: "m1", conversation: "c", order: 1, createdAt: Date(timeIntervalSince1970: 1))
  ])

  private func send(over transport: FaultyTransport) async throws {
    try await transport.withConnection(resumingAfter: nil) { try await $0.send([Self.message]) }
  }

  /// Sends the message, and returns the events that arrive before the connection ends.
  ///
  /// - Parameter scripted: the backend that ends the connection after its events. Nil: a fault ends it.
  private func events(
    over transport: FaultyTransport, endingWith scripted: ScriptedTransport? = nil
  ) async -> [TransportEvent] {
    let events = Mutex<[TransportEvent]>([])
    try? await transport.withConnection(resumingAfter: SyncCursor(rawValue: "9")) { connection in
      try await connection.send([Self.message])
      scripted?.hangUp()
      while true {
        let event = try await connection.receive()
        events.withLock { $0.append(event) }
      }
    }
    return events.withLock { $0 }
  }

  @Test func `a connection that is lost before a message leaves hands nothing to the transport, once`()
    async throws
  {
    let scripted = ScriptedTransport()
    let faulty = FaultyTransport(scripted)
    faulty.lose(.beforeItLeaves, at: .message)
    await #expect(throws: ConnectionFailure.self) { try await send(over: faulty) }
    #expect(scripted.sent.isEmpty)
    #expect(faulty.struck == 1)
    try await send(over: faulty)
    #expect(scripted.sent.map(\.id) == ["m1"])
    #expect(faulty.transmissions.map(\.connection) == [1, 2])
  }

  @Test func `a connection that is lost once a message has left has handed it to the transport`() async throws
  {
    let scripted = ScriptedTransport()
    let faulty = FaultyTransport(scripted)
    faulty.lose(.afterItLeft, at: .message)
    await #expect(throws: ConnectionFailure.self) { try await send(over: faulty) }
    #expect(scripted.sent.map(\.id) == ["m1"])
  }

  @Test func `an answer is lost with the connection`() async {
    let scripted = ScriptedTransport()
    let faulty = FaultyTransport(scripted)
    faulty.lose(.withItsAnswer, at: .message)
    scripted.say(.ready, Self.receipt)
    #expect(await events(over: faulty) == [.ready])
    #expect(faulty.struck == 1)
  }

  @Test func `a fault waits for the next connection when one ends by itself`() async {
    let scripted = ScriptedTransport()
    let faulty = FaultyTransport(scripted)
    faulty.lose(.withItsAnswer, at: .message)
    scripted.say(.ready)
    #expect(await events(over: faulty, endingWith: scripted) == [.ready])
    #expect(faulty.struck == 0)
    scripted.say(.ready, Self.receipt)
    #expect(await events(over: faulty) == [.ready])
    #expect(faulty.struck == 1)
  }

  @Test func `events come twice, receipts not at all, and a connection begins at the beginning`() async {
    let scripted = ScriptedTransport()
    let faulty = FaultyTransport(scripted)
    (faulty.repeatsEvents, faulty.forgetsPlace, faulty.withholdsReceipts) = (true, true, true)
    let page = TransportEvent.items([], cursor: SyncCursor(rawValue: "10"))
    scripted.say(page, Self.receipt)
    #expect(await events(over: faulty, endingWith: scripted) == [page, page])
    #expect(scripted.cursors == [nil])
  }
}
