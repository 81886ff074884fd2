import ChatServer
import ChatServerTesting
import Foundation
import Holdfast
import HoldfastCommand
import HoldfastRelay
import Simulator
import Synchronization

/// The layer between the relay's sockets and its server that injects faults for a demo. A relay without the flag
/// `--misbehaves` has no fault layer.
final class FaultLayer: RelayInterceptor {
  private struct State {
    var faults = InjectedFaults()
    var connections = 0
  }

  private let environment: ChatEnvironment
  private let state = Mutex(State())
  private let changed = Signal()

  init(environment: ChatEnvironment = ChatEnvironment()) { self.environment = environment }

  func obey(_ order: FaultOrder) { change { $0.faults.obey(order, now: $1) } }

  /// Follows an order. The server carries out orders about a whole conversation.
  func obey(_ order: FaultOrder, on server: ChatServer) async {
    let conversation = ConversationID(rawValue: order.conversation ?? "")
    do {
      switch order.type {
      case .rename: try await server.rename(conversation, to: ConversationID(rawValue: order.to ?? ""))
      case .remove: try await server.remove(conversation)
      default: return obey(order)
      }
    } catch {
      environment.logger.error("The order was not carried out: \(type(of: error))")
    }
    change { state, _ in state.faults.changedConversations += 1 }
  }

  func receive(_ line: Data, on server: ChatServer) async {
    if let order = try? JSONDecoder().decode(FaultOrder.self, from: line) { await obey(order, on: server) }
  }

  func run(_ write: @Sendable (Data) -> Void) async {
    await report { report in
      if let line = try? JSONEncoder().encode(report) { write(line) }
    }
  }

  /// The time for which no client is served. Nil when all clients are served.
  var unavailableFor: Duration? {
    let now = environment.uptime()
    return state.withLock { $0.faults.unavailable(now: now) }.map { $0 - now }
  }

  /// Makes the gate of one more connection, whose frames go through the layer.
  func connection(to server: ChatServer, _ queue: OutboundQueue) -> (any ConnectionInterceptor)? {
    let number = state.withLock { state in
      state.connections += 1
      return state.connections
    }
    return FaultGate(layer: self, server: server, queue: queue, connection: number)
  }

  fileprivate func intercept(
    _ messages: [Wire.Outgoing], accepted: Set<String>, on connection: Int
  ) -> (passed: [Wire.Outgoing], answers: [Wire.Refused]) {
    change { $0.faults.intercept(messages, accepted: accepted, on: connection, now: $1) }
  }

  /// The present delay of one message, or of one frame of another kind.
  fileprivate var slowness: Duration {
    let now = environment.uptime()
    return state.withLock { $0.faults.slow(now: now) } == nil ? .zero : InjectedFaults.slowness
  }

  /// Waits. Returns at once when the connection has ended meanwhile.
  fileprivate func rest(_ span: Duration) async {
    do { try await environment.sleep(environment.uptime() + span) } catch {}
  }

  fileprivate func losesReceipt() -> Bool { change { state, _ in state.faults.losesReceipt() } }

  private func change<Result: Sendable>(
    _ body: @Sendable (inout State, ChatEnvironment.Instant) -> Result
  ) -> Result {
    let now = environment.uptime()
    defer { changed.raise() }
    return state.withLock { body(&$0, now) }
  }

  /// Calls `write` after each change of the injected faults, until the task is cancelled. Faults also change when
  /// their time ends.
  func report(_ write: (FaultReport) -> Void) async {
    var last = FaultReport()
    while !Task.isCancelled {
      let (now, date) = (environment.uptime(), environment.now())
      let faults = state.withLock { $0.faults }
      let ends = [faults.unavailable(now: now), faults.slow(now: now)]
      let dates = ends.map { end in
        end.map { Int64((date.timeIntervalSince1970 + ($0 - now) / .seconds(1)) * 1000) }
      }
      let report = FaultReport(
        refusals: faults.refusals, conversationRefusals: faults.conversationRefusals,
        failures: faults.failures > 0 ? faults.failures : nil,
        changedConversations: faults.changedConversations > 0 ? faults.changedConversations : nil,
        lostReceipts: faults.lostReceipts,
        unavailableUntil: dates[0], slowUntil: dates[1])
      if !Self.isSame(report, last) {
        last = report
        write(report)
      }
      await changed.wait(until: ends.compactMap { $0 }.min(), in: environment)
    }
  }

  /// Compares two reports with a tolerance. Computed from two clocks, the same end differs by a millisecond between
  /// two reports.
  private static func isSame(_ report: FaultReport, _ last: FaultReport) -> Bool {
    func isNear(_ end: Int64?, _ other: Int64?) -> Bool { abs((end ?? 0) - (other ?? 0)) < 100 }
    var known = last
    (known.unavailableUntil, known.slowUntil) = (report.unavailableUntil, report.slowUntil)
    return known == report && isNear(report.unavailableUntil, last.unavailableUntil)
      && isNear(report.slowUntil, last.slowUntil)
  }
}

/// The fault layer's gate for one connection.
///
/// ```
///   hearing ── a transmission whose receipt is to be lost ──► deaf ── the server has responded ──► cut
/// ```
final class FaultGate: ConnectionInterceptor {
  private let layer: FaultLayer
  private let server: ChatServer
  private let queue: OutboundQueue
  private let connection: Int
  /// True once the server's output no longer reaches the client.
  private let isDeaf = Mutex(false)

  fileprivate init(layer: FaultLayer, server: ChatServer, queue: OutboundQueue, connection: Int) {
    self.layer = layer
    self.server = server
    self.queue = queue
    self.connection = connection
  }

  /// Passes the server's output to the client, unless the gate is deaf.
  func push(_ output: ServerOutput) {
    if isDeaf.withLock({ $0 }) { return }
    queue.push(output)
  }

  /// Passes a client's frame to the server. While the relay is slow, each message is passed by itself, so that a
  /// viewer can watch them.
  func receive(_ frame: Data, on id: ConnectionID) async {
    let slowness = layer.slowness
    guard slowness > .zero else { return await hand(frame, on: id) }
    for piece in Self.pieces(of: frame) where !isDeaf.withLock({ $0 }) && !Task.isCancelled {
      await layer.rest(slowness)
      await hand(piece, on: id)
    }
  }

  private static func pieces(of frame: Data) -> [Data] {
    guard case .send(let send) = try? JSONDecoder().decode(Wire.ClientFrame.self, from: frame),
      let pieces = try? send.messages.map({
        try JSONEncoder().encode(Wire.ClientFrame.send(.init(messages: [$0])))
      })
    else { return [frame] }
    return pieces
  }

  private func hand(_ frame: Data, on id: ConnectionID) async {
    await server.receive(frame, on: id) { messages, accepted in
      let (passed, answers) = layer.intercept(messages, accepted: accepted, on: connection)
      for answer in answers {
        // A frame that is made here always encodes.
        if let frame = try? JSONEncoder().encode(Wire.ServerFrame.refused(answer)) { push(.frame(frame)) }
      }
      if !passed.isEmpty, layer.losesReceipt() { isDeaf.withLock { $0 = true } }
      return passed
    }
    if isDeaf.withLock({ $0 }) { queue.finish() }
  }
}
