import ChatServer
import ChatServerTesting
import Foundation
import Holdfast
import HoldfastRelay
import Synchronization

/// The connection from one simulated phone to the simulated server, instead of a real phone's WebSocket.
struct SimulatedConnector: FrameConnector {
  let world: WorldState
  let server: SimulatedServer
  let token: String
  /// The process that connects.
  let process: String
  let store: SharedStore?
  let names: ConversationNames
  let environment: ChatEnvironment
  /// The gate of the connecting process. When that process is dead, nothing is sent.
  let gate: CrashGate
  let network: DeviceNetwork
  let policy: ChatConfiguration.RetryPolicy
  let sendWatch: SendWatch
  let forger: FrameForger

  func withChannel(_ body: @Sendable (any FrameChannel) async throws -> Void) async throws {
    do {
      try await connect(body)
      network.credentials.forgetRefusals(of: process)
    } catch {
      if (error as? ConnectionFailure)?.reason != .unauthorized {
        network.credentials.forgetRefusals(of: process)
      }
      throw error
    }
  }

  private func connect(_ body: @Sendable (any FrameChannel) async throws -> Void) async throws {
    let faults = world.faults
    try await environment.sleep(world.scheduler.now + world.scheduler.draw { $0.milliseconds(faults.delay) })
    guard network.path.isUp, !gate.isDead, let chat = server.current else {
      throw ConnectionFailure(.unreachable, detail: "connection refused")
    }
    store?.connect(process)
    defer { store?.disconnect(process) }
    try server.gateway.admit()
    try network.credentials.admit(process, policy: policy)
    let channel = SimulatedChannel(
      world: world, environment: environment, gate: gate, network: network, sendWatch: sendWatch,
      forger: forger, names: names)
    defer { network.isLiedTo = false }
    let connection: ConnectionID
    do {
      connection = try await chat.connect(token: token) { channel.deliver($0) }
    } catch {
      throw ConnectionFailure(.unreachable, detail: "the server did not accept")
    }
    server.opened(channel)
    defer { server.closed(channel) }
    let late = Mutex<[Data]>([])
    let failure: (any Error)? = await withoutActuallyEscaping(body) { body in
      do {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await carry(channel, to: chat, connection) }
          group.addTask { try await body(channel) }
          defer {
            group.cancelAll()
            late.withLock { $0 = channel.close() }
          }
          try await group.next()
        }
        return nil
      } catch {
        return error
      }
    }
    // The server learns of the end later, and frames that the phone has sent may reach it before that. Neither side
    // knows, and the phone may have reconnected long ago.
    server.abandoned(
      connection, of: chat, on: channel, from: network.device, late: late.withLock { $0 })
    if let failure { throw failure }
  }

  private func carry(
    _ channel: SimulatedChannel, to chat: ChatServer, _ connection: ConnectionID
  ) async throws {
    while true {
      let arrived = try await channel.up.next()
      if world.strikes(.brokenConnection) {
        world.count(.brokenConnection)
        throw ConnectionFailure(.unreachable, detail: "connection reset")
      }
      try network.credentials.require(of: process)
      if world.strikes(.hostileFrame) {
        world.count(.hostileFrame)
        let forged = try await forger.forgedSend(in: arrived, to: chat)
        world.trace(network.device, "has \(forged.kind) in its name sent to the server")
        await chat.receive(forged.frame, on: connection)
      }
      let passed = try await server.gateway.pass(arrived, on: channel, to: chat)
      guard let frame = passed else { continue }
      let messages = Wire.Send(frame: frame)?.messages.map(\.id) ?? []
      try await server.backend.take(frame, on: channel, of: network.device, to: chat)
      if !messages.isEmpty {
        world.trace(SimulatedServer.name, "gets \(messages.joined(separator: " ")) from \(network.device)")
      }
      let losesReceipt = !messages.isEmpty && world.strikes(.lostReceipt)
      // The channel is closed first, so that the response is already lost when the server sends it.
      if losesReceipt { channel.down.close() }
      await chat.receive(frame, on: connection)
      if losesReceipt {
        world.count(.lostReceipt)
        world.trace(SimulatedServer.name, "answers, and nobody hears it")
        throw ConnectionFailure(.unreachable, detail: "connection reset")
      }
    }
  }
}

/// One simulated connection, with a queue for each direction.
final class SimulatedChannel: FrameChannel {
  let up: DelayedQueue
  let down: DelayedQueue
  private let world: WorldState
  private let gate: CrashGate
  private let network: DeviceNetwork
  private let sendWatch: SendWatch
  private let forger: FrameForger
  private let names: ConversationNames
  private let openedAt: Duration
  private let refusals = Mutex<[Wire.Refused]>([])
  /// The last frames that have arrived.
  private let past = Mutex<[Data]>([])
  /// A real frame that has arrived, and is delayed behind a forged frame.
  private let arrived = Mutex<Data?>(nil)

  init(
    world: WorldState, environment: ChatEnvironment, gate: CrashGate, network: DeviceNetwork,
    sendWatch: SendWatch, forger: FrameForger, names: ConversationNames
  ) {
    self.names = names
    self.world = world
    self.network = network
    self.sendWatch = sendWatch
    self.forger = forger
    openedAt = world.scheduler.now
    up = DelayedQueue(world: world, environment: environment) { network.isUpOpen }
    down = DelayedQueue(world: world, environment: environment) { network.isDownOpen }
    self.gate = gate
  }

  func send(_ frame: Data) async throws {
    sendWatch.check(frame, on: openedAt)
    guard !gate.isDead else { throw ConnectionFailure(.unreachable, detail: "the process has ended") }
    up.put(names.toServer(frame))
  }

  func receive() async throws -> Data {
    let frame = try await nextFrame()
    noteAnnounced(frame)
    return frame
  }

  private func nextFrame() async throws -> Data {
    // A client that asks for the next frame has processed the previous one.
    network.isLiedTo = false
    let waiting = arrived.withLock { arrived in
      defer { arrived = nil }
      return arrived
    }
    if let waiting { return waiting }
    let real = try await down.next()
    guard world.faults[.hostileFrame] > 0 else { return real }
    let past = past.withLock { past in
      defer { past = past.suffix(9) + [real] }
      return past
    }
    guard world.strikes(.hostileFrame) else { return real }
    world.count(.hostileFrame)
    let forged = forger.forgedFrame(before: real, after: past)
    world.trace(network.device, "gets \(forged.kind)")
    network.isLiedTo = true
    if !forged.replaces { arrived.withLock { $0 = real } }
    return forged.frame
  }

  func deliver(_ output: ServerOutput) {
    switch output {
    case .frame(let frame): down.put(names.toPhone(frame))
    case .close: down.close()
    }
  }

  /// Records the conversations that the server announces to the phone. As far as the phone knows, they accept
  /// messages again.
  private func noteAnnounced(_ frame: Data) {
    guard world.plan.faults[.refusedConversation] > 0,
      case .events(let page) = try? JSONDecoder().decode(Wire.ServerFrame.self, from: frame)
    else { return }
    for conversation in page.items.compactMap(\.conversation?.id) {
      sendWatch.promises.blocking.noteAnnounced(
        ConversationID(rawValue: ConversationNames.first(conversation)), on: network.device,
        at: world.scheduler.now)
    }
  }

  /// The user of the connection.
  var user: UserID { names.user }

  var hasRefused: Bool { refusals.withLock { !$0.isEmpty } }

  /// The refusal that was sent on this connection for one transmission of a message. Nil when there was none.
  func refusal(of id: String, transmission: Int64) -> Wire.Refused? {
    refusals.withLock { $0.last { $0.id == id && $0.handover == transmission } }
  }

  func refuse(_ refusal: Wire.Refused) {
    refusals.withLock { $0.append(refusal) }
    // A frame that is made here always encodes.
    if let frame = try? Wire.sorted(Wire.ServerFrame.refused(refusal)) { down.put(frame) }
  }

  /// Closes both directions. Returns the frames in flight to the server.
  func close() -> [Data] {
    down.close()
    return up.close()
  }
}
