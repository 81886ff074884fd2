import EngineFixtures
import Foundation
import HoldfastTesting
import HoldfastTransport
import Synchronization
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Unsent messages of an earlier version, which are sent to a server of each kind (rules S5, B1 to B3).
@Suite(.timeLimit(.minutes(10))) struct EarlierVersionSendingTests {
  /// The form of the server's events and receipts.
  enum Kind: CaseIterable, Sendable {
    /// The server numbers each message, and knows it by our ID.
    case states
    /// The server numbers each message, and has names of its own.
    case names
    /// The server has names of its own and no numbers. It places a message by its event.
    case events
  }

  /// A server that accepts everything, once.
  private final class Server: Sendable {
    struct State {
      var taken: [String] = []
      var events: [IncomingItem] = []
      var uploads = 0
    }
    let kind: Kind
    let state = Mutex(State())
    private let news = Signal()

    init(_ kind: Kind) { self.kind = kind }

    var taken: [String] { state.withLock(\.taken) }

    func take(_ message: OutgoingMessage) -> RequestTransport.Answer {
      let name = kind == .states ? nil : "$\(message.id)"
      let order: Int64? = state.withLock { state in
        state.taken.append(message.id.rawValue)
        guard message.operation == nil else { return nil }
        // The order begins after the four messages of the earlier version.
        let order = Int64(4 + state.taken.count)
        state.events.append(
          .message(
            IncomingMessage(
              id: message.id, conversation: message.conversation, sender: eg.user, content: message.content,
              order: kind == .events ? nil : order, createdAt: message.createdAt,
              attachments: message.attachments.map(\.attachment), serverID: name)))
        return kind == .events ? nil : order
      }
      news.raise()
      return .accepted(order: order, serverID: name)
    }

    func deliver(_ sink: RequestTransport.Sink) async throws {
      sink.ready()
      var next = 0
      while !Task.isCancelled {
        let event = state.withLock { next < $0.events.count ? $0.events[next] : nil }
        guard let event else {
          await news.wait()
          continue
        }
        next += 1
        try await sink([event], cursor: SyncCursor(rawValue: "\(next)"))
      }
    }

    var transport: RequestTransport {
      RequestTransport(
        TransportCapabilities(
          idempotency: .forever, fields: Set(TransportCapabilities.Field.allCases),
          placesByEvents: kind == .events)
      ) { self.take($0) }
      .edits { self.take($0) }.deletions { self.take($0) }.reactions { self.take($0) }
      .uploads { upload in
        self.state.withLock { $0.uploads += 1 }
        return "file-\(upload.attachment.checksum)"
      } downloads: { _ in
        throw ChatAttachment.Refusal.rejected("It is missing.")
      }
      .receiving { _, sink in try await self.deliver(sink) }
    }
  }

  private func running(
    _ earlier: EarlierStore, _ server: Server,
    _ body: @escaping @Sendable (ChatClient, Bench) async throws -> Void
  ) throws {
    try Bench.simulate { bench in
      let folder = bench.scratch.url.appending(path: "earlier", directoryHint: .isDirectory)
      try makePrivateFolder(folder)
      try earlier.copy(to: folder)
      var configuration = ChatConfiguration()
      (configuration.path, configuration.environment) = (bench.path, bench.environment)
      configuration.environment.executor = SeededSerialExecutor(scheduler: bench.scheduler)
      let client = try ChatClient(
        storage: .folder(folder), transport: server.transport, user: eg.user, configuration: configuration)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        defer { group.cancelAll() }
        try await body(client, bench)
      }
    }
  }

  // S5.1, O11.2, B1.2, B3.1
  @Test(arguments: EarlierStore.all, Kind.allCases)
  func `what an earlier version had not sent leaves once, in order, and what it asked its user still waits`(
    _ earlier: EarlierStore, _ kind: Kind
  ) throws {
    let server = Server(kind)
    try running(earlier, server) { client, bench in
      try await bench.pass(.seconds(60))
      let first = server.taken
      #expect(first.filter { ["flown", "queued"].contains($0) } == ["flown", "queued"])
      #expect(Set(first).isSuperset(of: ["edit", "delete", "react"]))
      #expect(Set(first).count == first.count, "Nothing leaves twice.")
      #expect(Set(first).isDisjoint(with: ["failed", "held", "unreact"]))
      #expect(server.state.withLock(\.uploads) == 1)
      let trip = try client.reader.conversation("alice-bob", limit: 100).rows
      #expect(trip.first { $0.id == "failed" }?.status.state == .failed)
      #expect(
        trip.filter { ["flown", "queued"].contains($0.id) }.allSatisfy { $0.status.state == .delivered })
      #expect(trip.first { $0.id == "own" }?.status.state == .interrupted)

      try await client.message("failed").retry()
      try await client.message("held").retry()
      let reply = try await client.message("own").continueReply()
      try await reply.append(", then south")
      try await reply.finish()
      try await bench.pass(.seconds(60))
      #expect(Set(server.taken).isSuperset(of: ["failed", "held", "own"]))
      #expect(Set(server.taken).count == server.taken.count)
      let rows = try client.reader.conversation("alice-bob", limit: 100).rows
      #expect(rows.filter(\.status.isUnsent).isEmpty)
      #expect(rows.first { $0.id == "own" }?.text == "First east, then south")
      #expect(Set(rows.map(\.id)).count == rows.count, "No row is there twice.")
    }
  }
}
