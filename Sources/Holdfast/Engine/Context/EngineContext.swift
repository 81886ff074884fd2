import Foundation
import HoldfastCore
import HoldfastStore
import Logging
import HoldfastTransport

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
  let live: LiveState
  let waitingClock: WaitingClock
  let deliveryTimes = DeliveryTimes()
  let events: EventLog
  let alarm: Alarm

  var environment: ChatEnvironment { configuration.environment }
  var logger: Logger { environment.logger }

  /// The reading of the waiting clock at this moment.
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
