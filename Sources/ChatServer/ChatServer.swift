import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

/// The reference server, without sockets: accounts, connections and frames in, frames out. The socket layer
/// (a WebSocket, a simulated network) calls it, so that a simulation runs the same server as the relay.
///
/// ```swift
/// let server = try ChatServer(folder: folder)
/// try await server.register("alice", token: token)
/// let connection = try await server.connect(token: token) { output in
///   switch output {
///   case .frame(let data): socket.write(data)
///   case .close: socket.close()
///   }
/// }
/// await server.receive(frame, on: connection)
/// ```
///
/// `docs/wire.md` describes the frames.
///
/// Cost: one `send` frame is one transaction and one wait for the disk, for any number of messages. The actor blocks
/// meanwhile, and has a thread of its own.
///
/// Accounts, conversations, messages, attachments and the log survive a crash. A receipt is sent after the commit is
/// on disk. Connections and the pieces of unfinished messages are in memory only.
public actor ChatServer {
  /// The limits for connections and accounts of this server.
  public nonisolated let limits: Limits
  let environment: ChatEnvironment
  let database: ServerDatabase
  var sessions = Sessions()
  var streams: StreamBuffer
  var buckets: TokenBuckets
  var byteBuckets: TokenBuckets
  var transferBuckets: TokenBuckets
  var searchBuckets: TokenBuckets
  let searches: SearchAnswers
  let attachments: ServerFolder
  /// The counters since the server was opened.
  var counts = ServerMeters()
  /// The present IDs of conversations, by each earlier ID.
  var presentIDs: [String: String]
  /// The cursor of the last published event. Live connections were sent everything up to it that they may see.
  var publishedCursor: Int64
  /// True once the server was stopped, or its simulated machine lost power. From then on nothing is read, stored or
  /// sent.
  var isStopped = false
  /// The parts of the index that may have words of deleted messages. A killed server may have left any.
  var remnants = Remnants.all
  private let executor: any SerialExecutor

  enum Remnants: Sendable { case all, some, none }

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the server on `folder`. Makes the folder and the database if there are none, readable only by their
  /// owner.
  ///
  /// A folder belongs to one server in one process, which holds a lock on `server.lock` until it is stopped. A
  /// second server on the same folder would not notify its connections about messages that the first one accepts.
  /// The system releases the lock of a process that was killed.
  ///
  /// - Parameters:
  ///   - folder: the folder of `server.sqlite`.
  ///   - limits: the limits for one account or connection.
  ///   - environment: the clock of the rate limit, the date in receipts, the log, and the executor on which the
  ///     server runs; by default a queue of its own.
  /// - Throws: ``ServerError`` with `folderInUse` when another server is running on the folder, `storageForeign`
  ///   when the database is not this server's, or `storageFailed`. Existing files are then unchanged.
  public init(folder: URL, limits: Limits = Limits(), environment: ChatEnvironment = ChatEnvironment()) throws
  {
    try self.init(
      folder: folder, limits: limits, environment: environment, gate: nil, locksFolder: true)
  }

  /// Opens the server with a gate at every commit. When the gate throws, the server sends nothing from then on, like
  /// a machine that lost power.
  ///
  /// - Parameter locksFolder: false for a simulated machine, which may lose power while its process continues. The
  ///   dead server would keep the lock.
  package init(
    folder: URL, limits: Limits = Limits(), environment: ChatEnvironment = ChatEnvironment(),
    gate: CommitGate?, locksFolder: Bool = false
  ) throws {
    self.limits = limits
    self.environment = environment
    executor = environment.executor ?? QueueExecutor(label: "chat-server")
    streams = StreamBuffer(limits: limits)
    buckets = TokenBuckets(capacity: limits.burst, perSecond: limits.messagesPerSecond)
    byteBuckets = TokenBuckets(capacity: limits.burstBytes, perSecond: limits.bytesPerSecond)
    transferBuckets = TokenBuckets(capacity: limits.transferBurst, perSecond: limits.transfersPerSecond)
    searchBuckets = TokenBuckets(capacity: limits.searchBurst, perSecond: limits.searchesPerSecond)
    database = try ServerDatabase(folder: folder, gate: gate, locksFolder: locksFolder)
    searches = SearchAnswers(database, limits: limits, environment: environment)
    attachments = ServerFolder(in: folder)
    presentIDs = try database.read { try Conversations(db: $0).presentIDs() }
    publishedCursor = try database.read { try EventLog(db: $0).head() }
    let known = try Self.known(database, attachments)
    attachments.sweep {
      known.files.contains($0.lastPathComponent) || known.parts.contains($0.lastPathComponent)
    }
  }

  /// Makes an account, or changes its token and closes its connections. With an unchanged token it does nothing.
  ///
  /// Only the token's SHA-256 is stored, so tokens must be long and random: 16 bytes or more from the
  /// system's generator.
  ///
  /// - Throws: ``ServerError`` with `invalidAccount`, `tokenTaken`, `storageFailed` or `stopped`.
  public func register(_ account: UserID, token: String) throws {
    guard !isStopped else { throw ServerError.stopped }
    guard account.isWellFormed, !token.isEmpty else { throw ServerError.invalidAccount }
    let registration = try throwingServerError {
      try database.write { try Accounts(db: $0).register(account, token: token) }
    }
    guard registration == .tokenChanged else { return }
    for connection in sessions.connections(of: account) {
      fail(connection, .unauthorized, "The account has a new token.")
    }
  }

  /// Whether an account has this token. The socket layer can check it before the upgrade to a WebSocket.
  ///
  /// - Throws: ``ServerError`` with `storageFailed` or `stopped`.
  public func isKnown(token: String) throws -> Bool {
    guard !isStopped else { throw ServerError.stopped }
    return try throwingServerError { try database.read { try Accounts(db: $0).find(token: token) } } != nil
  }

  /// Opens a connection for the account with this token.
  ///
  /// - Parameter send: called with each output for this connection, in order, from inside the server. It must only
  ///   enqueue the output, and must not block. After `.close` it is not called again.
  /// - Returns: the number under which the frames of this connection are received.
  /// - Throws: ``ServerError`` with `unauthorized`, `storageFailed` or `stopped`.
  public func connect(
    token: String, send: @escaping @Sendable (ServerOutput) -> Void
  ) throws -> ConnectionID {
    guard !isStopped else { throw ServerError.stopped }
    let account = try throwingServerError { try database.read { try Accounts(db: $0).find(token: token) } }
    guard let account else { throw ServerError(.unauthorized, "No account has this token.") }
    let own = sessions.connections(of: account)
    if own.count >= max(1, limits.maximumConnectionsPerAccount) {
      fail(own[0], .overloaded, "The account has too many connections.")
    }
    let connection = sessions.add(account: account, send: send)
    environment.logger.debug("connected", metadata: ["connection": "\(connection.number)"])
    return connection
  }

  /// Receives one frame from a connection. When this returns, all effects of the frame are on disk and passed to the
  /// `send` closures of the connections concerned. A frame on a closed connection is ignored.
  ///
  /// Frames of other connections are received while a search is answered.
  public func receive(_ frame: Data, on connection: ConnectionID) async {
    guard let (search, session) = take(frame, on: connection) else { return }
    await answer(search, to: session)
  }

  /// Handles a frame in one step. Returns a search, which is answered later without delaying other frames.
  func take(_ frame: Data, on connection: ConnectionID) -> (Wire.Search, Session)? {
    guard !isStopped, sessions[connection] != nil else { return nil }
    return handle(frame, on: connection)
  }

  /// Removes deleted data from the index of words, and from the journal beside the database. The socket layer calls it
  /// every 15 seconds. It takes at most 100 ms, and the next call continues.
  public func removeRemnants() {
    guard !isStopped else { return }
    let end = environment.uptime() + .milliseconds(100)
    do {
      while remnants != .none, environment.uptime() < end {
        let isFirst = remnants == .all
        let hasMore = try database.write { try SearchIndex(db: $0).merge(pages: 64, isFirst: isFirst) }
        remnants = hasMore ? .some : .none
      }
      try database.emptyJournal()
    } catch {
      logStorage(error)
    }
  }

  /// Notes that a connection has ended, so that nothing more is sent on it. Does nothing when the server has closed
  /// the connection itself.
  public func disconnect(_ connection: ConnectionID) {
    guard sessions.remove(connection) != nil else { return }
    environment.logger.debug("disconnected", metadata: ["connection": "\(connection.number)"])
  }

  /// Closes every connection and the database. Clients reconnect when the server is back. Afterwards the server
  /// ignores all frames.
  public func stop() {
    guard !isStopped else { return }
    for connection in sessions.all { fail(connection, .unavailable, "The server is stopping.") }
    isStopped = true
    do { try database.close() } catch { logStorage(error) }
  }
}
