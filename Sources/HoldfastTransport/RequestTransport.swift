import Foundation
import HoldfastCore

/// A transport of one closure: it sends a message to an app's own server, and says what the server answered (SPEC A7).
/// Drafts and outbox then stand beside the storage and the server that an app has.
///
/// ```swift
/// let transport = RequestTransport { message in
///   var request = URLRequest(url: URL(string: "https://example.com/messages/\(message.id)")!)
///   request.httpMethod = "PUT"
///   request.httpBody = Data(message.text.utf8)
///   let (_, response) = try await URLSession.shared.data(for: request)
///   return try .status((response as? HTTPURLResponse)?.statusCode)
/// }
/// ```
///
/// The messages of a conversation are sent one at a time, in their order; conversations do not wait for each other. The
/// engine calls the closure again with the same message, under the same ID, until it has an answer that settles it. So a
/// request must name the ID to a server that keeps it, as the `PUT` above does; `idempotency` says for how long that
/// server does. With the default, `.none`, a message whose answer was lost is not sent twice: its user decides.
///
/// Nothing comes from the server: the app keeps the received messages itself, or gives them to
/// ``ConversationHandle/receive(_:)``. What is not declared in `capabilities` is refused by name before it is stored.
public struct RequestTransport: Transport {
  /// The server's answer to one message.
  public enum Answer: Sendable, Hashable {
    /// The server has the message. `at` is the time by its clock, and by default that at which the message was written
    /// here. `order` is the place in the conversation, where the server numbers messages.
    case accepted(at: Date? = nil, order: Int64? = nil)
    /// The server did not take the message, or nobody knows whether it did.
    case refused(Refusal)

    /// The answer that an HTTP status stands for (RFC 9110, section 15). Nil: there was no answer.
    ///
    /// A status of 200 to 299 accepts the message. 408, 425, 429 and 503 are *not now*, 500 and above *no answer to this
    /// one*, because a proxy may say them of a message that the server has. 401 ends the connection, as
    /// ``ConnectionFailure/Reason/unauthorized`` does. Every other status is final, with `explanation` for the user.
    ///
    /// - Parameters:
    ///   - retryAfter: the time that the server asked for in its `Retry-After` field.
    ///   - date: the time of the message by the server's clock.
    /// - Throws: ``ConnectionFailure`` for a status of 401.
    public static func status(
      _ status: Int?, retryAfter: Duration? = nil, at date: Date? = nil,
      explanation: String = "The server did not accept this message."
    ) throws -> Answer {
      switch status {
      case .some(200..<300): .accepted(at: date)
      case 401: throw ConnectionFailure(.unauthorized, retryAfter: retryAfter)
      case 408, 425, 429, 503: .refused(.notNow(after: retryAfter))
      case .some(400..<500): .refused(.rejected(FailureReason(.rejected, explanation)))
      default: .refused(.noAnswer(after: retryAfter))
      }
    }
  }

  public let capabilities: TransportCapabilities
  private let unconnected = RequestConnection.Unconnected()
  private let send: @Sendable (OutgoingMessage) async throws -> Answer

  /// A transport that sends with a closure.
  ///
  /// - Parameters:
  ///   - capabilities: what the server keeps. By default nothing but texts, and no IDs.
  ///   - send: sends one message, or one operation of `capabilities.operations`. A ``ConnectionFailure`` that it throws
  ///     ends the connection and costs the message nothing. It says that the server did not take the message, because the
  ///     device is offline or the credentials are refused; only `timedOut` leaves that open. A `URLError` of a request that
  ///     found no server is such a failure. Every other error is *no answer to this one*. The task is cancelled when the
  ///     connection ends, which it does when no answer comes for ``ChatConfiguration/RetryPolicy/answerTimeout``.
  public init(
    _ capabilities: TransportCapabilities = TransportCapabilities(),
    send: @escaping @Sendable (OutgoingMessage) async throws -> Answer
  ) {
    self.send = send
    var capabilities = capabilities
    capabilities.window = 1
    self.capabilities = capabilities
  }

  /// A connection whose messages are sent by the closure. Online as soon as the device has a network.
  public func withConnection(
    resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    let connection = RequestConnection(unconnected)
    try await withoutActuallyEscaping(body) { body in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await body(connection) }
        group.addTask { [send] in try await connection.run(send) }
        defer { group.cancelAll() }
        try await group.next()
      }
    }
  }
}
