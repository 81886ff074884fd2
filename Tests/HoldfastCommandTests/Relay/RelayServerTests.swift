import ChatServer
import CommandFixtures
import FlyingSocks
import Foundation
import Holdfast
import HoldfastRelay
import HoldfastWebSocket
import Synchronization
import Testing

@testable import HoldfastCommand

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(10))) struct RelayServerTests {
  private func status(_ url: URL, path: String, token: String? = nil) async throws -> Int? {
    var components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
    components.scheme = "http"
    components.path = path
    var request = URLRequest(url: try #require(components.url))
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    let (_, response) = try await URLSession.shared.data(for: request)
    return (response as? HTTPURLResponse)?.statusCode
  }

  // B11
  @Test func `only a known token gets as far as the upgrade`() async throws {
    try await withRelay { url in
      let answers = [
        try await status(url, path: "/health"),
        try await status(url, path: "/nowhere"),
        try await status(url, path: "/v1/connect"),
        try await status(url, path: "/v1/connect", token: "wrong"),
        // The token is right, but the request is not a WebSocket handshake.
        try await status(url, path: "/v1/connect", token: "secret"),
      ]
      #expect(answers == [200, 404, 401, 401, 400])
    }
  }

  @Test func `healthz says ok only while the database answers`() async throws {
    try await withRelayServer { url, relay in
      let before = try await status(url, path: "/healthz")
      await relay.server.stop()
      let after = [try await status(url, path: "/healthz"), try await status(url, path: "/health")]
      #expect(before == 200)
      #expect(after == [503, 200])
    }
  }

  // O7.5, O7.8
  @Test func `a handshake that is refused is answered, with the reason and how long to wait`() async throws {
    let service = ServiceHours()
    try await withRelay(interceptor: service) { url in
      func refusal(_ token: String) async throws -> ConnectionFailure? {
        do {
          try await WebSocketTransport(url: url) { token }.withConnection(resumingAfter: nil) { _ in }
          return nil
        } catch let failure as ConnectionFailure {
          return failure
        }
      }
      let unauthorized = try await refusal("wrong")
      #expect(unauthorized?.reason == .unauthorized)
      let welcome = try await refusal("secret")
      #expect(welcome == nil)
      service.close(for: .seconds(600))
      let unavailable = try await refusal("secret")
      #expect(unavailable?.reason == .unavailable)
      #expect(try #require(unavailable?.retryAfter) > .seconds(60))
    }
  }

  // O13, B11.1
  @Test(.timeLimit(.minutes(10)))
  func `a file of many pieces reaches another device over real sockets`() async throws {
    try await withRelay { url in
      let folder = FileManager.default.temporaryDirectory.appending(path: ChatEnvironment().makeID())
      defer { try? FileManager.default.removeItem(at: folder) }
      func device(_ name: String) throws -> ChatClient {
        let client = try ChatClient(
          storage: .folder(folder.appending(path: name)),
          transport: WebSocketTransport(url: url) { "secret" },
          user: "alice")
        try client.createConversation("notes")
        return client
      }
      let (phone, tablet) = (try device("phone"), try device("tablet"))
      let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: ($0 &* 31) >> 3) })
      try phone.conversation("notes").attach(bytes, name: "a.bin")
      try phone.conversation("notes").sendDraft()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await phone.run() }
        group.addTask { await tablet.run() }
        defer { group.cancelAll() }
        for await snapshot in tablet.conversation("notes").timeline() {
          guard let file = snapshot.rows.first?.attachments.first?.file else { continue }
          let arrived = try Data(contentsOf: file)
          #expect(arrived == bytes)
          break
        }
        let unsent = try phone.outbox.unsentCount()
        #expect(unsent == 0)
      }
    }
  }

  // B11.1
  @Test func `a client is welcomed and its message gets a receipt`() async throws {
    try await withRelay { url in
      let socket = try await TestSocket(url: url, token: "secret")
      try await socket.write(.hello(.init(after: nil)))
      try await socket.write(.eg("m", body: "hello"))
      var kinds: [String] = []
      while kinds.count < 4 {
        switch try await socket.read() {
        case .welcome: kinds.append("welcome")
        case .events(let page): kinds.append("events \(page.items.count)")
        case .receipts(let receipts): kinds.append("receipts \(receipts.items.count)")
        default: kinds.append("unexpected")
        }
      }
      #expect(kinds == ["welcome", "events 0", "receipts 1", "events 2"])
      try socket.close()
    }
  }

  @Test func `a frame whose length is absurd ends its connection before it is read`() async throws {
    try await withRelay { url in
      let socket = try await TestSocket(url: url, token: "secret")
      try await socket.write(bytes: [0x81, 0xFF, 0, 0, 1, 0, 0, 0, 0, 0])
      // A close frame with code 1009, for a message that is too large.
      #expect(try await socket.read(bytes: 4) == [0x88, 0x02, 0x03, 0xF1])
      try socket.close()
    }
  }

  // O15
  /// The relay may still handle the last frame of a killed client when writing to that client fails. If the socket
  /// were closed then, the next connection could get its descriptor, and its frames would be read as those of the
  /// killed client.
  @Test func `a client is welcomed while the server handles the last frames of a killed client`()
    async throws
  {
    for _ in 0..<3 {
      let gate = HeldCommits()
      try await withRelay(gate: gate.gate) { url in
        let killed = try await TestSocket(url: url, token: "secret", receiveBuffer: 4096)
        try await killed.write(.hello(.init(after: nil, device: "phone")))
        let other = try await TestSocket(url: url, token: "secret")
        try await other.write(.hello(.init(after: nil)))
        // More than the buffers hold, so that the relay waits in the middle of a frame for a client that does not
        // read.
        for number in 1...60 {
          try await other.write(.eg("\(number)", body: String(repeating: "x", count: 50_000)))
        }
        while !(try await other.read()).isReceipt(of: "60") {}
        gate.hold()
        try await killed.write(.eg("last", body: "last"))
        await gate.untilHeld()
        // Unread bytes make this a reset, as when a process is killed.
        try killed.close()
        // Long enough for the relay to notice in nearly every round. A shorter wait would prove less, but would not
        // fail.
        try await ContinuousClock().sleep(for: .milliseconds(50))
        async let next = TestSocket(url: url, token: "secret")
        gate.release()
        let socket = try await next
        try await socket.write(.hello(.init(after: nil, device: "phone")))
        guard case .welcome = try await socket.read() else {
          Issue.record("It was not welcomed.")
          return
        }
        try socket.close()
        try other.close()
      }
    }
  }

  @Test func `an unavailable relay answers 503, until it is available`() async throws {
    let service = ServiceHours()
    try await withRelay(interceptor: service) { url in
      service.close(for: .seconds(600))
      let unavailable = [
        try await status(url, path: "/v1/connect", token: "secret"), try await status(url, path: "/health"),
      ]
      #expect(unavailable == [503, 200])
      service.open()
      let wrong = try await status(url, path: "/v1/connect", token: "wrong")
      #expect(wrong == 401)
    }
  }

  @Test(
    arguments: [
      (nil, nil), ("", nil), ("Bearer", nil), ("Bearer ", nil), ("Basic abc", nil), ("Bearer abc", "abc"),
      ("bearer  abc ", "abc"),
    ] as [(String?, String?)])
  func `a token is read from the field as RFC 6750 writes it`(_ field: String?, token: String?) {
    #expect(RelayUpgradeHandler.bearerToken(field) == token)
  }
}

/// Makes a relay unavailable.
private final class ServiceHours: RelayInterceptor {
  private let wait = Mutex<Duration?>(nil)

  var unavailableFor: Duration? { wait.withLock { $0 } }

  func close(for time: Duration) { wait.withLock { $0 = time } }
  func open() { wait.withLock { $0 = nil } }

  func connection(to server: ChatServer, _ queue: OutboundQueue) -> (any ConnectionInterceptor)? { nil }
  func receive(_ line: Data, on server: ChatServer) async {}
  func run(_ write: @Sendable (Data) -> Void) async {}
}

/// Stops a server in the middle of a commit until it may continue.
private final class HeldCommits: Sendable {
  private let isHolding = Mutex(false)
  private let held = Signal()
  private let released = DispatchSemaphore(value: 0)

  func hold() { isHolding.withLock { $0 = true } }
  func untilHeld() async { await held.wait() }
  func release() { released.signal() }

  var gate: CommitGate { CommitGate(willCommit: { self.willCommit() }) }

  private func willCommit() {
    let isHeld = isHolding.withLock { isHolding in
      defer { isHolding = false }
      return isHolding
    }
    guard isHeld else { return }
    held.raise()
    released.wait()
  }
}
