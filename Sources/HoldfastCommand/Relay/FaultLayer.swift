import ChatServer
import Foundation
import Holdfast
import Synchronization

/// What stands between the relay's sockets and its server while a demo wants to see faults. A relay that nobody told
/// to misbehave has none.
final class FaultLayer: Sendable {
  private struct State {
    var faults = InjectedFaults()
    var connections = 0
  }

  private let environment: ChatEnvironment
  private let state = Mutex(State())
  private let changed = Signal()

  init(environment: ChatEnvironment = ChatEnvironment()) { self.environment = environment }

  func take(_ order: FaultOrder) { change { $0.faults.take(order, now: $1) } }

  /// How long nobody is served. Nil: everybody is.
  var unavailableFor: Duration? {
    let now = environment.uptime()
    return state.withLock { $0.faults.unavailable(now: now) }.map { $0 - now }
  }

  /// One more connection, whose frames go through the layer.
  func gate(to server: ChatServer, _ queue: OutboundQueue) -> FaultGate {
    let number = state.withLock { state in
      state.connections += 1
      return state.connections
    }
    return FaultGate(layer: self, server: server, queue: queue, connection: number)
  }

  fileprivate func sift(
    _ messages: [Wire.Outgoing], accepted: Set<String>, on connection: Int
  ) -> (passed: [Wire.Outgoing], answers: [Wire.Refused]) {
    change { $0.faults.sift(messages, accepted: accepted, on: connection, now: $1) }
  }

  fileprivate func losesReceipt() -> Bool { change { state, _ in state.faults.losesReceipt() } }

  private func change<Result: Sendable>(
    _ body: @Sendable (inout State, ChatEnvironment.Instant) -> Result
  ) -> Result {
    let now = environment.uptime()
    defer { changed.raise() }
    return state.withLock { body(&$0, now) }
  }

  /// Calls `write` after each change of what is done wrong, until the task is cancelled. Time changes it too.
  func report(_ write: (FaultReport) -> Void) async {
    var last = FaultReport()
    while !Task.isCancelled {
      let (now, date) = (environment.uptime(), environment.now())
      let (faults, end) = state.withLock { ($0.faults, $0.faults.unavailable(now: now)) }
      var report = FaultReport(refusals: faults.refusals, lostReceipts: faults.lostReceipts)
      report.unavailableUntil = end.map {
        Int64((date.timeIntervalSince1970 + ($0 - now) / .seconds(1)) * 1000)
      }
      // Computed from two clocks, the same end differs by a millisecond from one reading to the next.
      let isSame =
        report.refusals == last.refusals && report.lostReceipts == last.lostReceipts
        && abs((report.unavailableUntil ?? 0) - (last.unavailableUntil ?? 0)) < 100
      if !isSame {
        last = report
        write(report)
      }
      await changed.wait(until: end, in: environment)
    }
  }
}

/// The layer's part of one connection.
///
/// ```
///   hearing ── a hand-over whose receipt is to be lost ──► deaf ── the server has answered ──► cut
/// ```
final class FaultGate: Sendable {
  private let layer: FaultLayer
  private let server: ChatServer
  private let queue: OutboundQueue
  private let connection: Int
  /// Nothing of what the server says reaches the client any more.
  private let isDeaf = Mutex(false)

  fileprivate init(layer: FaultLayer, server: ChatServer, queue: OutboundQueue, connection: Int) {
    self.layer = layer
    self.server = server
    self.queue = queue
    self.connection = connection
  }

  /// What the server says.
  func push(_ output: ServerOutput) {
    if isDeaf.withLock({ $0 }) { return }
    queue.push(output)
  }

  /// What the client says.
  func receive(_ frame: Data, on id: ConnectionID) async {
    await server.receive(frame, on: id) { messages, accepted in
      let (passed, answers) = layer.sift(messages, accepted: accepted, on: connection)
      for answer in answers {
        // A frame of our own making always encodes.
        if let frame = try? JSONEncoder().encode(Wire.ServerFrame.refused(answer)) { push(.frame(frame)) }
      }
      if !passed.isEmpty, layer.losesReceipt() { isDeaf.withLock { $0 = true } }
      return passed
    }
    if isDeaf.withLock({ $0 }) { queue.finish() }
  }
}
