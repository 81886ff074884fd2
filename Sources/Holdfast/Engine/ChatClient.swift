import Foundation
import HoldfastCore
import HoldfastStore
import Logging

/// The front door: one for each account, with its store, its outbox and its link.
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
/// Intents are synchronous: when one returns, its one transaction is on disk, and neither `kill -9` nor the
/// loss of power undoes it. They may be called from any thread and cost one sync of the disk. Only
/// intents that must know what is on its way at this moment are asynchronous.
///
/// Nothing runs outside ``run()``: cancel it and the engine is still.
public actor ChatClient {
  /// The account that the store belongs to.
  public nonisolated let user: UserID
  /// What the server knows this store by, so that it can tell the store's connections from another device's.
  package nonisolated let device: String
  package nonisolated let environment: ChatEnvironment
  package nonisolated let store: Store
  package nonisolated let drafts: Drafts
  package nonisolated let scenes: Scenes
  /// This launch of the app.
  package nonisolated var session: String { drafts.session }
  package nonisolated let live: LiveState
  package nonisolated let path: NetworkPath
  nonisolated let protectedData: ProtectedData
  package nonisolated let transport: any Transport
  package nonisolated let policy: RetryPolicy
  package nonisolated let limits: OutboxLimits
  nonisolated let attachmentLimits: AttachmentLimits
  package nonisolated let logger: Logger

  package var isRunning = false
  /// ``suspend()`` was called, and ``resume()`` has not succeeded since.
  var isSuspended = false
  /// There are tasks of ``run()`` at work.
  var isWorking = false
  nonisolated let suspendSignal = Signal()
  nonisolated let resumeSignal = Signal()
  nonisolated let restSignal = Signal()
  var linkState: LinkState
  nonisolated let linkSignal = Signal()

  /// Open from the first attempt to connect to the end of ``run()``, and held by whoever drains.
  package var drainLock: FileLock?
  nonisolated let drainSignal = Signal()
  /// Nobody has drained since this launch or take-over marked what was left half written.
  var isTidy: Bool
  nonisolated let othersSignal = Signal()

  var lanes: [ConversationID: OutboxLane] = [:]
  /// How often conversations had been renamed when the lanes were moved to their present IDs.
  var seenRenames: Int
  nonisolated let lanesToVisit = LanesToVisit()
  var handovers: Int64 = 0
  nonisolated let outboxSignal = Signal()
  /// What the server is still to be asked on this connection.
  var questions: [FateQuestion] = []
  nonisolated let questionSignal = Signal()
  package nonisolated let waitingClock: WaitingClock
  nonisolated let deliveryTimes = DeliveryTimes()

  /// The first message of each lane that does not leave before the server has its attachments.
  var waitingForUploads: [ConversationID: OutboxEntry] = [:]
  var uploadDamages: [AttachmentChecksum: Int] = [:]
  nonisolated let uploadSignal = Signal()
  /// Until the next connection: the server does not have them, or there is no room for them.
  var fetchesLeftAlone: Set<AttachmentChecksum> = []
  package nonisolated let fetchSignal = Signal()

  var buffers: [MessageID: TokenBuffer] = [:]
  nonisolated let tokenSignal = Signal()
  nonisolated let requestSignal = Signal()
  /// Pieces of messages that are being written here, on their way out.
  var outgoingPieces = OutgoingPieces()

  /// Work that can wait.
  private let chores: Chores
  nonisolated let choresDoor = Chores.Door()
  let erasing: ErasingChore
  package nonisolated let historyLimits: HistoryLimits

  private nonisolated let executor: any SerialExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the store, and makes it when there is none. Nothing is sent before ``run()``.
  ///
  /// - Parameters:
  ///   - storage: where the store is. One folder for each account.
  ///   - transport: the adapter to the backend.
  ///   - user: the account. A store that belongs to another is refused.
  ///   - path: whether the device has a network; the default says that it always has one.
  ///   - history: how many messages are kept here that the server has too; the default keeps all.
  ///   - protectedData: whether the device's protected files can be read; the default says that they always can.
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The file is left as it is. Where the store may be
  ///   protected at launch, ``open(storage:transport:user:protectedData:environment:path:retry:limits:attachments:history:)``
  ///   waits for it.
  public init(
    storage: StorageLocation, transport: any Transport, user: UserID,
    environment: ChatEnvironment = ChatEnvironment(), path: NetworkPath = NetworkPath(),
    retry: RetryPolicy = RetryPolicy(), limits: OutboxLimits = OutboxLimits(),
    attachments: AttachmentLimits = AttachmentLimits(), history: HistoryLimits = HistoryLimits(),
    protectedData: ProtectedData = ProtectedData()
  ) throws {
    try self.init(
      storage: storage, transport: transport, user: user, environment: environment, path: path,
      retry: retry, limits: limits, attachments: attachments, history: history, protectedData: protectedData,
      gate: nil)
  }

  /// The same, with a gate at every commit.
  package init(
    storage: StorageLocation, transport: any Transport, user: UserID, environment: ChatEnvironment,
    path: NetworkPath, retry: RetryPolicy = RetryPolicy(), limits: OutboxLimits = OutboxLimits(),
    attachments: AttachmentLimits = AttachmentLimits(), history: HistoryLimits = HistoryLimits(),
    protectedData: ProtectedData = ProtectedData(),
    gate: (any CommitGate)?
  ) throws {
    let folder = try storage.resolve()
    self.user = user
    self.environment = environment
    self.path = path
    self.protectedData = protectedData
    self.transport = transport
    self.limits = limits
    attachmentLimits = attachments
    historyLimits = history
    policy = retry
    logger = environment.logger
    executor = environment.executor ?? QueueExecutor(label: "holdfast.client")
    store = try Store(
      folder: folder, owner: user, gate: gate, isShared: storage.isShared, protection: storage.protection)
    device = try store.device(else: environment.makeID)
    store.changes.subscribe(lanesToVisit, raising: outboxSignal)
    drafts = Drafts(store: store, environment: environment)
    scenes = Scenes(store: store, environment: environment)
    linkState = LinkState(isPathUp: path.isUp)
    seenRenames = store.aliases.renames
    let live = LiveState(link: linkState.shown)
    self.live = live
    let erasing = ErasingChore(store, live, environment, door: choresDoor)
    self.erasing = erasing
    var chores: [any Chore] = [
      erasing, JournalChore(store, environment.logger), IndexingChore(store, environment.logger),
    ]
    if history.isLimited { chores.append(EvictionChore(store, history)) }
    self.chores = Chores(chores, door: choresDoor, hub: store.changes, environment: environment)
    let (mark, newest) = try store.read { (try $0.waitingMark(), try $0.lastEnqueued()) }
    let (date, uptime) = (environment.now(), environment.uptime())
    let waitingClock = WaitingClock(mark: mark, newest: newest, date: date, uptime: uptime)
    self.waitingClock = waitingClock
    let lock = try? FileLock(folder.appendingPathComponent(FileLock.drain))
    let isAlone = (try? lock?.take()) ?? false
    isTidy = store.isShared ? false : isAlone
    if isAlone {
      try store.writeUnsynced {
        // Whoever was writing when the process ended is gone.
        try $0.interruptStreams()
        try $0.interruptWork(except: session)
        try $0.setWaitingMark(waitingClock.mark(date: date, at: uptime))
      }
    }
    logger.info("store opened", metadata: ["folder": "\(folder.path)"])
  }

  /// Connects, sends, receives and saves drafts and places, until the task is cancelled. It owns everything that runs;
  /// a second call while one is running returns at once.
  ///
  /// Of several clients on one store, in this process or in others, one sends and receives, and the others stand by:
  /// their link is `.elsewhere`. When that one's task is cancelled, or its process dies, another goes on at once.
  public func run() async {
    guard !isRunning else {
      logger.error("run() was called while the client is running")
      return
    }
    isRunning = true
    defer {
      isRunning = false
      stopDraining()
    }
    while !Task.isCancelled {
      guard !isSuspended else {
        await resumeSignal.wait()
        continue
      }
      await work()
    }
  }

  /// Until the task is cancelled, or the client suspended.
  private func work() async {
    isWorking = true
    defer {
      isWorking = false
      restSignal.raise()
    }
    sweepAttachmentFolder()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.followPath() }
      group.addTask { await self.followLink() }
      group.addTask { await self.drafts.run() }
      group.addTask { await self.scenes.run() }
      group.addTask { await self.storeTokens() }
      group.addTask { await self.followProtectedData() }
      group.addTask { await self.runChores() }
      if store.isShared { group.addTask { await self.followOthers() } }
      group.addTask { [suspendSignal] in await suspendSignal.wait() }
      // The others end with the task only.
      await group.next()
      group.cancelAll()
    }
  }

  private func runChores() async { await chores.run() }

  /// The app became active, the user asked, or there are new credentials: every wait ends now, of the link and of the
  /// messages (SPEC O7, N3).
  ///
  /// ```swift
  /// .onChange(of: phase) { if phase == .active { await client.reconnectNow() } }
  /// ```
  ///
  /// One thing it does not cut short: a server that named a time before which it takes no message of a conversation
  /// is left alone until then, as long as the connection lives. Costs no access to the disk.
  public func reconnectNow() {
    linkState.nudge()
    linkSignal.raise()
    drainSignal.raise()
    if store.isShared { othersSignal.raise() }
    endWaits(of: Array(lanes.keys))
  }
}
