import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport
import Logging

/// The client of one account, with its store, its outbox and its link.
///
/// ```swift
/// let client = try ChatClient(
///   storage: .applicationSupport("alice"),
///   transport: WebSocketTransport(url: url) { token },
///   user: "alice")
/// let chat = try client.createConversation(members: ["alice", "bob"])
/// try chat.send("Hello")                        // on disk, and in the timeline, online or offline
/// await client.run()                            // sends, receives, saves drafts; until cancelled
/// ```
///
/// Intents are synchronous: when an intent returns, its one transaction is on disk, and neither `kill -9` nor a loss
/// of power undoes it. Intents may be called from any thread, and cost one sync of the disk. Only intents that must
/// know which messages are in flight are asynchronous.
///
/// Nothing runs outside ``run()``: once it is cancelled, the engine is idle.
public actor ChatClient {
  /// The account that the store belongs to.
  public nonisolated let user: UserID
  nonisolated let context: EngineContext
  nonisolated let sharedStates: EngineSharedStates
  let parts: EngineParts

  /// Whether ``suspend()`` was called, and ``resume()`` has not succeeded since.
  var isSuspended = false
  /// The calls of ``run()``. The first one works.
  private var runners = TurnQueue()
  /// Whether tasks of ``run()`` are at work.
  var isWorking = false
  nonisolated let suspendSignal = Signal()
  nonisolated let resumeSignal = Signal()
  nonisolated let restSignal = Signal()
  nonisolated let othersSignal = Signal()

  private nonisolated let executor: any SerialExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the store, or creates it when it does not exist. Nothing is sent before ``run()``.
  ///
  /// - Parameters:
  ///   - storage: the folder of the store. Each account has a folder of its own.
  ///   - transport: the adapter to the backend.
  ///   - user: the account. A store that belongs to another account is refused.
  ///   - configuration: the settings. Each has the recommended value by default.
  /// - Throws: ``ChatError`` with a storage code. The file is left as it is. If the store may be
  ///   protected at launch, ``open(storage:transport:user:configuration:)`` waits for it.
  public init(
    storage: StorageLocation, transport: any Transport, user: UserID,
    configuration: ChatConfiguration = ChatConfiguration()
  ) throws {
    try self.init(
      storage: storage, transport: transport, user: user, configuration: configuration,
      gate: configuration.environment.gate)
  }

  /// Opens a client with a gate at every commit, for tests and simulated worlds.
  package init(
    storage: StorageLocation, transport: any Transport, user: UserID, configuration: ChatConfiguration,
    gate: CommitGate?
  ) throws {
    self.user = user
    context = try EngineContext(
      opening: storage, transport: transport, user: user, configuration: configuration, gate: gate)
    executor = context.environment.executor ?? QueueExecutor(label: "holdfast.client")
    sharedStates = EngineSharedStates(context)
    parts = try EngineParts(context, sharedStates)
    context.logger.info("store opened", metadata: ["folder": "\(context.store.folder.path)"])
  }

  /// Connects, sends, receives, and saves drafts and scenes, until the task is cancelled. The call owns everything that
  /// runs.
  ///
  /// Each window may call it. The first call does the work. When its task is cancelled, the next one takes over, on a
  /// new connection, and the client is idle once the last task is cancelled.
  ///
  /// If several clients use one store, in this process or in others, one of them sends and receives. The others are
  /// on standby: their link is `.otherProcess`. When the task of the first one is cancelled, or its process dies,
  /// another client takes over at once.
  public func run() async {
    if runners.isEmpty { setRunning(true) }
    let turn = runners.join()
    defer {
      runners.leave(turn)
      if runners.isEmpty {
        setRunning(false)
        parts.drainLock.release()
      }
    }
    while !Task.isCancelled {
      guard runners.isTurn(of: turn) else {
        await turn.wait()
        continue
      }
      guard !isSuspended else {
        await resumeSignal.wait()
        continue
      }
      await work()
    }
  }

  private func setRunning(_ isRunning: Bool) {
    sharedStates.link.set(isRunning: isRunning)
    store.changes.publish(Changes(status: true))
  }

  /// Works until the task is cancelled, or the client is suspended.
  private func work() async {
    isWorking = true
    defer {
      isWorking = false
      restSignal.raise()
    }
    context.sweepAttachmentFolder()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [context] in await context.alarm.run() }
      if transport.capabilities.hasServer {
        group.addTask { await self.run { await $0.link.followPath() } }
      }
      group.addTask { await self.runLink() }
      group.addTask { [sharedStates] in await sharedStates.saving.run() }
      group.addTask { await self.run { await $0.replies.run() } }
      group.addTask { await self.followProtectedData() }
      group.addTask { await self.run { await $0.maintenance.run() } }
      if store.isShared { group.addTask { await self.followOthers() } }
      group.addTask { [suspendSignal] in await suspendSignal.wait() }
      // The other tasks end only with their group.
      await group.next()
      group.cancelAll()
    }
  }

  private func runLink() async { await parts.link.run { await self.connectOnce() } }

  /// Runs a part on the client's executor.
  private func run<Failure>(
    _ part: nonisolated(nonsending) @Sendable (EngineParts) async throws(Failure) -> Void
  ) async throws(Failure) { try await part(parts) }

  /// Notices the commits of other processes as they happen, for as long as the task lives.
  private func followOthers() async {
    await CommitWatch(store, environment, signal: othersSignal).run {
      await self.run { $0.others.notice() }
    }
  }

  /// Serves one connection, from its first byte to its end. Returns the reason for the end, which always exists.
  private func connectOnce() async -> ConnectionFailure {
    defer {
      parts.outbox.recall()
      do { try parts.replies.interruptReceived() } catch {
        logger.error("streams not marked", metadata: ["error": "\(error)"])
      }
    }
    do {
      let cursor = try store.read { try $0.settings.cursor() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { [context] in
          try await context.transport.withConnection(
            of: context.device, resumingAfter: cursor
          ) { connection in
            try await self.serve(connection)
          }
        }
        group.addTask { try await self.run { try await $0.link.watchPath() } }
        defer { group.cancelAll() }
        try await group.next()
      }
      return ConnectionFailure(.unreachable, detail: "closed")
    } catch {
      return ConnectionFailure(error)
    }
  }

  private func serve(_ connection: any TransportConnection) async throws {
    if let account = connection.account, account != user {
      throw ConnectionFailure(.unauthorized, detail: "the credentials are those of another account")
    }
    try sharedStates.held.holdOld()
    let capabilities = transport.capabilities
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.run { try await $0.inbox.run(over: connection) } }
      group.addTask { try await self.run { try await $0.outbox.run(over: connection) } }
      group.addTask { try await self.run { try await $0.outcomes.run(over: connection, for: $0.outbox) } }
      group.addTask { [sharedStates] in try await sharedStates.requests.run(over: connection) }
      group.addTask { try await self.run { try await $0.uploads.run(over: connection) } }
      if capabilities.supportsReadReceipts {
        group.addTask { [sharedStates] in try await sharedStates.readMarks.run(over: connection) }
      }
      if capabilities.carriesHistory {
        group.addTask { try await self.run { try await $0.history.run(over: connection, into: $0.inbox) } }
      }
      if capabilities.carriesSearch {
        group.addTask { try await self.run { try await $0.searches.run(over: connection) } }
      }
      if capabilities.carriesAttachments {
        group.addTask { try await self.run { try await $0.fetches.run(over: connection) } }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Whether a little more time would help: messages are sent over a link that exists or is being made, or a reply is
  /// written here. An outbox that cannot be read is no reason to wait.
  func isBusy() -> Bool {
    guard isWorking else { return false }
    if !parts.replies.openMessages.isEmpty { return true }
    guard connectivity == .online || connectivity == .reconnecting else { return false }
    return (try? context.queueCounts())?.leaving ?? 0 > 0
  }

  /// Calls a part of the engine.
  func perform<Value>(_ body: @Sendable (EngineParts) throws -> Value) throws(ChatError) -> Value {
    try Store.typed { try body(parts) }
  }

  /// Ends every backoff of the link and of the messages now (rules O7, N3). Call it when the app becomes active, when
  /// the user asks, or when there are new credentials.
  ///
  /// ```swift
  /// .onChange(of: phase) { if phase == .active { Task { await client.reconnectNow() } } }
  /// ```
  ///
  /// One wait remains: when a server has named a time before which it takes no message of a conversation, none is
  /// sent until then, as long as the connection lives. Costs no access to the disk.
  public func reconnectNow() {
    parts.link.nudge()
    if store.isShared { othersSignal.raise() }
    parts.outbox.endWaits()
  }
}

extension ChatClient {
  /// The state of the connection at this instant, for code without a view. ``OutboxHandle/healthChanges()`` reports
  /// each change, and ``ConnectionModel`` has it for a view.
  ///
  /// ```swift
  /// if client.connectivity != .online { report("not connected: \(client.connectivity)") }
  /// ```
  ///
  /// Costs no access to the disk.
  public nonisolated var connectivity: Connectivity { sharedStates.link.connectivity }
  /// Whether the server refuses the credentials. The app then gets new ones and calls ``reconnectNow()``. Nothing is
  /// lost in the meantime (rule O7).
  ///
  /// ```swift
  /// if client.needsCredentials { report("signed out: give the bot another token") }
  /// ```
  ///
  /// Costs no access to the disk.
  public nonisolated var needsCredentials: Bool { sharedStates.link.needsCredentials }
}

/// Shortcuts to `context` and `sharedStates`, for the code of this package.
extension ChatClient {
  package nonisolated var store: Store { context.store }
  package nonisolated var configuration: ChatConfiguration { context.configuration }
  package nonisolated var environment: ChatEnvironment { context.environment }
  package nonisolated var transport: any Transport { context.transport }
  package nonisolated var logger: Logger { context.logger }
  /// The ID of this launch of the app.
  package nonisolated var session: String { context.session }
  package nonisolated var waitingClock: WaitingClock { context.waitingClock }
  package nonisolated var names: ShownNames {
    ShownNames(for: user, displayName: configuration.displayName)
  }

  package nonisolated var drafts: Drafts { sharedStates.drafts }
  package nonisolated var scenes: Scenes { sharedStates.scenes }
  package nonisolated var sender: Sender { sharedStates.sender }
  package nonisolated var held: HeldPrompt { sharedStates.held }
  package nonisolated var history: HistoryFetches.SharedState { sharedStates.history }
  package nonisolated var isRunning: Bool { sharedStates.link.isRunning }

  /// Gives a conversation the ID that the server has assigned, as an event about the conversation does. For simulated
  /// worlds, whose server knows each conversation by its first ID.
  package func takeName(_ new: ConversationID, of earlier: ConversationID) throws {
    try parts.inbox.name(IncomingConversation(id: new, title: nil, members: [], earlierIDs: [earlier]))
  }
}
