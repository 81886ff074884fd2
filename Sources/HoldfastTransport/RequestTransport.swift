import Foundation
import HoldfastCore

/// A transport of one closure: it sends a message to an app's own server, and returns the server's answer (rule A7).
/// Drafts and outbox then work beside the storage and the server that an app has.
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
/// The messages of a conversation are sent one at a time, in their order; conversations do not wait for each other.
/// The engine calls the closure again with the same message, under the same ID, until it has a definitive answer. So
/// a request must name the ID to a server that keeps it, as the `PUT` above does; `idempotency` declares for how long
/// that server does. With the default, `.none`, a message whose answer was lost is not sent twice: its user decides.
///
/// Everything else is one more closure each, and each declares its ability: ``receiving(_:)`` for the server's
/// events, ``edits(_:)``, ``deletions(_:)``, ``reactions(_:)``, ``readMarks(_:)``, ``history(_:)`` and
/// ``uploads(_:downloads:)``. Without `receiving`, nothing comes from the server: the app keeps the received messages
/// itself, or gives them to ``ChatClient/receive(_:)``. An undeclared ability is refused by name before anything is
/// stored.
public struct RequestTransport: Transport {
  /// The server's answer to one message.
  public enum Answer: Sendable, Hashable {
    /// The server has the message. `at` is the time by its clock, and by default the time at which the message was
    /// written here. `order` is the place in the conversation, where the server numbers messages. `serverID` is the
    /// server's own name of the message, or of the reaction that was added: ``Receipt/serverID``.
    case accepted(at: Date? = nil, order: Int64? = nil, serverID: String? = nil)
    /// The server did not take the message, or it is unknown whether it did.
    case refused(Refusal)

    /// The answer for an HTTP status (RFC 9110, section 15). Nil: there was no answer.
    ///
    /// A status of 200 to 299 accepts the message. 408, 425, 429 and 503 are *not now*, 500 and above *no answer to
    /// this one*, because a proxy may send them for a message that the server has. 409 and 412 are too: a server that
    /// makes each message once answers them to the second copy, whose first answer was lost. 401 and 407 end the
    /// connection, as ``ConnectionFailure/Reason/unauthorized`` does. Every other status is final, with `explanation`
    /// for the user.
    ///
    /// A message that was answered with *not now* may have arrived, because a proxy may send it too. To a server that
    /// recognizes no second copy (``TransportCapabilities/Idempotency/none``) it is not sent again without asking.
    /// Where the server itself sends it, and has not taken the message, answer `.refused(.notNow(after: nil,
    /// mayHaveArrived: false))`.
    ///
    /// - Parameters:
    ///   - status: the status of the response. Nil: there was none.
    ///   - explanation: a sentence for the user, for a final status.
    ///   - retryAfter: the time that the server asked for in its `Retry-After` field.
    ///   - date: the time of the message by the server's clock.
    /// - Throws: ``ConnectionFailure`` for a status of 401 or 407.
    public static func status(
      _ status: Int?, retryAfter: Duration? = nil, at date: Date? = nil,
      explanation: String = "The server did not accept this message."
    ) throws -> Answer {
      switch status {
      case .some(200..<300): .accepted(at: date)
      case 401, 407: throw ConnectionFailure(.unauthorized, retryAfter: retryAfter)
      case 408, 425, 429, 503: .refused(.notNow(after: retryAfter))
      case 409, 412: .refused(.outcomeUnknown(after: retryAfter))
      case .some(400..<500): .refused(.rejected(FailureReason(.rejected, explanation)))
      default: .refused(.outcomeUnknown(after: retryAfter))
      }
    }
  }

  /// The abilities that the closures declare, with one message of a conversation at a time.
  public private(set) var capabilities: TransportCapabilities
  private let unconnected = RequestConnection.Unconnected()
  private var closures: RequestConnection.Closures

  /// A transport that sends with a closure.
  ///
  /// - Parameters:
  ///   - capabilities: what the server keeps. By default nothing but texts, and no IDs.
  ///   - send: sends one message, or one operation of `capabilities.operations` that has no closure of its own. A
  ///     ``ConnectionFailure`` that it throws ends the connection and costs the message nothing. It means that the
  ///     server did not take the message, because the device is offline or the credentials are refused; only
  ///     `timedOut` leaves that open. A `URLError` of a request that found no server is such a failure. Every other
  ///     error is *no answer to this one*. The task is cancelled when the connection ends, which it does when no
  ///     answer comes for ``ChatConfiguration/RetryPolicy/answerTimeout``.
  public init(
    _ capabilities: TransportCapabilities = TransportCapabilities(),
    send: @escaping @Sendable (OutgoingMessage) async throws -> Answer
  ) {
    closures = RequestConnection.Closures(send: send)
    var capabilities = capabilities
    capabilities.window = 1
    capabilities.connectsWithFirstMessage = true
    self.capabilities = capabilities
  }

  /// A connection whose messages are sent by the closure. Online as soon as the device has a network, or with
  /// ``receiving(_:)`` when the server has answered there: no message is sent before that.
  public func withConnection(
    resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    let connection = RequestConnection(closures, unconnected)
    defer { connection.close() }
    try await withoutActuallyEscaping(body) { body in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await connection.untilReady()
          try await body(connection)
        }
        group.addTask { try await connection.run() }
        if let receive = closures.receive {
          group.addTask { try await connection.run(receive, after: cursor) }
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    }
  }
}

extension RequestTransport {
  /// The same transport, with the server's events.
  ///
  /// ```swift
  /// func live(
  ///   _ transport: RequestTransport,
  ///   next: @escaping @Sendable (String?) async throws -> (place: String, IncomingMessage)
  /// ) -> RequestTransport {
  ///   transport.receiving { cursor, sink in
  ///     var place = cursor?.rawValue
  ///     while !Task.isCancelled {
  ///       let event = try await next(place)
  ///       try await sink([.message(event.1)], cursor: SyncCursor(rawValue: event.place))
  ///       place = event.place
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter receive: runs as long as the connection lives. It gets the place up to which this device has stored
  ///   the events, nil at first, and passes the later events to the ``Sink``. When it returns or throws, the
  ///   connection has ended, and the engine connects again, after a pause. It must end promptly when its task is
  ///   cancelled. A server that refuses the account, by a 401 to the request that opens a socket, is a
  ///   ``ConnectionFailure`` with ``ConnectionFailure/Reason/unauthorized``: the app is then signed out, and shows
  ///   it. A server that asks the client to back off is one with `.unavailable` and its `retryAfter`. Every other
  ///   error is a server that cannot be reached.
  public func receiving(
    _ receive: @escaping @Sendable (_ after: SyncCursor?, _ sink: Sink) async throws -> Void
  ) -> RequestTransport {
    changed { transport in
      transport.capabilities.connectsWithFirstMessage = false
      transport.closures.receive = receive
    }
  }

  /// The same transport, with edits of messages that the server has.
  ///
  /// - Parameter send: sends one edit. ``OutgoingMessage/operation`` names the message, ``OutgoingMessage/serverIDs``
  ///   has the server's name of it, and the content is the new one. It answers and throws as the closure for messages
  ///   does.
  public func edits(_ send: @escaping @Sendable (OutgoingMessage) async throws -> Answer) -> RequestTransport
  {
    sending([.edit], send)
  }

  /// The same transport, with deletions for everybody. The deletion of a deleted message is accepted.
  public func deletions(_ send: @escaping @Sendable (OutgoingMessage) async throws -> Answer)
    -> RequestTransport
  {
    sending([.delete], send)
  }

  /// The same transport, with reactions. The kind of ``OutgoingMessage/operation`` says whether the reaction, which
  /// is the text, is added or taken back.
  public func reactions(_ send: @escaping @Sendable (OutgoingMessage) async throws -> Answer)
    -> RequestTransport
  {
    sending([.react, .unreact], send)
  }

  /// The same transport, with read marks. An error counts as one of the connection.
  public func readMarks(
    _ send: @escaping @Sendable (IncomingItem.ReadMark) async throws -> Void
  ) -> RequestTransport {
    changed { transport in
      transport.capabilities.supportsReadReceipts = true
      transport.closures.readMark = send
    }
  }

  /// The same transport, with older messages on demand (rule B6).
  ///
  /// ```swift
  /// func paging(
  ///   _ transport: RequestTransport,
  ///   page: @escaping @Sendable (ConversationID, String?) async throws -> [IncomingMessage]
  /// ) -> RequestTransport {
  ///   transport.history { request in
  ///     let before = request.before?.rawValue ?? request.oldest?.serverID
  ///     let messages = try await page(request.conversation, before)
  ///     let place = messages.count < 50 ? nil : messages.first?.serverID
  ///     return HistoryPage(items: messages.map { .message($0) }, before: place.map(HistoryPlace.init(rawValue:)))
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter fetch: requests one page: ``TransportConnection/history(_:)``. The place is whatever the server
  ///   pages by: a token, a message, a time. A request that found no server ends the connection.
  public func history(
    _ fetch: @escaping @Sendable (HistoryRequest) async throws -> HistoryPage
  ) -> RequestTransport {
    changed { transport in
      transport.capabilities.carriesHistory = true
      transport.closures.history = fetch
    }
  }

  /// The same transport, with a search of all that the server has (rule B6).
  ///
  /// ```swift
  /// func searching(
  ///   _ transport: RequestTransport, find: @escaping @Sendable (String, Int) async throws -> [IncomingMessage]
  /// ) -> RequestTransport {
  ///   transport.search { request in SearchResults(try await find(request.query, request.limit)) }
  /// }
  /// ```
  ///
  /// - Parameter find: makes one search: ``TransportConnection/search(_:)``. A request that found no server ends the
  ///   connection.
  public func search(
    _ find: @escaping @Sendable (SearchRequest) async throws -> SearchResults
  ) -> RequestTransport {
    changed { transport in
      transport.capabilities.carriesSearch = true
      transport.closures.search = find
    }
  }

  /// The same transport, with files.
  ///
  /// - Parameters:
  ///   - upload: ``TransportConnection/upload(_:)``.
  ///   - download: ``TransportConnection/download(_:)``.
  public func uploads(
    _ upload: @escaping @Sendable (ChatAttachment.Upload) async throws -> String,
    downloads download: @escaping @Sendable (ChatAttachment.Download) async throws -> Void
  ) -> RequestTransport {
    changed { transport in
      transport.capabilities.carriesAttachments = true
      (transport.closures.upload, transport.closures.download) = (upload, download)
    }
  }

  private func sending(
    _ kinds: [MessageOperation.Kind], _ send: @escaping @Sendable (OutgoingMessage) async throws -> Answer
  ) -> RequestTransport {
    changed { transport in
      transport.capabilities.operations.formUnion(kinds)
      for kind in kinds { transport.closures.operations[kind] = send }
    }
  }

  private func changed(_ change: (inout RequestTransport) -> Void) -> RequestTransport {
    var transport = self
    change(&transport)
    return transport
  }

  /// Takes the server's events.
  public struct Sink: Sendable {
    let connection: RequestConnection

    /// The server has answered: the connection counts as online. The first items have the same effect.
    public func ready() { connection.ready() }

    /// Stores items, in the server's order, together with the place that they lead to. Returns when they are on this
    /// device's disk. Repeated items change nothing, so an event may be repeated after a crash. A nil cursor leaves
    /// the place where it is, and no items with a cursor move it alone.
    ///
    /// - Throws: `CancellationError` when the connection has ended. The items are passed again on the next one.
    public func callAsFunction(_ items: [IncomingItem], cursor: SyncCursor?) async throws {
      try await connection.store(.items(items, cursor: cursor))
    }

    /// Shows a piece of a message that somebody is writing.
    public func callAsFunction(_ piece: StreamPiece) async throws {
      try await connection.store(.piece(piece))
    }
  }
}
