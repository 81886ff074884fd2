#if Firestore
  import Foundation
  import HoldfastCore
  import HoldfastTransport

  /// The transport to Firestore in Native mode, over gRPC: live, without polling, under security rules (rule B9).
  ///
  /// ```swift
  /// guard let login = Auth.auth().currentUser else { return }
  /// let transport = FirestoreTransport(project: "my-project") { try await login.getIDToken() }
  /// let client = try ChatClient(
  ///   storage: .applicationSupport(login.uid), transport: transport, user: UserID(rawValue: login.uid))
  /// ```
  ///
  /// A message's ID is its document's ID, and a document is created once, so sending is idempotent. The server's
  /// time gives the order. Several waiting messages of a conversation are written by one commit. The data model, the
  /// security rules and the indexes are in `docs/backends.md`; deploy the rules and the indexes first.
  ///
  /// `withConnection` throws every error of its body, and ``ConnectionFailure`` with one of these reasons:
  /// - `.unauthorized` when the token is refused, names no account, or cannot be obtained
  /// - `.incompatible` when the rules or the indexes do not permit the queries of this transport
  /// - `.timedOut` when the server is silent, and `.unreachable` for other failures
  ///
  /// One connection costs one socket with one stream, and the memory of a few pages of documents. Nothing is stored, so
  /// nothing is lost in a crash: the engine resumes from its store.
  public struct FirestoreTransport: Transport {
    private let database: FirestoreDatabase
    private let keepalive: Duration
    private let environment: ChatEnvironment
    private let newest: Int?
    private let token: @Sendable () async throws -> String

    /// - Parameters:
    ///   - project: the ID of the project.
    ///   - database: the ID of the database.
    ///   - server: nil for Google's. An emulator on this machine has an address such as `http://127.0.0.1:8080`.
    ///   - keepalive: the period of silence after which the server is pinged. The response may take a third of this
    ///     time. A server ends connections that ping too often; Firebase's own clients ping after 30 seconds.
    ///   - environment: the clock for timeouts.
    ///   - newest: the number of newest messages of each conversation that a new device gets at first. Older
    ///     messages are fetched when somebody scrolls up. Each fetched message is billed as a read. Nil: all of them
    ///     at first.
    ///   - token: returns Firebase Authentication's ID token of the user. It is called for each request, so it
    ///     should return the same token while that is valid. It is never logged. An error that it throws counts as
    ///     `.unauthorized`, except a ``ConnectionFailure``, which is passed on.
    public init(
      project: String, database: String = "(default)",
      server: URL? = nil,
      keepalive: Duration = .seconds(30), environment: ChatEnvironment = ChatEnvironment(),
      newest: Int? = 100, token: @escaping @Sendable () async throws -> String
    ) {
      self.database = FirestoreDatabase(project: project, name: database, server: server)
      self.keepalive = keepalive
      self.environment = environment
      self.newest = newest.map { max(1, $0) }
      self.token = token
    }

    /// Every operation and every field, permanent idempotency, read marks, older messages, no files. Up to 100
    /// messages of a conversation are in flight at once.
    public var capabilities: TransportCapabilities {
      TransportCapabilities(
        window: FirestoreLane.batch, maximumMessageBytes: 100_000, idempotency: .forever,
        operations: Set(MessageOperation.Kind.allCases), fields: Set(TransportCapabilities.Field.allCases),
        supportsReadReceipts: true, carriesHistory: true, needsNetwork: !database.isOnThisMachine)
    }

    /// Connects for as long as `body` runs.
    public func withConnection(
      resumingAfter cursor: SyncCursor?,
      _ body: @Sendable (any TransportConnection) async throws -> Void
    ) async throws {
      let account = try await FirestoreToken.account(of: token)
      try await withoutActuallyEscaping(body) { body in
        try await FirestoreClient.with(database, keepalive: keepalive, token: token) { client in
          let connection = FirestoreConnection(client, as: account, environment: environment)
          // The task that ends first decides how the connection ended, and cancels the others.
          try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await connection.listen(after: FirestorePlace(cursor), newest: newest) }
            group.addTask { try await connection.carry() }
            group.addTask { try await body(connection) }
            try await group.next()
          }
        }
      }
    }
  }
#endif
