import Foundation
import HoldfastCore
import HoldfastStore
import Logging
import HoldfastTransport

/// The client of one account, with its store, its outbox and its link.
///
/// ```swift
/// let client = try ChatClient(
///   storage: .applicationSupport("alice"),
///   transport: WebSocketTransport(url: url) { token },
///   user: "alice")
/// try client.createConversation("alice-bob", members: ["alice", "bob"])
/// try client.send("Hello", in: "alice-bob")     // on disk, and in the timeline, online or offline
/// await client.run()                            // sends, receives, saves drafts; until cancelled
/// ```
///
/// Intents are synchronous: when an intent returns, its one transaction is on disk, and neither `kill -9` nor a loss of
/// power undoes it. Intents may be called from any thread, and cost one sync of the disk. Only intents that must know
/// which messages are on their way at this moment are asynchronous.
///
/// Nothing runs outside ``run()``: cancel it and the engine is still.
public actor ChatClient {
  /// The account that the store belongs to.
  public nonisolated let user: UserID
  nonisolated let context: EngineContext
  package nonisolated let drafts: Drafts
  package nonisolated let scenes: Scenes
  private nonisolated let saving: SavingLoop
  package nonisolated let sender: Sender
  nonisolated let editor: MessageEditor
  nonisolated let unsent: UnsentMessages
  package nonisolated let held: HeldQuestion
  nonisolated let requests: Requests
  nonisolated let readMarks: ReadMarks
  nonisolated let choresDoor = Chores.Door()
  nonisolated let fetchesDoor = Fetches.Door()
  package nonisolated let history: HistoryFetches.Door
  nonisolated let searchDoor = ServerSearches.Door()

  let queue: Outbox
  private let fates: FateLookup
  private let uploads: Uploads
  let fetches: Fetches
  let replies: Replies
  let inbox: Inbox
  private let older: HistoryFetches
  private let searches: ServerSearches
  let link: Link
  let drainLock: DrainLock
  private let chores: Chores
  let erasing: ErasingChore
  let deletions: Deletions
  let retries: Retries
  let questions: Questions
  private let others: OtherProcesses

  package var isRunning: Bool { live.isRunning }
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

  package nonisolated var store: Store { context.store }
  package nonisolated var configuration: ChatConfiguration { context.configuration }
  package nonisolated var names: ShownNames {
    ShownNames(for: user, displayName: configuration.displayName)
  }
  package nonisolated var environment: ChatEnvironment { context.environment }
  package nonisolated var transport: any Transport { context.transport }
  package nonisolated var live: LiveState { context.live }
  package nonisolated var logger: Logger { context.logger }
  /// The ID of this launch of the app.
  package nonisolated var session: String { context.session }
  package nonisolated var waitingClock: WaitingClock { context.waitingClock }

  /// Opens the store, or creates it when it does not exist. Nothing is sent before ``run()``.
  ///
  /// - Parameters:
  ///   - storage: the folder of the store. Each account has a folder of its own.
  ///   - transport: the adapter to the backend.
  ///   - user: the account. A store that belongs to another account is refused.
  ///   - configuration: the settings. Each has the recommended value by default.
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The file is left as it is. If the store may be
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
    gate: (any CommitGate)?
  ) throws {
    let events = EventLog()
    var configuration = configuration
    configuration.environment.logger = events.recording(
      configuration.environment.logger, now: configuration.environment.now)
    let environment = configuration.environment
    let folder = try storage.resolve()
    let store = try Store(
      folder: folder, owner: user, gate: gate, isShared: storage.isShared, protection: storage.protection)
    let device = try store.device(else: environment.makeID)
    let savingSignal = Signal()
    let drafts = Drafts(
      store: store, environment: environment, intervals: configuration.saving, wake: savingSignal)
    let (mark, newest) = try store.read { (try $0.outbox.waitingMark(), try $0.outbox.lastWaitingReading()) }
    let (date, uptime) = (environment.now(), environment.uptime())
    let waitingClock = WaitingClock(mark: mark, newest: newest, date: date, uptime: uptime)
    let context = EngineContext(
      user: user, device: device, session: drafts.session, store: store, transport: transport,
      configuration: configuration,
      live: LiveState(link: LinkState(path: configuration.path, capabilities: transport.capabilities)),
      waitingClock: waitingClock, events: events, alarm: Alarm(environment))
    if let records = configuration.recordsDeliveries { try store.recordDeliveries(records) }
    let isAlone = try Self.tidyUpAlone(context, mark: waitingClock.mark(date: date, at: uptime))

    self.user = user
    self.context = context
    executor = environment.executor ?? QueueExecutor(label: "holdfast.client")
    self.drafts = drafts
    let scenes = Scenes(
      store: store, environment: environment, intervals: configuration.saving, wake: savingSignal)
    self.scenes = scenes
    saving = SavingLoop(
      [drafts, scenes], signal: savingSignal, alarm: context.alarm, environment: environment)
    let sender = Sender(context: context, drafts: drafts)
    self.sender = sender
    editor = MessageEditor(context: context, sender: sender)
    let unsent = UnsentMessages(context: context, drafts: drafts)
    self.unsent = unsent
    let held = HeldQuestion(context: context)
    self.held = held
    let requests = Requests(context)
    self.requests = requests
    readMarks = ReadMarks(context)

    let outboxDoor = Outbox.Door()
    outboxDoor.follow(store.changes)
    let replies = Replies(context, requests: requests, wakeOutbox: outboxDoor.wake)
    let fates = FateLookup(context)
    let uploads = Uploads(context)
    let outbox = Outbox(context, door: outboxDoor, uploads: uploads, fates: fates, replies: replies)
    let drainLock = DrainLock(context, replies: replies, isTidy: store.isShared ? false : isAlone)
    let link = Link(context, path: configuration.path, drainLock: drainLock)
    let erasing = ErasingChore(store, context.live, environment, door: choresDoor)
    (self.replies, self.fates, self.uploads, queue) = (replies, fates, uploads, outbox)
    (self.drainLock, self.link, self.erasing) = (drainLock, link, erasing)
    fetches = Fetches(context, door: fetchesDoor)
    let deletions = Deletions(context, drafts: drafts, replies: replies, requests: requests, erasing: erasing)
    self.deletions = deletions
    retries = Retries(unsent, outbox, link)
    questions = Questions(sender, replies)
    others = OtherProcesses(
      context, outbox: outbox, deletions: deletions, drafts: drafts, link: link, fetches: fetchesDoor)
    inbox = Inbox(
      context, drafts: drafts, outbox: outbox, replies: replies, link: link, held: held, erasing: erasing,
      fetches: fetchesDoor)
    let history = HistoryFetches.Door(context)
    let older = HistoryFetches(context, door: history, inbox: inbox)
    inbox.passOver = { [weak older] in older?.notePassedOver($0) }
    (self.history, self.older) = (history, older)
    searches = ServerSearches(context, door: searchDoor)
    var chores: [any Chore] = [
      erasing, JournalChore(store, environment.logger), IndexingChore(store, environment.logger),
    ]
    if configuration.history.isLimited {
      chores.append(EvictionChore(store, configuration.history) { history.readBack })
    }
    self.chores = Chores(chores, door: choresDoor, hub: store.changes, environment: environment)
    environment.logger.info("store opened", metadata: ["folder": "\(folder.path)"])
  }

  /// Marks the messages that an earlier process left half written, unless another client is at work. Returns whether
  /// this client is alone.
  private static func tidyUpAlone(
    _ context: EngineContext, mark: WaitingClock.Mark
  ) throws(ChatError) -> Bool {
    let store = context.store
    let lock = try? store.openDrainLock()
    guard (try? lock?.take()) == true else { return false }
    defer { lock?.release() }
    try store.writeUnsynced {
      try $0.streams.interruptAll()
      try $0.streams.interruptWork(except: context.session)
      try $0.outbox.setWaitingMark(mark)
    }
    return true
  }

  /// Connects, sends, receives, and saves drafts and scenes, until the task is cancelled. The call owns everything that
  /// runs.
  ///
  /// Each window may call it. The first call does the work. When its task is cancelled, the next one takes over, on a new
  /// connection, and the client is still once the last task is cancelled.
  ///
  /// If several clients use one store, in this process or in others, one of them sends and receives. The others stand
  /// by: their link is `.otherProcess`. When the task of the first one is cancelled, or its process dies, another client
  /// takes over at once.
  public func run() async {
    if runners.isEmpty { setRunning(true) }
    let turn = runners.join()
    defer {
      runners.leave(turn)
      if runners.isEmpty {
        setRunning(false)
        drainLock.release()
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
    live.set(isRunning: isRunning)
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
      if transport.capabilities.hasServer { group.addTask { await self.followPath() } }
      group.addTask { await self.runLink() }
      group.addTask { [saving] in await saving.run() }
      group.addTask { await self.runReplies() }
      group.addTask { await self.followProtectedData() }
      group.addTask { await self.runChores() }
      if store.isShared { group.addTask { await self.followOthers() } }
      group.addTask { [suspendSignal] in await suspendSignal.wait() }
      // The other tasks end only with their group.
      await group.next()
      group.cancelAll()
    }
  }

  /// Notices the commits of other processes as they happen, for as long as the task lives.
  private func followOthers() async {
    await CommitWatch(store, environment, signal: othersSignal).run { await self.noticeOthers() }
  }

  func noticeOthers() { others.notice() }

  private func followPath() async { await link.followPath() }
  private func runLink() async { await link.run { await self.connectOnce() } }
  private func runReplies() async { await replies.run() }
  private func runChores() async { await chores.run() }

  /// Serves one connection, from its first byte to its end. Returns the reason for the end, which always exists.
  private func connectOnce() async -> ConnectionFailure {
    defer {
      queue.recall()
      do { try replies.interruptReceived() } catch {
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
        group.addTask { try await self.watchPath() }
        defer { group.cancelAll() }
        try await group.next()
      }
      return ConnectionFailure(.unreachable, detail: "closed")
    } catch {
      return ConnectionFailure(error)
    }
  }

  private func watchPath() async throws { try await link.watchPath() }

  private func serve(_ connection: any TransportConnection) async throws {
    if let account = connection.account, account != user {
      throw ConnectionFailure(.unauthorized, detail: "the credentials are those of another account")
    }
    try held.holdOld()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.receive(from: connection) }
      group.addTask { try await self.runOutbox(connection) }
      group.addTask { try await self.runFates(connection) }
      group.addTask { [requests] in try await requests.run(over: connection) }
      group.addTask { try await self.runUploads(connection) }
      if transport.capabilities.carriesReadMarks {
        group.addTask { [readMarks] in try await readMarks.run(over: connection) }
      }
      if transport.capabilities.carriesHistory {
        group.addTask { try await self.runOlder(connection) }
      }
      if transport.capabilities.carriesSearch {
        group.addTask { try await self.runSearches(connection) }
      }
      if transport.capabilities.carriesAttachments {
        group.addTask { try await self.runFetches(connection) }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  package func receive(from connection: any TransportConnection) async throws {
    try await inbox.run(over: connection)
  }
  private func runOutbox(_ connection: any TransportConnection) async throws {
    try await queue.run(over: connection)
  }
  private func runFates(_ connection: any TransportConnection) async throws {
    try await fates.run(over: connection, for: queue)
  }
  private func runUploads(_ connection: any TransportConnection) async throws {
    try await uploads.run(over: connection)
  }
  private func runOlder(_ connection: any TransportConnection) async throws {
    try await older.run(over: connection)
  }
  private func runSearches(_ connection: any TransportConnection) async throws {
    try await searches.run(over: connection)
  }
  private func runFetches(_ connection: any TransportConnection) async throws {
    try await fetches.run(over: connection)
  }

  /// Whether waiting a little longer brings something: messages leave over a link that is there or is being made, or a
  /// reply is written here. An outbox that cannot be read has nothing to wait for.
  func isBusy() -> Bool {
    guard isWorking else { return false }
    if !replies.openMessages.isEmpty { return true }
    guard live.link == .online || live.link == .reconnecting else { return false }
    return (try? context.queueCounts())?.leaving ?? 0 > 0
  }

  func renameConversation(_ old: ConversationID, to new: ConversationID) throws(ChatError) {
    try drafts.rename(old, to: new)
    queue.followJoins()
    replies.followJoins()
  }

  /// Gives a conversation the ID that the server has told, as when the server's word about the conversation comes. For
  /// simulated worlds, whose server knows each conversation by its first ID.
  package func takeName(_ new: ConversationID, of earlier: ConversationID) throws {
    try inbox.name(IncomingConversation(id: new, title: nil, members: [], earlierIDs: [earlier]))
  }

  /// Runs `body` where the parts that the client owns may be used.
  package func perform<Value>(
    _ body: @Sendable (isolated ChatClient) throws -> Value
  ) throws(ChatError) -> Value {
    try Store.typed { try body(self) }
  }

  /// Ends every wait of the link and of the messages now (SPEC O7, N3). Call it when the app becomes active, when the
  /// user asks, or when there are new credentials.
  ///
  /// ```swift
  /// .onChange(of: phase) { if phase == .active { Task { await client.reconnectNow() } } }
  /// ```
  ///
  /// One kind of wait goes on: a server that named a time before which it takes no message of a conversation is left
  /// alone until then, as long as the connection lives. Costs no access to the disk.
  public func reconnectNow() {
    link.nudge()
    if store.isShared { othersSignal.raise() }
    queue.endWaits()
  }
}
