import Foundation
import Holdfast
import HoldfastRescue
import HoldfastWebSocket

/// Very many messages were written offline: what it takes to start with them, to count them and to send them (rule O12).
@MainActor enum LongQueue {
  /// - Parameter isJudged: whether the aims for 100,000 messages apply.
  static func run(
    _ name: String, count: Int, conversations: Int, isJudged: Bool, on bench: Workbench
  ) async throws -> Findings {
    let place = bench.folder.appendingPathComponent("queue")
    defer { try? FileManager.default.removeItem(at: place) }
    let store = place.appendingPathComponent("store")
    try fill(store, from: place, count: count, conversations: conversations)

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
    let (draining, pauses) = try await drain(client)
    let grown = try Memory.peak() - before

    func outcome(_ what: String, _ value: Double, _ unit: String, aim: Double?) -> Outcome {
      var samples = Samples()
      samples.append(value)
      return outcome(what, samples, unit, aim.map(Aim.value))
    }
    func outcome(_ what: String, _ samples: Samples, _ unit: String, _ aim: Aim?) -> Outcome {
      Outcome(
        name: "\(name): \(what)",
        summary:
          "with \(grouped(count)) messages in \(grouped(conversations)) conversations; drained to a relay on the "
          + "same machine",
        unit: unit, engine: samples, aim: isJudged ? aim : nil)
    }
    let sent = sending.sorted()[sending.count / 2]
    return Findings(outcomes: [
      // As a cold start has for the last 100 messages.
      outcome("open", opening.milliseconds, "ms", aim: 500),
      outcome("list", listing.milliseconds, "ms", aim: nil),
      outcome("count", counting.milliseconds, "ms", aim: 100),
      outcome("send one more", sent.milliseconds, "ms", aim: 10),
      outcome("drain", draining / .seconds(1), "s", aim: 60),
      // A frame of the screen is not missed.
      outcome("main actor waits", pauses, "ms", .tail(16.7)),
      // As values, their texts and IDs alone take about 300 bytes each.
      outcome("memory", grown / 1024, "MB", aim: 20),
    ])
  }

  private static func conversation(_ number: Int) -> ConversationID { ConversationID(rawValue: "c\(number)") }

  /// Imports the messages, as the queue of an earlier app: sending each of them would take a sync each.
  private static func fill(_ store: URL, from place: URL, count: Int, conversations: Int) throws {
    let client = try Rig.openEmpty(in: store)
    for number in 0..<conversations {
      try client.createConversation(conversation(number), members: [Rig.user, "bob"])
    }
    let now = Date().timeIntervalSince1970
    let entries = (0..<count).map { number in
      #"{"id":"\#(UUID().uuidString)","chatID":"\#(conversation(number % conversations))","#
        + #""text":"\#(typedText(number))","timestamp":\#(now),"retryCount":0}"#
    }
    let queue = place.appendingPathComponent("queue.json")
    try Data("[\(entries.joined(separator: ","))]".utf8).write(to: queue)
    let report = try client.importHistory(from: queue)
    guard report.queued == count else { throw BenchmarkFailure("Not queued: \(report.problems)") }
  }

  /// With the models of an app beside it: the list, the link with its progress, and the question about held messages.
  /// Returns the time, and how long the main actor let somebody wait who looked in every 5 ms.
  private static func drain(_ client: ChatClient) async throws -> (time: Duration, pauses: Samples) {
    let (list, link) = (ConversationListModel(client), ConnectionModel(client))
    let start = ContinuousClock.now
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      group.addTask { await list.run() }
      group.addTask { await link.run() }
      group.addTask { for await _ in client.outbox.heldMessages() {} }
      defer { group.cancelAll() }
      var pauses = Samples()
      while try client.outbox.health().waiting > 0 {
        for _ in 0..<100 {
          let planned = ContinuousClock.now + .milliseconds(5)
          try await Task.sleep(until: planned, clock: .continuous)
          pauses.append(planned.duration(to: .now))
        }
        guard start.duration(to: .now) < .seconds(600) else { throw BenchmarkFailure("It does not drain.") }
      }
      return (start.duration(to: .now), pauses)
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
    try await LongQueue.run(name, count: 1_000, conversations: 1, isJudged: false, on: bench)
  }
}

struct LongQueueTrial: Trial {
  static let name = "queue of 100,000"
  static func run(on bench: Workbench) async throws -> Findings {
    try await LongQueue.run(name, count: 99_000, conversations: 1, isJudged: true, on: bench)
  }
}

struct WideQueueTrial: Trial {
  static let name = "queue of 100,000 in 1,000 conversations"
  static func run(on bench: Workbench) async throws -> Findings {
    try await LongQueue.run(name, count: 99_000, conversations: 1_000, isJudged: true, on: bench)
  }
}
