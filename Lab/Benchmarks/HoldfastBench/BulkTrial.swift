import Foundation
import Holdfast
import HoldfastTransport

/// Many messages at once, as on a new phone, and many conversations: without a network, and beside C with a schema of its
/// own.
struct BulkTrial: Trial {
  static let name = "bulk"
  private static let conversations = 500
  private static let length = 200
  private static let longList = 10_000

  static func run(on bench: Workbench) async throws -> Findings {
    var (engine, lean, arriving) = (Samples(), Samples(), Samples())
    for sample in 0..<min(bench.samples ?? 3, 3) {
      bench.report("\(name): \(sample + 1)")
      let before = try Memory.forgetPeak()
      engine.append(try await receive(pages(conversations, length), on: bench))
      arriving.append((try Memory.peak() - before) / 1_000)
      lean.append(try await receiveLean(pages(conversations, length), on: bench))
    }
    let summary =
      "\(grouped(conversations * length)) messages in \(conversations) conversations, "
      + "\(length) in each commit, while their words are indexed"
    return Findings(
      outcomes: [
        Outcome(
          name: "first sync of \(grouped(conversations * length))", summary: summary, engine: engine,
          lean: lean, leanAim: .leanRatio(2)),
        Outcome(name: "  peak memory", summary: "resident, of all that", unit: "MB", engine: arriving),
      ] + (try await list(on: bench)))
  }

  private static func list(on bench: Workbench) async throws -> [Outcome] {
    var (opened, memory) = (Samples(), Samples())
    _ = try await withPhone(on: bench) { client, backend in
      for page in stride(from: 0, to: longList, by: 500) {
        let messages = (page..<page + 500).flatMap { Self.messages(of: $0, length: 1) }
        _ = try await backend.say(.items(messages.map(IncomingItem.message), cursor: nil))
      }
      for _ in 0..<(bench.samples ?? 10) {
        let (before, start) = (try Memory.forgetPeak(), ContinuousClock.now)
        let list = try await first(of: client.conversations(limit: longList))
        opened.append(start.duration(to: .now))
        memory.append((try Memory.peak() - before) / 1_000)
        guard list.rows.count == longList else {
          throw BenchmarkFailure("The list has \(list.rows.count) rows.")
        }
      }
      return .zero
    }
    let summary = "a list of \(grouped(longList)) conversations with a message each, all of them at once"
    return [
      Outcome(name: "list of \(grouped(longList))", summary: summary, engine: opened),
      Outcome(name: "  peak memory of the list", summary: "what it adds", unit: "MB", engine: memory),
    ]
  }

  private static func first(
    of lists: some AsyncSequence<ConversationListSnapshot, Never>
  ) async throws -> ConversationListSnapshot {
    for await list in lists { return list }
    throw BenchmarkFailure("There is no list.")
  }

  private static func receive(_ pages: [[IncomingMessage]], on bench: Workbench) async throws -> Duration {
    try await withPhone(on: bench) { _, backend in
      try await backend.say(
        pages.enumerated().map { number, page in
          .items(page.map(IncomingItem.message), cursor: SyncCursor(rawValue: "\(number)"))
        })
    }
  }

  private static func receiveLean(
    _ pages: [[IncomingMessage]], on bench: Workbench
  ) async throws -> Duration {
    let place = bench.folder.appendingPathComponent("bulk-lean")
    defer { try? FileManager.default.removeItem(at: place) }
    _ = try Rig.openEmpty(in: place)
    let store = try LeanStore(
      file: place.appendingPathComponent("lean.sqlite"),
      copyingMessagesOf: place.appendingPathComponent("store.sqlite"))
    return try pages.enumerated().reduce(.zero) {
      $0 + (try store.append($1.element, cursor: "\($1.offset)"))
    }
  }

  /// Calls `body` with the running client of an empty store, and its backend.
  private static func withPhone(
    on bench: Workbench, _ body: @MainActor (ChatClient, Backend) async throws -> Duration
  ) async throws -> Duration {
    let place = bench.folder.appendingPathComponent("bulk")
    defer { try? FileManager.default.removeItem(at: place) }
    let backend = Backend(isReachable: true)
    let client = try Rig.openEmpty(in: place, backend)
    return try await bench.withRunning(client) { try await body(client, backend) }
  }

  private static func pages(_ conversations: Int, _ length: Int) -> [[IncomingMessage]] {
    (0..<conversations).map { messages(of: $0, length: length) }
  }

  private static func messages(of conversation: Int, length: Int) -> [IncomingMessage] {
    Rig.messages(1...length).map { message in
      var message = message
      message.conversation = ConversationID(rawValue: "eg-\(conversation)")
      message.id = MessageID(rawValue: "\(message.id.rawValue)-\(conversation)")
      return message
    }
  }
}
