import ChatServer
import Foundation
import Holdfast
import HoldfastTesting
import Synchronization

/// The real server, in a simulated process that ends and is restarted on the same files.
final class SimulatedServer: Sendable {
  private struct State {
    var chat: ChatServer?
    /// In the order in which they were opened, so that they close in the same order in every run.
    var channels: [SimulatedChannel] = []
    var abandoned: [Abandoned] = []
  }

  static let name = "server"

  let gateway: Gateway
  let backend: ForgetfulBackend
  let sent = SentRecord()
  private let world: WorldState
  private let users: [UserID]
  private let process: SimulatedProcess
  private let state = Mutex(State())
  private let burial = Signal()

  init(
    world: WorldState, users: [UserID], conversations: [(id: ConversationID, members: [UserID])],
    promises: Promises
  ) {
    self.world = world
    self.users = users
    backend = ForgetfulBackend(world: world)
    gateway = Gateway(
      world: world, promises: promises,
      refusals: ConversationRefusals(world: world, conversations: conversations))
    process = SimulatedProcess(world: world, name: Self.name, kills: .serverKill)
  }

  static func token(of user: UserID) -> String { "token of \(user)" }

  /// The running server. Nil while it is down.
  var current: ChatServer? { state.withLock { $0.chat } }

  func opened(_ channel: SimulatedChannel) {
    state.withLock { $0.channels.append(channel) }
  }

  func closed(_ channel: SimulatedChannel) {
    state.withLock { state in state.channels.removeAll { $0 === channel } }
  }

  /// Starts the server, and again each time it has ended, until the task is cancelled.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await self.gateway.run() }
      // The task starts only if it has something to do: one more task would change the order of all others.
      if self.world.plan.faults[.refusedConversation] > 0 {
        group.addTask { await self.gateway.refusals.run(announcing: self.announce) }
      }
      group.addTask { await self.world.fillDisk(of: Self.name, .serverDisk) }
      group.addTask { await self.world.turnClock(of: Self.name) }
      try await runProcess()
      group.cancelAll()
    }
  }

  /// Announces a conversation to its members once more. Returns false when the server could not.
  @Sendable private func announce(_ conversation: ConversationID) async -> Bool {
    guard let chat = current, (try? await chat.announce(conversation)) == true else { return false }
    world.count(deed: "open a refused conversation")
    world.trace(Self.name, "announces \(conversation) again")
    return true
  }

  private func runProcess() async throws {
    try await process.run { folder, gate in
      let executor = SeededSerialExecutor(scheduler: self.world.scheduler)
      let chat = try ChatServer(
        folder: folder, environment: self.world.environment(of: Self.name, executor: executor),
        gate: gate.gate)
      for user in self.users { try await chat.register(user, token: Self.token(of: user)) }
      if self.world.plan.hasPast { try await Past.store(on: chat, members: self.users) }
      self.state.withLock { $0.chat = chat }
      self.world.trace(Self.name, "runs")
      await self.buryConnections(of: chat)
    } ended: {
      let channels = self.state.withLock { state in
        state.chat = nil
        state.abandoned = []
        return state.channels
      }
      for channel in channels { _ = channel.close() }
    }
  }
}

/// Connections whose phone has disconnected.
extension SimulatedServer {
  /// A connection that its phone has abandoned, with the frames in flight.
  struct Abandoned: Sendable {
    var due: Duration
    var connection: ConnectionID
    var channel: SimulatedChannel
    var device: String
    var frames: [Data]
  }

  func abandoned(
    _ connection: ConnectionID, of chat: ChatServer, on channel: SimulatedChannel, from device: String,
    late frames: [Data]
  ) {
    let (arrive, wait) = world.scheduler.draw { random in
      (random.chance(0.5), random.milliseconds(random.chance(0.5) ? 0...20 : 0...8000))
    }
    let abandoned = Abandoned(
      due: world.scheduler.now + (world.isHealing ? .zero : wait), connection: connection,
      channel: channel, device: device, frames: arrive ? frames : [])
    state.withLock { state in
      guard state.chat === chat else { return }
      state.abandoned.append(abandoned)
    }
    burial.raise()
  }

  /// Delivers the late frames, and notifies the server of each connection's end.
  private func buryConnections(of chat: ChatServer) async {
    let environment = world.environment(of: Self.name)
    while !Task.isCancelled {
      let due = state.withLock { state in
        let due = state.abandoned.filter { $0.due <= world.scheduler.now }
        state.abandoned.removeAll { $0.due <= world.scheduler.now }
        return due
      }
      for abandoned in due {
        for frame in abandoned.frames {
          await receive(frame, of: abandoned, by: chat)
        }
        await chat.disconnect(abandoned.connection)
      }
      guard due.isEmpty else { continue }
      let next = state.withLock { $0.abandoned.map(\.due).min() }
      await burial.wait(until: next, in: environment)
    }
  }

  private func receive(_ late: Data, of abandoned: Abandoned, by chat: ChatServer) async {
    guard let frame = try? await gateway.passLate(late, on: abandoned.channel, to: chat) else { return }
    // The server ignores frames that arrive after a newer connection of the device.
    if world.plan.idempotency != .forever, await chat.takes(from: abandoned.connection) {
      try? await backend.take(frame, on: abandoned.channel, of: abandoned.device, to: chat)
    }
    await chat.receive(frame, on: abandoned.connection)
  }
}

/// The faults that phones and server share.
extension WorldState {
  /// Fills the disk of a process now and then, until the world heals.
  func fillDisk(of process: String, _ fault: Fault) async {
    await episodes(of: fault, lasting: 100...10_000) {
      count(fault)
      trace(process, "has no room on its disk")
      setDisk(of: process, isFull: true)
    } end: {
      setDisk(of: process, isFull: false)
      trace(process, "has room on its disk again")
    }
  }

  /// Changes the clock of a device now and then, by minutes to years. The clock stays wrong after the world has
  /// healed.
  func turnClock(of process: String) async {
    await episodes(of: .clockJump, lasting: 1...1) {
      count(.clockJump)
      let error = scheduler.draw { random in
        let minutes = random.pick([5, 60, 24 * 60, 400 * 24 * 60, 5_000 * 24 * 60])!
        return Duration.seconds(Int.random(in: -minutes * 60...minutes * 60, using: &random))
      }
      setClock(of: process, wrongBy: error)
      trace(process, "has a clock that is wrong by \(error / .seconds(60)) min")
    } end: {
    }
  }
}
