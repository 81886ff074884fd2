import Foundation
import Holdfast
import HoldfastWebSocket

/// Very many messages were written offline: what it takes to start with them, to count them and to send them.
///
/// It runs only when it is named: filling the store alone takes minutes on a disk that syncs.
@MainActor enum LongQueue {
  static func run(
    _ name: String, count: Int, conversations: Int, on bench: Workbench
  ) async throws -> Findings {
    let place = bench.folder.appendingPathComponent("queue")
    defer { try? FileManager.default.removeItem(at: place) }
    let store = place.appendingPathComponent("store")
    try fill(store, count: count, conversations: conversations)

    let relay = try RelayProcess(data: place.appendingPathComponent("relay"), messagesPerSecond: 1_000_000)
    defer { relay.stop() }
    let transport = WebSocketTransport(url: URL(string: "ws://127.0.0.1:\(relay.port)/v1/connect")!) {
      RelayProcess.token
    }
    let before = try Memory.forgetPeak()
    let (client, opening) = try timed { try Rig.open(store, transport) }
    let (list, listing) = try await timed { () async throws -> ConversationListSnapshot in
      for await list in client.conversations() { return list }
      throw BenchmarkFailure("There is no list.")
    }
    let (health, counting) = try timed { try client.outbox.health() }
    guard health.waiting == count, !list.rows.isEmpty else {
      throw BenchmarkFailure("The queue is not there.")
    }
    let sending = try (1...20).map { number in
      try timed { try client.send(typedText(number), in: Self.conversation(0)) }.time
    }
    let draining = try await drain(client)
    let peak = try Memory.peak()

    func outcome(_ what: String, _ time: Duration) -> Outcome {
      var samples = Samples()
      samples.append(time / .milliseconds(1))
      return Outcome(
        name: "\(name): \(what)", summary: "with \(count) queued in \(conversations)", engine: samples)
    }
    func memory(_ what: String, _ kilobytes: Double) -> Outcome {
      var samples = Samples()
      samples.append(kilobytes / 1024)
      return Outcome(
        name: "\(name): \(what)", summary: "resident, of this process", unit: "MB", engine: samples)
    }
    return Findings(outcomes: [
      outcome("open", opening), outcome("list", listing), outcome("count", counting),
      outcome("send one more", sending.sorted()[sending.count / 2]), outcome("drain", draining),
      memory("before it opens", before), memory("peak until it is drained", peak),
    ])
  }

  private static func conversation(_ number: Int) -> ConversationID { ConversationID(rawValue: "c\(number)") }

  private static func fill(_ store: URL, count: Int, conversations: Int) throws {
    let client = try Rig.openEmpty(in: store)
    for number in 0..<conversations {
      try client.createConversation(conversation(number), members: [Rig.user, "bob"])
    }
    for number in 0..<count { try client.send(typedText(number), in: conversation(number % conversations)) }
  }

  /// With the models of an app beside it: the list, the link with its progress, and the question about held messages.
  private static func drain(_ client: ChatClient) async throws -> Duration {
    let (list, link) = (ConversationListModel(client), LinkModel(client))
    let start = ContinuousClock.now
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      group.addTask { await list.run() }
      group.addTask { await link.run() }
      group.addTask { for await _ in client.outbox.heldMessages() {} }
      defer { group.cancelAll() }
      while try client.outbox.health().waiting > 0 {
        try await Task.sleep(for: .milliseconds(500))
        guard start.duration(to: .now) < .seconds(600) else { throw BenchmarkFailure("It does not drain.") }
      }
      return start.duration(to: .now)
    }
  }

  private static func timed<Value>(_ body: () throws -> Value) rethrows -> (value: Value, time: Duration) {
    let start = ContinuousClock.now
    let value = try body()
    return (value, start.duration(to: .now))
  }

  private static func timed<Value: Sendable>(
    _ body: () async throws -> Value
  ) async rethrows -> (value: Value, time: Duration) {
    let start = ContinuousClock.now
    let value = try await body()
    return (value, start.duration(to: .now))
  }
}

struct ShortQueueTrial: Trial {
  static let name = "queue of 1,000"
  static func run(on bench: Workbench) async throws -> Findings {
    try await LongQueue.run(name, count: 1_000, conversations: 1, on: bench)
  }
}

struct LongQueueTrial: Trial {
  static let name = "queue of 100,000"
  static func run(on bench: Workbench) async throws -> Findings {
    try await LongQueue.run(name, count: 99_000, conversations: 1, on: bench)
  }
}

struct WideQueueTrial: Trial {
  static let name = "queue of 100,000 in 1,000 conversations"
  static func run(on bench: Workbench) async throws -> Findings {
    try await LongQueue.run(name, count: 99_000, conversations: 1_000, on: bench)
  }
}
