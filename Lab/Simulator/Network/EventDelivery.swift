import ChatServer
import Holdfast
import HoldfastTesting
import HoldfastTransport

/// The environment of a simulated backend with its own events or names: a simulated world, or the suite for
/// transports.
protocol EventDelivery: Sendable {
  /// The time on the virtual clock.
  var now: ChatEnvironment.Instant { get }
  func draw<Value: Sendable>(_ body: (inout SeededRandom) -> Value) -> Value
  /// Whether the server sends a forged item now.
  func lies() -> Bool
  /// Whether the echo of an account's own message arrives under the server's name only.
  func hidesIDs(of account: UserID) -> Bool
  func count(deed: String)
  func fail(_ violation: Violation)
}

/// The reference server behind such a backend, with the record of what phones have sent to it.
protocol RecordingServer: Sendable {
  /// Nil while the server is down.
  var current: ChatServer? { get }
  var sent: SentRecord { get }
}

extension WorldState: EventDelivery {
  var now: ChatEnvironment.Instant { scheduler.now }

  func draw<Value: Sendable>(_ body: (inout SeededRandom) -> Value) -> Value { scheduler.draw(body) }

  func lies() -> Bool { strikes(.hostileFrame) }

  /// A second phone of the same user never knew our ID.
  func hidesIDs(of account: UserID) -> Bool {
    guard plan.phones < WorldPlan.devices.count, plan.idempotency == .forever else { return false }
    return scheduler.draw { $0.chance(0.5) }
  }
}

extension SimulatedServer: RecordingServer {}
