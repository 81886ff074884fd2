import ChatServerTesting
import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// 20,000 mutations of valid frames, through the real decoder, the real connection and the real engine.
@Suite(.timeLimit(.minutes(10))) struct FrameFuzzTests {
  private static let mutations = 20_000
  private static let seed: UInt64 = 20_260_101

  /// Thrown when something that the user wrote has changed.
  private struct Changed: Error, CustomStringConvertible {
    var mutation: Int
    var description: String {
      "changed by one of the mutations before number \(mutation + 1) of seed \(FrameFuzzTests.seed)"
    }
  }

  @Test func `no mutation of a frame traps, stops the engine, or changes what the user wrote`() async throws {
    let (events, log) = try await Bench.aside {
      let events = Mutexed(0)
      let log = LogRecorder()
      try Bench.simulate(inMemory: true, log: log) { bench in
        try await bench.running { client in
          let count = try await Self.torment(client, bench)
          events.withLock { $0 = count }
        }
        // The store can be opened again.
        try #require(try bench.client().draft().buffer.content.text == "half a thought")
      }
      return (events.withLock { $0 }, log.lines)
    }
    #expect(events > Self.mutations / 10, "Mutations that all break the frame try nothing.")
    #expect(!log.contains { $0.contains("storage") }, "Nothing it says must stop what comes behind.")
  }

  /// Applies the mutations, and returns the number of those that could be decoded.
  private static func torment(_ client: ChatClient, _ bench: Bench) async throws -> Int {
    let own = try await fill(client, bench)
    var fuzz = FrameMutations(seed: seed, own: own.map(\.id))
    let next = Mutexed<Data?>(nil)
    let empty = ConnectionFailure(.unreachable, detail: "nothing more to say")
    let channel = MemoryChannel { _ in
    } receive: {
      guard let frame = next.withLock({ $0.take() }) else { throw empty }
      return frame
    }
    var connection = connect(channel, bench)
    var events = 0
    for number in 1...mutations {
      next.withLock { $0 = fuzz.next() }
      do {
        while true {
          let event = try await connection.receive()
          guard event != .ready else { continue }
          events += 1
          bench.transport.say(event)
        }
      } catch let failure as ConnectionFailure {
        if failure != empty { connection = connect(channel, bench) }
      }
      guard number.isMultiple(of: 50) else { continue }
      try await bench.rest()
      try check(own, client, after: number)
    }
    return events
  }

  private static func fill(_ client: ChatClient, _ bench: Bench) async throws -> [(
    id: MessageID, text: String
  )] {
    bench.transport.say(.ready)
    bench.transport.say(.items([.message(eg.incoming("m1", order: 1))], cursor: SyncCursor(rawValue: "1")))
    bench.transport.say(.piece(eg.piece(0, "Once")))
    try await bench.pass(.seconds(1))
    let own = try ["one", "two", "three"].map { (id: try client.send($0, in: eg.conversation), text: $0) }
    client.drafts.edit("half a thought", in: eg.conversation)
    try client.drafts.save(in: eg.conversation)
    try await bench.rest()
    return own
  }

  private static func connect(_ channel: MemoryChannel, _ bench: Bench) -> FrameConnection {
    FrameConnection(
      channel: channel, environment: bench.environment, cursor: SyncCursor(rawValue: "1"),
      heartbeat: FrameHeartbeat(interval: .seconds(15), timeout: .seconds(10)))
  }

  private static func check(
    _ own: [(id: MessageID, text: String)], _ client: ChatClient, after number: Int
  ) throws {
    let stored = try client.store.read { db in try own.map { try db.messages.editable($0.id) } }
    let expected = own.map { message in
      EditableMessage(
        conversation: eg.conversation.key, sender: eg.user, content: MessageContent(message.text))
    }
    guard stored == expected,
      try client.drafts.stored(in: eg.conversation) == ["half a thought"],
      client.drafts.text(in: eg.conversation) == "half a thought"
    else { throw Changed(mutation: number) }
  }
}
