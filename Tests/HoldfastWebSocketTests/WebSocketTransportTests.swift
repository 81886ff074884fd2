import FlyingFox
import FlyingSocks
import Foundation
import Holdfast
import HoldfastCredentials
import HoldfastRelay
import HoldfastTransport
import Synchronization
import Testing

@testable import HoldfastWebSocket

/// The whole transport with another implementation of WebSockets.
@Suite(.timeLimit(.minutes(10))) struct WebSocketTransportTests {
  private func withServer(
    _ body: @Sendable (_ transport: WebSocketTransport, _ stranger: WebSocketTransport) async throws -> Void
  ) async throws {
    try await withAddress { url in
      try await body(
        WebSocketTransport(url: url) { "wonderland" }, WebSocketTransport(url: url) { "looking-glass" })
    }
  }

  private func withAddress(_ body: @Sendable (_ url: URL) async throws -> Void) async throws {
    let sockets = WebSocketHTTPHandler(handler: MessageFrameWSHandler(handler: MirrorRelay()))
    let server = HTTPServer(
      address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled,
      handler: ClosureHTTPHandler { request in
        switch (request.path, request.headers[.authorization]) {
        case ("/v1/connect", "Bearer wonderland"): try await sockets.handleRequest(request)
        case ("/v1/connect", _): HTTPResponse(statusCode: .unauthorized)
        default: HTTPResponse(statusCode: .serviceUnavailable)
        }
      })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // It always throws when it is stopped.
        try? await server.run()
      }
      try await server.waitUntilListening()
      guard case .ip4(_, let port) = await server.listeningAddress else { return }
      let address = "ws://127.0.0.1:\(port)"
      let url = try #require(URL(string: address + "/v1/connect"))
      try await body(url)
      group.cancelAll()
    }
  }

  private func message(_ number: Int64, body: String) -> OutgoingMessage {
    OutgoingMessage(
      id: MessageID(rawValue: "m\(number)"), conversation: "c", content: MessageContent(body),
      createdAt: Date(timeIntervalSince1970: 1), transmission: number)
  }

  // B11.1
  @Test func `messages go out and their receipts come back`() async throws {
    try await withServer { transport, _ in
      try await transport.withConnection(resumingAfter: nil) { connection in
        let first = try await connection.receive()
        #expect(first == .ready)
        let bodies = ["hello", "", "Grüße, 世界, 👩‍👩‍👧‍👦", String(repeating: "x", count: 100_000)]
        for (number, body) in bodies.enumerated() {
          try await connection.send([self.message(Int64(number) + 1, body: body)])
          guard case .receipts(let receipts) = try await connection.receive() else {
            Issue.record("no receipt")
            return
          }
          #expect(receipts.map(\.id.rawValue) == ["m\(number + 1)"])
          #expect(receipts.map(\.order) == [Int64(body.utf8.count) + 1])
        }
      }
    }
  }

  // B11.1
  @Test func `a page of a megabyte comes in, in fragments`() async throws {
    try await withServer { transport, _ in
      try await transport.withConnection(resumingAfter: SyncCursor(rawValue: "1")) { connection in
        _ = try await connection.receive()
        guard case .items(let items, let cursor) = try await connection.receive(),
          case .message(let message)? = items.first
        else {
          Issue.record("no page")
          return
        }
        #expect(message.text.utf8.count == 1_000_000)
        #expect(cursor?.rawValue == "2")
      }
    }
  }

  // O7.10, P5.4
  @Test func `a token that the server does not know is unauthorized`() async throws {
    try await withServer { _, stranger in
      let failure = await #expect(throws: ConnectionFailure.self) {
        try await stranger.withConnection(resumingAfter: nil) { _ in }
      }
      #expect(failure?.reason == .unauthorized)
      #expect(failure?.description.contains("looking-glass") == false)
    }
  }

  /// A store for credentials that an app has chosen.
  private final class CredentialsInMemory: CredentialStore {
    private let credentials = Mutex<[UserID: Credential]>([:])
    func credential(for user: UserID) -> Credential? { credentials.withLock { $0[user] } }
    func set(_ credential: Credential?, for user: UserID) { credentials.withLock { $0[user] = credential } }
  }

  // P5.3
  @Test func `credentials in a place of the app's own open the connection, once they are there`() async throws
  {
    try await withAddress { url in
      let credentials: any CredentialStore = CredentialsInMemory()
      let transport = WebSocketTransport(url: url) { try credentials.credential(for: "alice")?.text ?? "" }
      let failure = await #expect(throws: ConnectionFailure.self) {
        try await transport.withConnection(resumingAfter: nil) { _ in }
      }
      #expect(failure?.reason == .unauthorized)
      try credentials.set(Credential("wonderland"), for: "alice")
      try await transport.withConnection(resumingAfter: nil) { connection in
        let first = try await connection.receive()
        #expect(first == .ready)
      }
    }
  }

  // B11
  @Test func `a server that closes ends the connection, and the next one works`() async throws {
    try await withServer { transport, _ in
      for _ in 1...2 {
        let failure = await #expect(throws: ConnectionFailure.self) {
          try await transport.withConnection(resumingAfter: nil) { connection in
            _ = try await connection.receive()
            try await connection.send([self.message(1, body: "close")])
            _ = try await connection.receive()
          }
        }
        #expect(failure?.reason == .unreachable)
      }
    }
  }

  // E3.1
  @Test(arguments: [
    "ws://chat.example.org/v1/connect", "WS://10.0.0.7:8080/", "ws://127.0.0.1.example.org/",
    "ws://[fe80::1]/",
  ])
  func `a token goes to another machine encrypted or not at all`(address: String) async throws {
    let transport = WebSocketTransport(url: try #require(URL(string: address))) {
      Issue.record("No token is asked for.")
      return "wonderland"
    }
    let failure = await #expect(throws: ConnectionFailure.self) {
      try await transport.withConnection(resumingAfter: nil) { _ in }
    }
    #expect(failure?.reason == .insecure)
    #expect(throws: try #require(failure)) { try WebSocketTransport(address) { "wonderland" } }
  }

  @Test(arguments: ["https://chat.example.org", "ws:", "ws://a:b@localhost/", "wss://h/#x", "nothing"])
  func `an address of another scheme is incompatible`(address: String) async throws {
    let transport = WebSocketTransport(url: try #require(URL(string: address))) { "wonderland" }
    let failure = await #expect(throws: ConnectionFailure.self) {
      try await transport.withConnection(resumingAfter: nil) { _ in }
    }
    #expect(failure?.reason == .incompatible)
    #expect(throws: try #require(failure)) { try WebSocketTransport(address) { "wonderland" } }
  }
}

/// A minimal relay: a receipt whose order is the length of the body, one page, and a close frame on demand.
private struct MirrorRelay: WSMessageHandler {
  func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> {
    // The stream's only reader takes one response after the other.
    nonisolated(unsafe) var messages = client.makeAsyncIterator()
    nonisolated(unsafe) var answers: [WSMessage] = []
    return AsyncStream {
      while answers.isEmpty {
        guard let message = await messages.next() else { return nil }
        answers = self.answers(to: message)
      }
      return answers.removeFirst()
    }
  }

  private func answers(to message: WSMessage) -> [WSMessage] {
    guard case .text(let text) = message,
      let frame = try? JSONDecoder().decode(Wire.ClientFrame.self, from: Data(text.utf8))
    else { return [] }
    switch frame {
    case .hello(let hello):
      return [.welcome(.init(account: "alice", maximumMessageBytes: 100_000))].map(said)
        + (hello.after == nil ? [] : [said(.events(page))])
    case .send(let send) where send.messages.first?.text == "close": return [.close(.normalClosure)]
    case .send(let send):
      let receipts = send.messages.map {
        Wire.ReceiptItem(
          id: $0.id, conversation: $0.conversation, order: Int64($0.text.utf8.count) + 1, at: $0.at)
      }
      return [said(.receipts(.init(items: receipts)))]
    case .ping: return [said(.pong(.init()))]
    case .sync, .read, .ask, .history, .search, .piece, .upload, .fetch: return []
    }
  }

  private var page: Wire.Events {
    let message = Wire.MessageItem(
      id: "m1", conversation: "c", sender: "bob", role: "user",
      content: MessageContent(String(repeating: "x", count: 1_000_000)), order: 1, at: 1)
    return Wire.Events(after: 1, cursor: 2, items: [.init(message: message)], more: false)
  }

  private func said(_ frame: Wire.ServerFrame) -> WSMessage {
    .text(String(decoding: (try? JSONEncoder().encode(frame)) ?? Data(), as: UTF8.self))
  }
}
