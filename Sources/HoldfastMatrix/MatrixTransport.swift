import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport
import Synchronization

/// The transport to a Matrix homeserver, such as Synapse: rooms as conversations, live, with other clients beside yours
/// (rule B8).
///
/// ```swift
/// let credentials = try SystemCredentials.open()
/// let user: UserID = "@alice:example.org"
/// let transport = MatrixTransport {
///   guard let kept = try credentials.credential(for: user) else { throw ConnectionFailure(.unauthorized) }
///   return try JSONDecoder().decode(MatrixLogin.self, from: kept.bytes)
/// } renewed: { login in
///   try credentials.set(Credential(JSONEncoder().encode(login)), for: user)
/// }
/// let client = try ChatClient(storage: .applicationSupport("alice"), transport: transport, user: user)
/// ```
///
/// A message's ID is its transaction, so the server knows a message that is sent again by the same device for a day.
/// Afterwards, the server's events show whether it arrived. The server's events give the order. A conversation that the
/// app creates becomes a room, and gets the room's ID. An encrypted room takes no messages, because the server could
/// read them. What is promised, and how, is in `docs/backends.md`.
///
/// `withConnection` throws every error of its body, and ``ConnectionFailure`` with one of these reasons:
/// - `.unauthorized` when the login has ended, is another user's, or cannot be obtained
/// - `.unavailable` when the server asks for patience, `.timedOut` when it is silent, and `.incompatible` when it is
///   not one
/// - `.unreachable` and `.insecure` for other failures
///
/// One connection costs a request that waits, and one for each thing that is sent. Nothing is stored, so nothing is
/// lost in a crash: the engine resumes from its store.
public struct MatrixTransport: Transport {
  /// What an app may choose.
  struct Settings: Sendable {
    var newest: Int
    var longestWait: Duration
    var largestFile: Int64 = 50_000_000
    var accepts: @Sendable (MatrixInvitation) async -> Bool
  }

  private let login: @Sendable () async throws -> MatrixLogin
  private let renewed: @Sendable (MatrixLogin) async throws -> Void
  private let httpClient: any HTTPClient
  private let environment: ChatEnvironment
  private let settings: Settings
  private let isOnThisMachine: Bool

  /// - Parameters:
  ///   - newest: the events of each room that a new device gets at first, the newest ones. Older ones come when somebody scrolls
  ///     up.
  ///   - longestWait: the time for which the server may hold a request back when it has nothing to report. Silence is
  ///     found out ten seconds later.
  ///   - largestFile: the largest file in bytes. A file that is larger is refused before it is attached. Where the server takes less, the
  ///     message with the file fails.
  ///   - isOnThisMachine: whether the server runs on this device, and answers without a network.
  ///   - environment: the clock for time-outs, and the log.
  ///   - accepts: whether an invitation is accepted. By default all are. One that is not stays as it is, for the app or another
  ///     client to answer.
  ///   - login: the login that is kept for this account. It is asked for on each connection, and when the server no longer takes
  ///     a token. An error counts as `.unauthorized`.
  ///   - renewed: keeps a login whose tokens were renewed, in place of the last one. It must be on disk when the call returns:
  ///     the server forgets the earlier tokens. An error ends the connection.
  public init(
    newest: Int = 100, longestWait: Duration = .seconds(30), largestFile: Int64 = 50_000_000,
    isOnThisMachine: Bool = false, environment: ChatEnvironment = ChatEnvironment(),
    accepts: @escaping @Sendable (MatrixInvitation) async -> Bool = { _ in true },
    login: @escaping @Sendable () async throws -> MatrixLogin,
    renewed: @escaping @Sendable (MatrixLogin) async throws -> Void
  ) {
    self.init(
      Settings(
        newest: max(1, newest), longestWait: max(.seconds(1), longestWait), largestFile: largestFile,
        accepts: accepts),
      isOnThisMachine: isOnThisMachine, httpClient: defaultHTTPClient(), environment: environment,
      login: login,
      renewed: renewed)
  }

  init(
    _ settings: Settings, isOnThisMachine: Bool = false, httpClient: any HTTPClient,
    environment: ChatEnvironment,
    login: @escaping @Sendable () async throws -> MatrixLogin,
    renewed: @escaping @Sendable (MatrixLogin) async throws -> Void = { _ in }
  ) {
    (self.settings, self.isOnThisMachine) = (settings, isOnThisMachine)
    (self.httpClient, self.environment) = (httpClient, environment)
    (self.login, self.renewed) = (login, renewed)
  }

  /// The events of a room may have 65,536 bytes
  /// ([size limits](https://spec.matrix.org/v1.15/client-server-api/#size-limits)).
  private static let longestText = 60_000

  /// Every operation and every field, IDs for a day, read marks, older messages, files. No pieces of messages, no
  /// search.
  public var capabilities: TransportCapabilities {
    TransportCapabilities(
      maximumMessageBytes: Self.longestText, idempotency: .window(.seconds(24 * 3600), scope: .account),
      operations: Set(MessageOperation.Kind.allCases), fields: Set(TransportCapabilities.Field.allCases),
      carriesAttachments: true, maximumAttachmentBytes: settings.largestFile,
      supportsReadReceipts: true, carriesHistory: true, placesByEvents: true, needsNetwork: !isOnThisMachine)
  }

  /// Connects for as long as `body` runs.
  public func withConnection(
    resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    let client = MatrixClient(
      tokens: MatrixTokens(read: login, write: renewed), httpClient: httpClient, environment: environment)
    let (user, device) = try await identity(client)
    let place = MatrixPlace(cursor)
    let (rooms, echoes) = (MatrixRooms(client, as: user), MatrixEchoes(edits: place?.edits ?? []))
    let reader = MatrixReader(client: client, echoes: echoes, account: user)
    let listener = MatrixListener(
      client: client, rooms: rooms, echoes: echoes, reader: reader, device: device, settings: settings)
    let sender = MatrixSender(
      client: client, rooms: rooms, echoes: echoes, account: user,
      isOtherDevice: place.map { $0.device != device } ?? false)
    try await withoutActuallyEscaping(body) { body in
      try await requests(listener, sender, after: place).withConnection(resumingAfter: cursor) { base in
        try await body(
          MatrixConnection(
            base: base, user: user, rooms: rooms, echoes: echoes, isResumed: place != nil))
      }
    }
  }

  private func requests(
    _ listener: MatrixListener, _ sender: MatrixSender, after place: MatrixPlace?
  ) -> RequestTransport {
    let (sink, media) = (SinkBox(), MatrixMedia(sender.client))
    return RequestTransport(capabilities) { message in
      try await sender.answer(to: message) { try await sink.deliver([.conversation($0)]) }
    }
    .receiving { _, events in
      sink.set(events)
      events.ready()
      try await listener.run(after: place, events)
    }
    .readMarks { try await sender.send($0) }
    .uploads {
      try await media.upload($0)
    } downloads: {
      try await media.download($0)
    }
    .history {
      try await MatrixHistory(client: sender.client, rooms: sender.rooms, reader: listener.reader).page($0)
    }
  }

  /// The account and the device that the server takes the login for.
  private func identity(_ client: MatrixClient) async throws -> (user: UserID, device: String) {
    do {
      let fields = try await client.send(MatrixRequest("GET", ["v3", "account", "whoami"])).fields()
      guard let user = fields.word("user_id") else {
        throw ConnectionFailure(.incompatible, detail: "the homeserver names no account")
      }
      return (UserID(rawValue: user), fields.text("device_id") ?? "")
    } catch {
      throw try ConnectionFailure(matrix: error)
    }
  }
}

/// Where the events of a connection go, once it has begun.
private final class SinkBox: Sendable {
  private let sink = Mutex<RequestTransport.Sink?>(nil)

  func set(_ events: RequestTransport.Sink) { sink.withLock { $0 = events } }

  func deliver(_ items: [IncomingItem]) async throws { try await sink.withLock { $0 }?(items, cursor: nil) }
}
