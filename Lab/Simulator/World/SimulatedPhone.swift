import Foundation
import Holdfast
import HoldfastRelay
import HoldfastTesting
import Synchronization

/// A phone of the world: the real engine in a simulated process, with a user, a screen and a network. A phone with a
/// share extension is two of these, on one store and one network.
final class SimulatedPhone: Sendable {
  /// "alice", or "alice-2" for her second phone.
  let device: String
  /// The name of the process: the device's name for the app, another name for the extension.
  let name: String
  let user: UserID
  let conversations: [ConversationID]
  let screen: Screen
  let world: WorldState
  /// The world's plan, with this process's share of the writing.
  let plan: WorldPlan
  /// The store that this process shares with another process. Nil when it is the only user of the store.
  let store: SharedStore?
  /// The app that this process is the extension of. Nil when this process is an app.
  private let app: SimulatedPhone?
  /// The IDs that the phone's conversations have had.
  let names: ConversationNames
  let promises: Promises
  let memory = Mutex(Memory())
  /// The app's own table of messages. Used only where the plan has tables.
  let table: AppTable
  private let members: [ConversationID: [UserID]]
  let server: SimulatedServer
  private let process: SimulatedProcess
  let network: DeviceNetwork
  private let running = Mutex<ChatClient?>(nil)
  private let past = Mutex(Past())

  private struct Past {
    var isInForeground = true
    var diedAt: Duration?
    var isClosed = false
  }
  private let ground = Signal()

  /// - Parameters:
  ///   - conversations: conversations with their members. Those without the user are left out.
  ///   - store: the store that the app shares with its extension. Nil when it has no extension.
  init(
    device: String, user: UserID, conversations: [(id: ConversationID, members: [UserID])],
    world: WorldState, server: SimulatedServer, promises: Promises, store: SharedStore? = nil
  ) {
    name = device
    network = DeviceNetwork(world: world, device: device)
    names = ConversationNames(world: world, user: user)
    plan = world.plan
    self.store = store
    app = nil
    table = AppTable()
    let own = conversations.filter { $0.members.contains(user) }
    self.device = device
    self.user = user
    self.conversations = own.map(\.id)
    members = Dictionary(uniqueKeysWithValues: own)
    self.world = world
    self.server = server
    self.promises = promises
    screen = Screen(device: device, process: name, world: world, server: server, promises: promises)
    process = SimulatedProcess(world: world, name: name, kills: .phoneKill, store: store)
  }

  /// Makes the share extension of an app. It writes less than the app.
  init(extensionOf app: SimulatedPhone) {
    (device, user, conversations, members) = (app.device, app.user, app.conversations, app.members)
    (world, server, promises, network, store) = (
      app.world, app.server, app.promises, app.network, app.store
    )
    self.app = app
    table = app.table
    names = app.names
    name = Self.extensionName(of: device)
    var plan = world.plan
    (plan.messages, plan.replies, plan.changes) = (plan.messages / 2, min(plan.replies, 1), plan.changes / 2)
    plan.deletions = min(plan.deletions, 1)
    plan.emptyings /= 2
    plan.onDevice /= 2
    plan.assistantReplies /= 2
    // Only the app imports the queue.
    plan.queueImports = 0
    self.plan = plan
    screen = Screen(device: device, process: name, world: world, server: server, promises: promises)
    process = SimulatedProcess(
      world: world, name: name, kills: .phoneKill, device: device, store: store)
  }

  static func extensionName(of device: String) -> String { "\(device)-extension" }

  var isExtension: Bool { app != nil }

  /// The running app. Nil while it is closed.
  var client: ChatClient? { running.withLock { $0 } }
  /// Whether the user has sent everything in the plan.
  var isFinished: Bool { memory.withLock { $0.isFinished } }
  /// Whether nothing is left of the user's deleted conversations.
  var hasNoNotes: Bool { memory.withLock { $0.notes.isEmpty } }

  /// Launches the app, and again each time its process has ended, until the task is cancelled.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      if !isExtension {
        group.addTask { await self.network.run() }
        group.addTask { await self.world.fillDisk(of: self.device, .phoneDisk) }
        group.addTask { await self.world.turnClock(of: self.device) }
      }
      try await runApp()
      group.cancelAll()
    }
  }

  private func runApp() async throws {
    try await process.run { folder, gate in
      defer { self.noteEnd(gate) }
      let client = try self.launch(folder, gate)
      let launches = self.world.launches(of: self.device)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.run(client, gate) }
        for conversation in self.conversations {
          group.addTask { await self.screen.follow(conversation, of: client, launches: launches, gate) }
        }
        if self.hasTable, !self.isExtension {
          group.addTask { await self.keepTable(client, gate) }
        }
        if self.world.plan.onDevice > 0 {
          group.addTask { await self.screen.followDevice(client, gate) }
        }
        group.addTask { await PhoneUser(phone: self, client: client, gate: gate).use() }
        await group.waitForAll()
      }
    } ended: {
      self.running.withLock { $0 = nil }
      if let store = self.store {
        self.network.credentials.nudge()
        self.noteTransmitted()
        store.processHasEnded()
      }
    } isOver: {
      self.isClosed
    }
  }

  /// Runs the engine while the app is in the foreground.
  private func run(_ client: ChatClient, _ gate: CrashGate) async {
    guard let store else { return await client.run() }
    while !Task.isCancelled, !gate.isDead {
      if isInForeground {
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await client.run() }
          group.addTask { while self.isInForeground, !Task.isCancelled { await self.ground.wait() } }
          await group.next()
          group.cancelAll()
        }
        // The process that takes over connects once more.
        network.credentials.nudge()
        store.notify(SharedStore.drainLock)
      } else {
        await ground.wait()
      }
    }
  }

  /// Whether the app is in the foreground. The engine of a shared store runs only there.
  var isInForeground: Bool {
    get { past.withLock { $0.isInForeground } }
    set {
      past.withLock { $0.isInForeground = newValue }
      ground.raise()
    }
  }

  /// Whether the process has ended for good.
  var isClosed: Bool { past.withLock { $0.isClosed } }

  /// Ends the process for good. From now on the app erases what this process's user has deleted.
  func close(_ gate: CrashGate) {
    let notes = memory.withLock { memory in
      defer { memory.notes = [] }
      return memory.notes
    }
    app?.memory.withLock { $0.notes += notes }
    past.withLock { $0.isClosed = true }
    gate.kill()
  }

  /// Records the first end since the last successful launch. A failed launch does not change typed text.
  private func noteEnd(_ gate: CrashGate) {
    past.withLock { $0.diedAt = $0.diedAt ?? gate.diedAt }
  }

  private func launch(_ folder: URL, _ gate: CrashGate) throws -> ChatClient {
    let executor = SeededSerialExecutor(scheduler: world.scheduler)
    var environment = world.environment(of: device, executor: executor)
    if let store { environment.watcher = store }
    let policy = ChatConfiguration.RetryPolicy(afterFailure: world.plan.strictOrder ? .block : .continue)
    let connector = SimulatedConnector(
      world: world, server: server, token: SimulatedServer.token(of: user), process: name, store: store,
      names: names,
      environment: environment, gate: gate, network: network, policy: policy,
      sendWatch: SendWatch(
        device: device, process: name, world: world, promises: promises, launchedAt: world.scheduler.now),
      forger: FrameForger(
        device: device, user: user, conversations: conversations, world: world, promises: promises,
        rows: screen.rows(of:)))
    network.credentials.forgetRefusals(of: name)
    let asked = SimulatedTransport.around(
      FrameTransport(
        connector: connector, environment: environment,
        recent: world.plan.newest > 0 ? world.plan.newest : nil), world: world, server: server,
      network: network, process: name)
    let transport = NamedTransport.around(
      EventsTransport.around(asked, world: world, server: server), world: world, user: user, process: name)
    let heldAfter: Duration? = world.plan.heldAfter > 0 ? .seconds(world.plan.heldAfter) : nil
    // The choice is stored, so an extension need not repeat it.
    let isChosen = isExtension && world.launches(of: device) > 0
    let client = try ChatClient(
      storage: store == nil ? .folder(folder) : .folder(folder).shared(), transport: transport, user: user,
      configuration: ChatConfiguration(
        retry: policy, outbox: ChatConfiguration.OutboxLimits(heldAfter: heldAfter),
        history: world.historyLimits(of: device), recordsDeliveries: hasTable && !isChosen ? true : nil,
        path: network.path, environment: environment), gate: gate.gate)
    for conversation in conversations {
      try client.createConversation(conversation, members: members[conversation] ?? [])
    }
    world.trace(name, "launches")
    isInForeground = true
    screen.relaunch()
    memory.withLock { $0.discarded = nil }
    try checkLaunch(client, diedAt: past.withLock { $0.diedAt })
    past.withLock { $0.diedAt = nil }
    world.countLaunch(of: device)
    running.withLock { $0 = client }
    return client
  }
}

/// Records about the user and the launches.
extension SimulatedPhone {
  /// Records that every waiting message may have been sent: a process that ended may have been about to send any of
  /// them.
  func noteTransmitted() {
    promises.noteTransmitted(conversations.flatMap { promises.sent(by: device, in: $0).map(\.id) })
  }

  func noteSent(
    _ id: MessageID, _ text: String, _ conversation: ConversationID, attachments: [ChatAttachment]? = nil,
    isFromLongAgo: Bool = false, by sender: UserID? = nil
  ) {
    promises.noteSent(
      Promises.Sent(
        id: id, text: text, sender: sender ?? user, device: device, conversation: conversation,
        queuedAt: world.scheduler.now, attachments: attachments?.map(\.checksum), process: name,
        isFromLongAgo: isFromLongAgo))
  }

  func fail(_ promise: String, expected: String, found: String) {
    world.fail(Violation(promise: promise, expected: "\(name): \(expected)", found: found))
  }
}

extension MessageRow {
  /// Whether the message has failed, and may be on the server.
  var mayHaveArrived: Bool {
    failure?.mayHaveArrived == true
  }

  /// Whether the message has failed. A reply whose model failed is no message yet.
  var hasFailed: Bool { status.state == .failed && status.isComplete }
}
