import Foundation
import Holdfast
import Synchronization

/// A phone of the world: the real engine in a simulated process, with a user, a screen and a network.
final class SimulatedPhone: Sendable {
  /// What a user remembers over the ends of the app.
  struct Memory {
    var sends = 0
    var replies = 0
    var changes = 0
    var attachments = 0
    /// What each composer had when its user did something last. Nil: that was not finished.
    var picked: [ConversationID: [Attachment.ID]]?
    var drafts: [ConversationID: DraftPromise] = [:]
    /// The answer that is being written.
    var reply: MessageID?
    /// What can still be brought back into a composer. In memory, as the app has it.
    var discarded: Discarded?
    var secrets = 0
    /// Texts that were discarded for good.
    var forgotten: [String] = []
    var isFinished = false
  }

  struct Discarded {
    var conversation: ConversationID
    var draft: DiscardedDraft
    var until: Duration
  }

  /// "alice", or "alice-2" for her second phone.
  let device: String
  let user: UserID
  let conversations: [ConversationID]
  let screen: Screen
  let world: WorldState
  let promises: Promises
  let memory = Mutex(Memory())
  private let members: [ConversationID: [UserID]]
  private let server: SimulatedServer
  private let process: SimulatedProcess
  let network: DeviceNetwork
  private let running = Mutex<ChatClient?>(nil)
  private let past = Mutex(Past())

  private struct Past {
    var launches = 0
    var diedAt: Duration?
  }

  /// - Parameter conversations: with their members; those in which the user does not take part are left out.
  init(
    device: String, user: UserID, conversations: [(id: ConversationID, members: [UserID])],
    world: WorldState, server: SimulatedServer, promises: Promises
  ) {
    let own = conversations.filter { $0.members.contains(user) }
    self.device = device
    self.user = user
    self.conversations = own.map(\.id)
    members = Dictionary(uniqueKeysWithValues: own)
    self.world = world
    self.server = server
    self.promises = promises
    screen = Screen(device: device, world: world, promises: promises)
    network = DeviceNetwork(world: world, device: device)
    process = SimulatedProcess(world: world, name: device, kills: .phoneKill)
  }

  /// The running app. Nil while it is closed.
  var client: ChatClient? { running.withLock { $0 } }
  /// The user has sent all that was to be sent.
  var isFinished: Bool { memory.withLock { $0.isFinished } }

  /// Launches the app, and again each time its process has ended, until the task is cancelled.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await self.network.run() }
      group.addTask { await self.world.fillDisk(of: self.device, .phoneDisk) }
      group.addTask { await self.world.turnClock(of: self.device) }
      try await runApp()
      group.cancelAll()
    }
  }

  private func runApp() async throws {
    try await process.run { folder, gate in
      defer { self.noteEnd(gate) }
      let client = try self.launch(folder, gate)
      let launches = self.past.withLock { $0.launches }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        for conversation in self.conversations {
          group.addTask { await self.screen.follow(conversation, of: client, launches: launches, gate) }
        }
        group.addTask { await PhoneUser(phone: self, client: client, gate: gate).use() }
        await group.waitForAll()
      }
    } ended: {
      self.running.withLock { $0 = nil }
    }
  }

  /// The first end since the last launch that came up: what is typed is not touched by one that did not.
  private func noteEnd(_ gate: CrashGate) {
    past.withLock { $0.diedAt = $0.diedAt ?? gate.diedAt }
  }

  private func launch(_ folder: URL, _ gate: CrashGate) throws -> ChatClient {
    let executor = SeededSerialExecutor(scheduler: world.scheduler)
    let environment = world.environment(of: device, executor: executor)
    let policy = RetryPolicy()
    let connector = SimulatedConnector(
      world: world, server: server, token: SimulatedServer.token(of: user), environment: environment,
      gate: gate, network: network, policy: policy,
      departures: DepartureWatch(
        device: device, world: world, promises: promises, launchedAt: world.scheduler.now),
      forger: FrameForger(
        device: device, user: user, conversations: conversations, world: world, promises: promises,
        screen: screen))
    network.credentials.forgetRefusals()
    let heldAfter: Duration? = world.plan.heldAfter > 0 ? .seconds(world.plan.heldAfter) : nil
    let client = try ChatClient(
      storage: .folder(folder), transport: FrameTransport(connector: connector, environment: environment),
      user: user, environment: environment, path: network.path, retry: policy,
      limits: OutboxLimits(heldAfter: heldAfter), gate: gate)
    for conversation in conversations {
      try client.createConversation(conversation, members: members[conversation] ?? [])
    }
    world.trace(device, "launches")
    screen.relaunch()
    memory.withLock { $0.discarded = nil }
    try checkLaunch(client, diedAt: past.withLock { $0.diedAt })
    past.withLock { past in
      past.launches += 1
      past.diedAt = nil
    }
    running.withLock { $0 = client }
    return client
  }
}

/// What its user and its launches note.
extension SimulatedPhone {
  func noteSent(
    _ id: MessageID, _ text: String, _ conversation: ConversationID, attachments: [Attachment]? = nil
  ) {
    promises.noteSent(
      Promises.Sent(
        id: id, text: text, sender: user, device: device, conversation: conversation,
        queuedAt: world.scheduler.now, attachments: attachments?.map(\.checksum)))
  }

  func fail(_ promise: String, expected: String, found: String) {
    world.fail(Violation(promise: promise, expected: "\(device): \(expected)", found: found))
  }
}

extension MessageRow {
  var hasFailed: Bool { if case .failed = delivery { true } else { false } }
}
