import Foundation
import Holdfast
import Synchronization

/// A phone of the world: the real engine in a simulated process, with a user, a screen and a network.
final class SimulatedPhone: Sendable {
  /// What a user remembers over the ends of the app.
  struct Memory {
    var sends = 0
    var replies = 0
    var attachments = 0
    var drafts: [ConversationID: DraftPromise] = [:]
    /// The answer that is being written.
    var reply: MessageID?
    var isFinished = false
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
  private let network: DeviceNetwork
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
    let connector = SimulatedConnector(
      world: world, server: server, token: SimulatedServer.token(of: user), environment: environment,
      gate: gate, network: network)
    // A clock that jumps while the app is away makes days of minutes, and these users answer no question yet.
    let client = try ChatClient(
      storage: .folder(folder), transport: FrameTransport(connector: connector, environment: environment),
      user: user, environment: environment, path: network.path,
      // Nobody logs in again here: a gateway that was wrong must have its second chance within the world's patience.
      retry: RetryPolicy(signedOutDelay: .seconds(45)), limits: OutboxLimits(heldAfter: nil), gate: gate)
    for conversation in conversations {
      try client.createConversation(conversation, members: members[conversation] ?? [])
    }
    world.trace(device, "launches")
    screen.relaunch()
    try checkLaunch(client, diedAt: past.withLock { $0.diedAt })
    past.withLock { past in
      past.launches += 1
      past.diedAt = nil
    }
    running.withLock { $0 = client }
    return client
  }
}

/// What a launch must bring back.
extension SimulatedPhone {
  private func checkLaunch(_ client: ChatClient, diedAt: Duration?) throws {
    var timelines: [ConversationID: [MessageRow]] = [:]
    for conversation in conversations {
      timelines[conversation] = try client.conversationSnapshot(conversation, limit: Screen.limit).rows
    }
    settle(timelines)
    for conversation in conversations {
      let rows = timelines[conversation] ?? []
      for message in promises.sent(by: device, in: conversation)
      where !rows.contains(where: { $0.id == message.id && $0.body == message.text }) {
        fail("nothing lost", expected: "\(message.id) '\(message.text)' at launch", found: "nothing")
      }
      checkDraft(in: conversation, client, diedAt: diedAt)
    }
    checkReply(timelines.values.flatMap { $0 }, diedAt: diedAt)
  }

  /// Finds out what became of the call in which the process ended.
  private func settle(_ timelines: [ConversationID: [MessageRow]]) {
    guard let act = promises.unsettled(on: device) else { return }
    let rows = timelines.values.flatMap { $0 }
    switch act {
    case .send(let text, let conversation, let isDraft):
      if let row = timelines[conversation]?.first(where: { $0.isMine && $0.body == text }) {
        noteSent(row.id, text, conversation)
        if isDraft { memory.withLock { $0.drafts[conversation, default: DraftPromise()].store("") } }
      }
    case .retry(let id):
      if let row = rows.first(where: { $0.id == id }), !row.hasFailed {
        promises.noteRetried(id, hasPlace: false)
      }
    case .withdraw(let id, let conversation, let toComposer):
      guard !rows.contains(where: { $0.id == id }) else { break }
      let text = promises.sent.first { $0.id == id }?.text ?? ""
      promises.noteWithdrawn(id)
      if toComposer {
        memory.withLock { $0.drafts[conversation, default: DraftPromise()].takeBack(text) }
      }
    case .finish(let id):
      if let reply = promises.reply(id), rows.contains(where: { $0.id == id && $0.completeness == .complete })
      {
        noteSent(id, reply.text, reply.conversation)
      }
    }
    promises.settle(device)
  }

  /// What was stored comes back, and a text that was sent does not.
  private func checkDraft(in conversation: ConversationID, _ client: ChatClient, diedAt: Duration?) {
    let restored = client.draftText(in: conversation)
    let savesItself = world.plan.faults[.phoneDisk] == 0
    let expected = memory.withLock { memory in
      let promise = memory.drafts[conversation] ?? DraftPromise()
      return promise.mayComeBack(after: diedAt ?? .zero, savesItself: savesItself)
    }
    if !expected.contains(restored) {
      fail(
        "a draft comes back",
        expected: "\(expected.map { "'\($0)'" }.joined(separator: " or ")) in \(conversation)",
        found: "'\(restored)'")
    }
    memory.withLock { $0.drafts[conversation] = DraftPromise(stored: restored) }
    checkOnePlace(in: conversation, client)
  }

  /// H3: of an answer that the end of the process cut off, the last quarter of a second is lost at most.
  private func checkReply(_ rows: [MessageRow], diedAt: Duration?) {
    let reply = memory.withLock { memory in
      defer { memory.reply = nil }
      return memory.reply.flatMap(promises.reply)
    }
    guard let reply, let diedAt, world.plan.faults[.phoneDisk] == 0 else { return }
    let isSafe = diedAt - .milliseconds(251)
    let expected = reply.lengths.last { $0.at <= isSafe }?.length ?? 0
    let found = rows.first { $0.id == reply.id }?.body.count
    if (found ?? -1) < expected {
      fail(
        "what was streamed is stored", expected: "\(expected) characters of \(reply.id)",
        found: found.map(String.init) ?? "nothing")
    }
  }

  /// A text that was sent is in the timeline, and nowhere else: neither in the composer nor in a draft's row,
  /// seen or unseen.
  func checkOnePlace(in conversation: ConversationID, _ client: ChatClient) {
    let sent = Set(promises.sent(by: device, in: conversation).map(\.text))
    let drafts = (try? client.storedDrafts(in: conversation)) ?? []
    if let draft = ([client.draftText(in: conversation)] + drafts).first(where: sent.contains) {
      fail("a sent text is in one place", expected: "'\(draft)' in the timeline", found: "it as a draft")
    }
  }

  func noteSent(
    _ id: MessageID, _ text: String, _ conversation: ConversationID, attachments: [Attachment]? = nil
  ) {
    promises.noteSent(
      Promises.Sent(
        id: id, text: text, sender: user, device: device, conversation: conversation,
        attachments: attachments?.map(\.checksum)))
  }

  func fail(_ promise: String, expected: String, found: String) {
    world.fail(Violation(promise: promise, expected: "\(device): \(expected)", found: found))
  }
}

extension MessageRow {
  var hasFailed: Bool { if case .failed = delivery { true } else { false } }
}
