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

/// A transport of several closures: one for the server's events, and those for its operations. On a virtual clock.
@Suite(.timeLimit(.minutes(10))) struct RequestEventsTests {
  /// A server that a test plays: it keeps the messages that arrive, and sends the events that the test gives it.
  private final class Server: Sendable {
    struct State {
      var sent: [[IncomingItem]] = []
      var stored: [String] = []
      var taken: [String] = []
      var resumed: [String?] = []
      var end: (any Error)?
      var isEnded = false
    }
    let state = Mutex(State())
    let news = Signal()

    func send(_ items: [IncomingItem]) {
      state.withLock { $0.sent.append(items) }
      news.raise()
    }

    func end(_ error: (any Error)? = nil) {
      state.withLock { ($0.end, $0.isEnded) = (error, true) }
      news.raise()
    }

    /// Sends the events after a cursor, as a server that keeps all of them does.
    func run(after cursor: SyncCursor?, _ sink: RequestTransport.Sink) async throws {
      var next = cursor.flatMap { Int($0.rawValue) } ?? 0
      state.withLock { $0.resumed.append(cursor?.rawValue) }
      sink.ready()
      while !Task.isCancelled {
        let (event, isEnded, error) = state.withLock { state in
          defer { if next >= state.sent.count { state.isEnded = false } }
          return (next < state.sent.count ? state.sent[next] : nil, state.isEnded, state.end)
        }
        guard let event else {
          if let error { throw error }
          if isEnded { return }
          await news.wait()
          continue
        }
        next += 1
        try await sink(event, cursor: SyncCursor(rawValue: "\(next)"))
        state.withLock { $0.stored.append("\(next)") }
      }
    }

    func take(_ word: String, _ message: OutgoingMessage) -> RequestTransport.Answer {
      state.withLock { $0.taken.append("\(word) \(message.serverIDs.target ?? "-") \(message.text)") }
      return .accepted(serverID: "$\(message.id)")
    }

    var taken: [String] { state.withLock(\.taken) }
    var stored: [String] { state.withLock(\.stored) }
  }

  private let server = Server()

  private var transport: RequestTransport {
    RequestTransport(TransportCapabilities(idempotency: .forever, placesByEvents: true)) { [server] in
      server.take("sends", $0)
    }.receiving { [server] in try await server.run(after: $0, $1) }
  }

  private func running(
    _ transport: RequestTransport, _ body: @escaping @Sendable (ChatClient, Bench) async throws -> Void
  ) throws {
    try Bench.simulate { bench in
      var configuration = ChatConfiguration()
      (configuration.path, configuration.environment) = (bench.path, bench.environment)
      configuration.environment.executor = SeededSerialExecutor(scheduler: bench.scheduler)
      let client = try ChatClient(
        storage: .folder(bench.scratch.url), transport: transport, user: eg.user, configuration: configuration
      )
      try client.createConversation(eg.conversation, members: [eg.user, eg.other])
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        defer { group.cancelAll() }
        try await body(client, bench)
      }
    }
  }

  private static func message(_ id: MessageID, _ text: String) -> IncomingItem {
    .message(eg.incoming(id, text, order: nil, serverID: id.rawValue))
  }

  // A7.2
  @Test func `what the server sends is stored, with the place, before the next is delivered`() throws {
    try running(transport) { [server] client, bench in
      try await bench.rest()
      #expect(client.connectivity == .online)
      server.send([Self.message("$1", "one"), Self.message("$2", "two")])
      try await bench.rest()
      #expect(try client.rows().map(\.text) == ["one", "two"])
      #expect(server.stored == ["1"])
      #expect(try client.store.read { try $0.settings.cursor() } == SyncCursor(rawValue: "1"))
    }
  }

  // A7.2, O7.1
  @Test(arguments: [true, false])
  func `the end of the events is the end of the connection, and the next goes on behind the last`(
    isError: Bool
  ) throws {
    try running(transport) { [server] client, bench in
      server.send([Self.message("$1", "one")])
      try await bench.rest()
      server.end(isError ? ConnectionFailure(.unavailable) : nil)
      try await bench.rest()
      #expect(client.connectivity != .online)
      server.state.withLock { $0.end = nil }
      try await bench.pass(.seconds(60))
      #expect(client.connectivity == .online)
      server.send([Self.message("$2", "two")])
      try await bench.rest()
      #expect(try client.rows().map(\.text) == ["one", "two"])
      #expect(server.state.withLock(\.resumed) == [nil, "1"])
    }
  }

  // A7.2
  @Test func `a server that cannot be reached is not online`() throws {
    let transport = transport.receiving { _, _ in throw ConnectionFailure(.unreachable) }
    try running(transport) { [server] client, bench in
      try client.send("waits", in: eg.conversation)
      try await bench.pass(.seconds(60))
      #expect(client.connectivity != .online)
      #expect(server.taken.isEmpty)
    }
  }

  // A7.2, O7.10
  @Test func `events that the server refuses sign the phone out, and new credentials end that`() throws {
    let isRefused = Atomic(true)
    let transport = transport.receiving { [server] in
      if isRefused.load(ordering: .relaxed) { throw ConnectionFailure(.unauthorized) }
      try await server.run(after: $0, $1)
    }
    try running(transport) { [server] client, bench in
      let id = try client.send("waits", in: eg.conversation)
      try await bench.pass(.seconds(60))
      func status() throws -> MessageStatus? { try client.rows().first { $0.id == id }?.status }
      #expect(try status()?.code == .signedOut)
      #expect(server.taken.isEmpty)
      isRefused.store(false, ordering: .relaxed)
      await client.reconnectNow()
      try await bench.rest()
      #expect(try status()?.state == .delivered)
    }
  }

  // A7.2, O6.1, O7.5
  @Test func `nothing leaves before the server has answered, and what has not left is not in doubt`() throws {
    let isUp = Mutex(false)
    var transport = RequestTransport(TransportCapabilities(placesByEvents: true)) { [server] in
      server.take("sends", $0)
    }
    transport = transport.receiving { [server] cursor, sink in
      guard isUp.withLock({ $0 }) else {
        // The failure of the server is noticed only after a while.
        await server.news.wait()
        throw ConnectionFailure(.unreachable)
      }
      try await server.run(after: cursor, sink)
    }
    try running(transport) { [server] client, bench in
      let id = try client.send("waits", in: eg.conversation)
      try await bench.pass(.seconds(10))
      server.news.raise()
      try await bench.pass(.seconds(10))
      #expect(server.taken.isEmpty)
      let waiting = try client.rows().first { $0.id == id }?.status
      #expect(waiting?.state == .queued)
      #expect(waiting?.attempts == 0)
      isUp.withLock { $0 = true }
      server.news.raise()
      try await bench.pass(.seconds(60))
      #expect(server.taken == ["sends - waits"])
      #expect(try client.outbox.unsentCount() == 0)
    }
  }

  // A7.2, B1.2, O14.1
  @Test func `each operation goes to its closure, and declares its ability`() throws {
    let transport = transport.edits { [server] in server.take("edits", $0) }
      .reactions { [server] in server.take($0.operation?.kind == .react ? "reacts" : "unreacts", $0) }
    #expect(transport.capabilities.operations == [.edit, .react, .unreact])
    try running(transport) { [server] client, bench in
      let id = try client.send("mine", in: eg.conversation)
      try await bench.rest()
      try client.message(id).edit(to: "mended")
      try client.message(id).react("👍")
      try await bench.pass(.seconds(1))
      try client.message(id).unreact("👍")
      try await bench.pass(.seconds(1))
      let name = "$\(id)"
      #expect(
        server.taken == ["sends - mine", "edits \(name) mended", "reacts \(name) 👍", "unreacts \(name) 👍"])
      #expect(throws: ChatError.self) { try client.message(id).delete() }
    }
  }

  // B14.1, B12
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `messages arrive once and in order under random faults, which the seed repeats`(seed: UInt64) throws {
    func transmissions() throws -> [FaultyTransport.Transmission] {
      let server = Server()
      let sent = Mutexed<[MessageID]>([])
      let handed = Mutexed<[FaultyTransport.Transmission]>([])
      let base = RequestTransport(TransportCapabilities(idempotency: .forever, placesByEvents: true)) {
        message in
        let isNew = sent.withLock { sent in
          guard !sent.contains(message.id) else { return false }
          sent.append(message.id)
          return true
        }
        if isNew {
          server.send([.message(eg.incoming(message.id, from: eg.user, message.text, order: nil))])
        }
        return .accepted()
      }.receiving { try await server.run(after: $0, $1) }
      try Bench.simulate { bench in
        let shaky = FaultyTransport(
          wrapping: base, seed: seed, chances: .init(lostReceipt: 0.3, doubledEvent: 0.3, cut: 0.1),
          environment: bench.environment)
        var configuration = ChatConfiguration()
        (configuration.path, configuration.environment) = (bench.path, bench.environment)
        configuration.environment.executor = SeededSerialExecutor(scheduler: bench.scheduler)
        let client = try ChatClient(
          storage: .folder(bench.scratch.url), transport: shaky, user: eg.user, configuration: configuration)
        try client.createConversation(eg.conversation, members: [eg.user, eg.other])
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { await client.run() }
          defer { group.cancelAll() }
          for number in 1...20 { try client.send("\(number)", in: eg.conversation) }
          while try client.outbox.unsentCount() > 0 { try await bench.pass(.seconds(10)) }
          try await bench.pass(.seconds(10))
          #expect(try client.rows().map(\.text) == (1...20).map(String.init))
          #expect(shaky.struck > 0)
        }
        #expect(sent.withLock { $0.count } == 20)
        handed.withLock { $0 = shaky.transmissions }
      }
      return handed.withLock { $0 }
    }
    let first = try transmissions()
    #expect(first.count >= 20)
    #expect(try transmissions() == first)
  }

  // A7.2, B13.1
  @Test func `read marks and files have closures of their own`() throws {
    let marks = Mutexed<[String?]>([])
    let transport = transport.readMarks { mark in marks.withLock { $0.append(mark.serverID) } }
      .uploads { _ in
        "file-1"
      } downloads: { _ in
      }
    #expect(transport.capabilities.supportsReadReceipts)
    #expect(transport.capabilities.carriesAttachments)
    try running(transport) { [server] client, bench in
      server.send([Self.message("$1", "one")])
      try await bench.rest()
      try client.conversation(eg.conversation).markRead()
      try await bench.pass(.seconds(2))
      #expect(marks.withLock { $0 } == ["$1"])
    }
  }

  // O13, B1.1: each message gives the address of its file, and one of them may lie.
  @Test func `the server's names of a file are given back when it is fetched`() throws {
    let bytes = Data("hello".utf8)
    let file = ChatAttachment(
      checksum: .init(SHA256Sum(of: bytes)), name: "a.txt", mediaType: "text/plain", byteCount: 5)
    let asked = Mutexed<[[String]]>([])
    let transport = transport.uploads { _ in
      "file-1"
    } downloads: { download in
      asked.withLock { $0.append(download.serverIDs) }
      guard download.serverIDs.contains("mxc://b/two") else {
        throw ChatAttachment.Refusal.notNow(after: .seconds(5))
      }
      try await download.receive(bytes)
    }
    try running(transport) { [server] client, bench in
      for (name, address) in [("$1", "mxc://b/one"), ("$2", "mxc://b/two"), ("$3", "")] {
        guard case .message(var message) = Self.message(MessageID(rawValue: name), name) else { continue }
        message.attachments = [file]
        message.attachmentServerIDs = [file.checksum: address]
        server.send([.message(message)])
        try await bench.rest()
      }
      try await bench.pass(.seconds(30))
      #expect(try client.rows().allSatisfy { $0.attachments.first?.file != nil })
    }
    #expect(asked.withLock { $0.first } == ["mxc://b/one"])
    #expect(asked.withLock { $0.last } == ["mxc://b/one", "mxc://b/two"])
  }
}
