import HoldfastCore
import HoldfastRelay

#if canImport(Darwin)
  import Foundation

  /// Opens WebSockets with `URLSession`, so that proxies, VPNs and the system's trust settings apply.
  struct URLSessionConnector: FrameConnector {
    /// The largest message. A larger one ends the connection. The server's pages stay well below.
    private static let maximumMessageBytes = 16 << 20

    private let url: URL
    private let environment: ChatEnvironment
    private let token: @Sendable () async throws -> String

    init(url: URL, environment: ChatEnvironment, token: @escaping @Sendable () async throws -> String) {
      self.url = url
      self.environment = environment
      self.token = token
    }

    func withChannel(_ body: @Sendable (any FrameChannel) async throws -> Void) async throws {
      let endpoint = try Endpoint(url)
      var request = URLRequest(url: endpoint.url)
      request.setValue(try await bearer(from: token), forHTTPHeaderField: "Authorization")
      // Ephemeral, because neither cookies nor credentials of this account may reach another account.
      let session = URLSession(configuration: .ephemeral)
      let task = session.webSocketTask(with: request)
      task.maximumMessageSize = Self.maximumMessageBytes
      defer {
        task.cancel(with: .goingAway, reason: nil)
        session.finishTasksAndInvalidate()
      }
      task.resume()
      // A refused handshake shows as an error of the first `send` or `receive`, and a slow one as their
      // time-out.
      try await body(URLSessionChannel(task: task, now: environment.now))
    }
  }

  private struct URLSessionChannel: FrameChannel {
    let task: URLSessionWebSocketTask
    let now: @Sendable () -> Date

    func send(_ frame: Data) async throws {
      let text = String(decoding: frame, as: UTF8.self)
      try await cancellable { try await task.send(.string(text)) }
    }

    func receive() async throws -> Data {
      switch try await cancellable({ try await task.receive() }) {
      case .string(let text): return Data(text.utf8)
      case .data: throw ConnectionFailure(.incompatible, detail: "the server sent a binary message")
      @unknown default: throw ConnectionFailure(.incompatible, detail: "the server sent an unknown message")
      }
    }

    /// `URLSession` does not notice the cancellation of its caller. Cancelling the WebSocket task wakes the
    /// call.
    private func cancellable<Value: Sendable>(
      _ operation: @Sendable () async throws -> Value
    ) async throws -> Value {
      do {
        return try await withTaskCancellationHandler(operation: operation) {
          task.cancel(with: .goingAway, reason: nil)
        }
      } catch {
        try Task.checkCancellation()
        throw failure(for: error)
      }
    }

    private func failure(for error: any Error) -> ConnectionFailure {
      if let response = task.response as? HTTPURLResponse, response.statusCode != 101 {
        return ConnectionFailure(
          status: response.statusCode,
          retryAfter: response.value(forHTTPHeaderField: "Retry-After"),
          date: response.value(forHTTPHeaderField: "Date"), now: now())
      }
      guard let code = (error as? URLError)?.code else {
        return ConnectionFailure(.unreachable, detail: "the connection was closed")
      }
      let reason: ConnectionFailure.Reason =
        switch code {
        case .timedOut: .timedOut
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
          .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
          .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
          .insecure
        case .userAuthenticationRequired: .unauthorized
        case .badServerResponse, .unsupportedURL, .badURL, .dataLengthExceedsMaximum: .incompatible
        default: .unreachable
        }
      return ConnectionFailure(reason, detail: "URL error \(code.rawValue)")
    }
  }
#endif
