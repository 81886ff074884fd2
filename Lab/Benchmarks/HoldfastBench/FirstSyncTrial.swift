import Foundation
import GRDB
import Holdfast
import HoldfastWebSocket

/// A new phone of an account with many long conversations: what it takes until its list is whole, with the newest
/// hundred messages of each (rule B6).
@MainActor enum FirstSync {
  static let roundTrip: Duration = .milliseconds(50)
  static let newest = 100

  /// - Parameters:
  ///   - length: the messages of each conversation.
  ///   - longest: the messages of one more conversation.
  static func run(
    _ name: String, conversations: Int, length: Int, longest: Int, on bench: Workbench
  ) async throws -> Findings {
    let place = bench.folder.appendingPathComponent("first-sync")
    defer { try? FileManager.default.removeItem(at: place) }
    let data = place.appendingPathComponent("relay")
    try RelayProcess(data: data).stop()
    let lengths = Array(repeating: length, count: conversations) + [longest]
    bench.report("\(name): filling the relay")
    try fill(data.appendingPathComponent("server.sqlite"), lengths)

    bench.report("\(name): the phone")
    let relay = try RelayProcess(data: data, messagesPerSecond: 1_000_000)
    defer { relay.stop() }
    let link = try SlowLink(to: relay.port, roundTrip: roundTrip)
    defer { link.close() }
    let transport = WebSocketTransport(
      url: URL(string: "ws://127.0.0.1:\(link.port)/v1/connect")!, newest: newest
    ) { RelayProcess.token }
    let store = place.appendingPathComponent("store")
    let (before, written) = (try Memory.forgetPeak(), try WrittenBytes.count())
    let client = try Rig.open(store, transport)
    let start = ContinuousClock.now
    var (first, whole) = (Duration.zero, Duration.zero)
    var (byLength, filled): ([Samples], Int) = ([], 0)
    try await bench.withRunning(client) {
      for await list in client.conversations(limit: lengths.count + 1) {
        if first == .zero, !list.rows.isEmpty { first = start.duration(to: .now) }
        if list.rows.count == lengths.count { break }
      }
      whole = start.duration(to: .now)
      filled = try client.conversation(conversation(0)).messages(last: length).count
      let pages = min(bench.samples ?? 20, length / newest - 1)
      for number in [0, lengths.count - 1] {
        byLength.append(try await readBack(conversation(number), pages: pages, client))
      }
    }
    guard filled == min(newest, length) else {
      throw BenchmarkFailure(
        "The phone has \(filled) messages of a conversation, and not the newest \(newest).")
    }
    let messages = lengths.reduce(0) { $0 + min(newest, $1) }
    func outcome(_ what: String, _ value: Double, _ unit: String) -> Outcome {
      var samples = Samples()
      samples.append(value)
      return outcome(what, samples, unit)
    }
    func outcome(_ what: String, _ samples: Samples, _ unit: String) -> Outcome {
      Outcome(
        name: "\(name): \(what)",
        summary:
          "a new phone gets the newest \(newest) messages of each conversation, \(grouped(messages)) in all; the relay has "
          + "\(grouped(conversations)) conversations of \(grouped(length)); the link takes 50 ms there and back",
        unit: unit, engine: samples)
    }
    let received = Double(link.receivedBytes) / 1e6
    let pages = zip(["page of older", "page of older, of \(grouped(longest))"], byLength)
    return Findings(
      outcomes: [
        outcome("first rows", first / .seconds(1), "s"), outcome("whole list", whole / .seconds(1), "s"),
        outcome("received", received, "MB"),
        outcome("written", Double(try WrittenBytes.count() - written) / 1e6, "MB"),
        outcome("peak memory", (try Memory.peak() - before) / 1000, "MB"),
      ] + pages.map { outcome($0, $1, "ms") })
  }

  /// The times from asking for a page of older messages until it is stored.
  private static func readBack(
    _ id: ConversationID, pages: Int, _ client: ChatClient
  ) async throws -> Samples {
    let chat = client.conversation(id)
    var samples = Samples()
    for page in 1...max(pages, 1) {
      let start = ContinuousClock.now
      guard chat.fetchOlder() else { throw BenchmarkFailure("There is nothing older.") }
      for await timeline in chat.timeline(limit: (page + 2) * newest)
      where timeline.rows.count > page * newest {
        break
      }
      samples.append(start.duration(to: .now))
    }
    return samples
  }

  private static func conversation(_ number: Int) -> ConversationID {
    ConversationID(rawValue: "eg-\(number)")
  }

  /// Writes messages into the relay's database, as it would have stored them one by one. Their words are not indexed.
  private static func fill(_ file: URL, _ lengths: [Int]) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    let queue = try DatabaseQueue(path: file.path, configuration: configuration)
    for (number, length) in lengths.enumerated() {
      let id = conversation(number).rawValue
      try queue.write { db in
        try db.execute(
          sql: "INSERT INTO conversation (id, title, lastOrder) VALUES (?, ?, ?)",
          arguments: [id, "Number \(number)", length])
        for (place, account) in ["alice", "bob"].enumerated() {
          try db.execute(
            sql: "INSERT INTO member (conversation, account, place) VALUES (?, ?, ?)",
            arguments: [id, account, place])
        }
        try db.execute(sql: Self.messages, arguments: [length, id])
        try db.execute(
          sql: """
            INSERT INTO event (conversation, message)
            SELECT conversation, id FROM message WHERE conversation = ? ORDER BY "order"
            """, arguments: [id])
      }
    }
    try queue.close()
  }

  private static let messages = """
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
    INSERT INTO message (id, conversation, sender, role, body, "order", at)
    SELECT printf('00000000-0000-7000-8000-%s-%07d', ?2, n), ?2, iif(n % 2, 'alice', 'bob'), 'user',
      printf('Number %d: the ferry leaves at ten, so bring the blue bag and meet us at the pier.', n), n,
      1760000000000 + n
    FROM numbers
    """
}

/// Five million messages on the relay, and a conversation of a million beside them.
struct FirstSyncTrial: Trial {
  static let name = "first sync"

  static func run(on bench: Workbench) async throws -> Findings {
    try await FirstSync.run(name, conversations: 500, length: 10_000, longest: 1_000_000, on: bench)
  }
}
