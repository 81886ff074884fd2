import Foundation
import Holdfast
import Synchronization

/// A phone of the world: the real engine in a simulated process, a user who types and sends, and a network
/// that comes and goes.
final class SimulatedPhone: Sendable {
  private struct State {
    var client: ChatClient?
    var sends = 0
    var typed = ""
  }

  let user: UserID
  let conversation: ConversationID
  private let members: [UserID]
  private let world: WorldState
  private let server: SimulatedServer
  private let promises: Promises
  private let process: SimulatedProcess
  private let messages: Int
  let path = NetworkPath(isUp: true)
  private let state = Mutex(State())
  /// Set when the user has sent all that was to be sent.
  private let hasFinished = Mutex(false)
  let failures = Mutex<[Violation]>([])

  init(
    user: UserID, members: [UserID], conversation: ConversationID, world: WorldState,
    server: SimulatedServer, promises: Promises, messages: Int
  ) {
    self.user = user
    self.members = members
    self.conversation = conversation
    self.world = world
    self.server = server
    self.promises = promises
    self.messages = messages
    process = SimulatedProcess(world: world, name: user.rawValue)
  }

  var client: ChatClient? { state.withLock { $0.client } }
  var isFinished: Bool { hasFinished.withLock { $0 } }

  /// Launches the app, and again each time its process has ended, until the task is cancelled.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.runApp() }
      group.addTask { try await self.loseNetwork() }
      try await group.next()
      group.cancelAll()
    }
  }

  private func runApp() async throws {
    try await process.run(lifetime: \.phoneLifetime) { folder, gate in
      let executor = SeededSerialExecutor(scheduler: self.world.scheduler)
      let environment = self.world.environment(executor: executor)
      let connector = SimulatedConnector(
        world: self.world, server: self.server, token: "token of \(self.user)", environment: environment,
        gate: gate, path: self.path)
      let client = try ChatClient(
        storage: .folder(folder), transport: FrameTransport(connector: connector, environment: environment),
        user: self.user, environment: environment, path: self.path, gate: gate)
      try client.createConversation(self.conversation, members: self.members)
      self.world.trace("\(self.user) launched")
      self.state.withLock { $0.client = client }
      self.checkRestoredDraft(client)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        group.addTask { await self.use(client, gate) }
        await group.waitForAll()
      }
    } ended: {
      self.state.withLock { $0.client = nil }
    }
  }

  /// The user types, pauses, hides the app, sends. Goes on after a crash where the crash left off.
  private func use(_ client: ChatClient, _ gate: CrashGate) async {
    while !Task.isCancelled, !gate.isDead {
      let sends = state.withLock { $0.sends }
      guard sends < messages else {
        hasFinished.withLock { $0 = true }
        return
      }
      let pause = world.scheduler.draw { random in
        // Now and then a burst.
        random.chance(0.3) ? random.milliseconds(0...20) : random.milliseconds(50...2500)
      }
      try? await world.scheduler.sleep(until: world.scheduler.now + pause)
      guard !Task.isCancelled, !gate.isDead else { return }
      let act = world.scheduler.draw { $0.unit() }
      // The end tells it from a text that was typed in part.
      let text = "\(user) \(sends)."
      if act < 0.3 {
        type(text, client)
      } else if act < 0.45 {
        save(text, client)
      } else {
        send(text, client, throughComposer: act < 0.75)
      }
    }
  }

  private func type(_ text: String, _ client: ChatClient) {
    let part = world.scheduler.draw { Int.random(in: 0...text.count, using: &$0) }
    client.edit(String(text.prefix(part)), in: conversation)
    promises.forgetSaved(by: user)
  }

  private func save(_ text: String, _ client: ChatClient) {
    client.edit(text, in: conversation)
    promises.forgetSaved(by: user)
    do {
      try client.saveDraft(in: conversation)
      promises.saved(text, by: user)
    } catch {}
  }

  private func send(_ draft: String, _ client: ChatClient, throughComposer: Bool) {
    // The draft may hold what the composer would have sent: a text sent past it must be another.
    let text = throughComposer ? draft : draft + " quickly"
    state.withLock { $0.sends += 1 }
    promises.sends(text)
    do {
      let id: MessageID
      if throughComposer {
        client.edit(text, in: conversation)
        promises.forgetSaved(by: user)
        id = try client.sendDraft(in: conversation)
      } else {
        id = try client.send(text, in: conversation)
      }
      promises.sent(id, text, by: user)
      world.trace("\(user) sends \(id)")
    } catch {
      world.trace("\(user)'s send did not return")
    }
  }

  /// What a hard save returned for is what comes back; and never a text that was sent.
  private func checkRestoredDraft(_ client: ChatClient) {
    let restored = client.draftText(in: conversation)
    if let saved = promises.saved(by: user), restored != saved {
      fail("a saved draft comes back", expected: "'\(saved)'", found: "'\(restored)'")
    }
    if let sent = promises.sent.first(where: { $0.text == restored }) {
      fail("a sent text never shows up in the composer again", expected: "no '\(sent.text)'", found: "it")
    }
  }

  private func fail(_ promise: String, expected: String, found: String) {
    failures.withLock {
      $0.append(Violation(promise: promise, expected: "\(user): \(expected)", found: found))
    }
  }

  /// Loses and finds the network, flapping now and then.
  private func loseNetwork() async throws {
    let healing = Signal()
    world.raiseWhenHealing(healing)
    let mean = world.mix.pathUptime
    guard mean > 0 else {
      await healing.wait()
      try await world.scheduler.sleep(until: .seconds(1_000_000))
      return
    }
    let environment = world.environment(executor: SeededSerialExecutor(scheduler: world.scheduler))
    while !world.isHealing {
      let up = world.scheduler.draw { $0.milliseconds(1...(mean * 2000)) }
      await healing.wait(until: world.scheduler.now + up, in: environment)
      guard !world.isHealing else { break }
      world.count(.lostNetwork)
      world.trace("\(user) has no network")
      path.set(isUp: false)
      let down = world.scheduler.draw {
        $0.chance(0.3) ? $0.milliseconds(10...90) : $0.milliseconds(200...8000)
      }
      await healing.wait(until: world.scheduler.now + down, in: environment)
      path.set(isUp: true)
    }
    path.set(isUp: true)
    try await world.scheduler.sleep(until: .seconds(1_000_000))
  }
}
