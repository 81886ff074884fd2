import ChatServer
import FlyingFox
import FlyingSocks
import Foundation

/// The reference server behind HTTP: `/v1/connect` upgrades to a WebSocket, `/health` says that it is up.
struct RelayServer: Sendable {
  private let server: ChatServer
  private let faults: FaultLayer?
  private let http: HTTPServer
  private let host: String
  private let connections: AsyncStream<RelayConnection>
  private let arrivals: AsyncStream<RelayConnection>.Continuation

  /// Throws when `host` is not an address.
  init(server: ChatServer, host: String, port: UInt16, faults: FaultLayer? = nil) throws {
    self.server = server
    self.faults = faults
    self.host = host
    (connections, arrivals) = AsyncStream.makeStream(of: RelayConnection.self)
    http =
      if host.contains(":") {
        HTTPServer(address: try .inet6(ip6: host, port: port), logger: .disabled)
      } else {
        HTTPServer(address: try .inet(ip4: host, port: port), logger: .disabled)
      }
  }

  /// Serves until ``stop()``. `onListening` is called once, with the address for clients.
  func run(onListening: @escaping @Sendable (String) -> Void) async throws {
    await http.appendRoute("GET /health") { _ in HTTPResponse(statusCode: .ok, body: Data("ok".utf8)) }
    await http.appendRoute("GET /v1/connect") { [server, faults, arrivals] request in
      if let wait = faults?.unavailableFor { return Self.unavailable(for: wait) }
      return try await Self.upgrade(request, server: server, faults: faults, arrivals: arrivals)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await serve() }
      group.addTask {
        try await http.waitUntilListening()
        if let port = await http.listeningPort {
          onListening("ws://\(host.contains(":") ? "[\(host)]" : host):\(port)/v1/connect")
        }
      }
      group.addTask {
        await withDiscardingTaskGroup { group in
          for await connection in connections { group.addTask { await connection.run() } }
        }
      }
      // One after the other, so that a port that is taken is reported at once.
      while try await group.next() != nil {}
    }
  }

  /// Tells every client that the server stops, and ends ``run(onListening:)``.
  func stop() async {
    await server.stop()
    await http.stop(timeout: 1)
    arrivals.finish()
  }

  private func serve() async throws {
    defer { arrivals.finish() }
    do {
      try await http.run()
    } catch SocketError.disconnected {
      // This is how a server that was stopped ends.
    } catch is CancellationError {
      // And this, when connections had to be cut off.
    }
  }

  private static func upgrade(
    _ request: HTTPRequest, server: ChatServer, faults: FaultLayer?,
    arrivals: AsyncStream<RelayConnection>.Continuation
  ) async throws -> HTTPResponse {
    guard let token = bearerToken(request.headers[.authorization]) else { return unauthorized }
    do {
      guard try await server.isKnown(token: token) else { return unauthorized }
    } catch {
      return unavailable(for: .seconds(1))
    }
    return try await WebSocketHTTPHandler(
      handler: RelayUpgrade(token: token, server: server, faults: faults, arrivals: arrivals)
    ).handleRequest(request)
  }

  /// A client that is early is turned away again, so the seconds are rounded up.
  private static func unavailable(for wait: Duration) -> HTTPResponse {
    let seconds = max(1, Int((wait / .seconds(1)).rounded(.up)))
    return HTTPResponse(
      statusCode: .serviceUnavailable, headers: HTTPHeaders([HTTPHeader("Retry-After"): String(seconds)]))
  }

  private static var unauthorized: HTTPResponse {
    HTTPResponse(statusCode: .unauthorized, headers: HTTPHeaders([HTTPHeader("WWW-Authenticate"): "Bearer"]))
  }

  /// The token of an `Authorization` field (RFC 6750, section 2.1). Nil when there is none.
  static func bearerToken(_ field: String?) -> String? {
    guard let field, field.prefix(7).lowercased() == "bearer " else { return nil }
    let token = field.dropFirst(7).trimmingCharacters(in: .whitespaces)
    return token.isEmpty ? nil : token
  }
}

extension HTTPServer {
  fileprivate var listeningPort: UInt16? {
    switch listeningAddress {
    case .ip4(_, let port), .ip6(_, let port): port
    case .unix, nil: nil
    }
  }
}
