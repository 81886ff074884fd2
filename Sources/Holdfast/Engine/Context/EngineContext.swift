import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport
import Logging

/// The values that all parts of the engine share. Any thread may use them.
struct EngineContext: Sendable {
  /// The account that the store belongs to.
  let user: UserID
  /// The ID under which the server knows this store's connections.
  let device: String
  /// The ID of this launch of the app.
  let session: String
  let store: Store
  let transport: any Transport
  let configuration: ChatConfiguration
  let waitingClock: WaitingClock
  let deliveryTimes = DeliveryTimes()
  let events: EventLog
  let alarm: Alarm

  /// Opens the store, or creates it when it does not exist.
  ///
  /// - Parameter gate: the gate at every commit, in tests and simulated worlds.
  init(
    opening storage: StorageLocation, transport: any Transport, user: UserID,
    configuration: ChatConfiguration, gate: CommitGate?
  ) throws {
    (self.user, self.transport, events) = (user, transport, EventLog())
    var configuration = configuration
    configuration.environment.logger = events.recording(
      configuration.environment.logger, now: configuration.environment.now)
    self.configuration = configuration
    let environment = configuration.environment
    store = try Store(
      folder: try storage.resolve(), owner: user, gate: gate, isShared: storage.isShared,
      protection: storage.protection)
    if let records = configuration.recordsDeliveries { try store.recordDeliveries(records) }
    device = try store.device(else: environment.makeID)
    session = environment.makeID()
    let (mark, newest) = try store.read { (try $0.outbox.waitingMark(), try $0.outbox.lastWaitingReading()) }
    waitingClock = WaitingClock(
      mark: mark, newest: newest, date: environment.now(), uptime: environment.uptime())
    alarm = Alarm(environment)
  }

  var environment: ChatEnvironment { configuration.environment }
  var logger: Logger { environment.logger }

  /// The present time on the waiting clock.
  var waitingReading: Int64 { waitingClock.reading(at: environment.uptime()) }

  /// The date of an instant, by this device's clock as it is now.
  func date(of instant: ChatEnvironment.Instant) -> Date {
    environment.now().addingTimeInterval((instant - environment.uptime()) / .seconds(1))
  }

  /// Waits for a signal or a deadline, whichever comes first.
  nonisolated(nonsending) func wait(for signal: Signal, until deadline: ChatEnvironment.Instant?) async {
    await alarm.wait(for: signal, until: deadline)
  }
}
