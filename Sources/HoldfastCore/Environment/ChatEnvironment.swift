import Foundation
import Logging
import Synchronization

/// The world as the engine sees it. Everything that could differ from one run to the next is passed in here, so
/// that a test can run the real engine under a seed and a virtual clock.
///
/// An app uses `ChatEnvironment()` as it is. A simulation passes in its own clock, dates, IDs, random numbers and
/// executor.
public struct ChatEnvironment: Sendable {
  /// A point on the waiting clock: the time since the environment was made. It never goes back, and says
  /// nothing about the date.
  public typealias Instant = Duration

  /// The present time on the waiting clock.
  public var uptime: @Sendable () -> Instant
  /// Returns at `deadline` on the waiting clock; throws `CancellationError` when the task is cancelled.
  public var sleep: @Sendable (_ until: Instant) async throws -> Void
  /// The date, as the device's owner set it. It may jump in both directions.
  public var now: @Sendable () -> Date
  /// A new ID for a message, a draft or a conversation.
  public var makeID: @Sendable () -> String
  /// A random number in 0..<1, for jitter and for the masks of WebSocket frames. An app keeps the default, which is
  /// the system's secure generator: a mask must be unpredictable (RFC 6455, section 5.3).
  public var random: @Sendable () -> Double
  /// The executor of the engine's actors. Nil: they run on a serial queue of their own.
  public var executor: (any SerialExecutor)?
  /// The engine's log. Contents never appear in it.
  public var logger: Logger
  /// Reports when another process is done with a file of the store.
  package var watcher: any FileWatcher = SystemFileWatcher()
  /// The gate at every commit of the store, in a simulated world.
  package var gate: CommitGate?

  /// - Parameters:
  ///   - clock: The clock for waits. A virtual clock makes the engine's waits virtual.
  ///   - now: The date. It orders nothing, and is only shown and stored.
  ///   - makeID: Makes IDs that no other device makes. The default is a UUID of version 7 (RFC 9562, section 5.7).
  ///   - logger: The engine's log. Nil: the app's swift-log bootstrap; without one, the unified log on Apple's
  ///     systems, and standard error on Linux.
  public init(
    clock: some Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() },
    makeID: (@Sendable () -> String)? = nil,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
    executor: (any SerialExecutor)? = nil,
    logger: Logger? = nil
  ) {
    let start = clock.now
    uptime = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    self.now = now
    self.makeID = makeID ?? { timeOrderedID(at: now()) }
    self.random = random
    self.executor = executor
    self.logger = logger ?? .ofSystem()
  }
}

/// A UUID of version 7 (RFC 9562, section 5.7). Its milliseconds come first, so that rows made one after the other
/// lie side by side in the indexes. The order matters for speed only, and nothing relies on it.
private func timeOrderedID(at date: Date) -> String {
  var bytes = UUID().uuid
  // A date outside the range of such IDs counts as 1970: it orders nothing.
  let milliseconds = UInt64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0
  bytes.0 = UInt8(truncatingIfNeeded: milliseconds >> 40)
  bytes.1 = UInt8(truncatingIfNeeded: milliseconds >> 32)
  bytes.2 = UInt8(truncatingIfNeeded: milliseconds >> 24)
  bytes.3 = UInt8(truncatingIfNeeded: milliseconds >> 16)
  bytes.4 = UInt8(truncatingIfNeeded: milliseconds >> 8)
  bytes.5 = UInt8(truncatingIfNeeded: milliseconds)
  bytes.6 = 0x70 | (bytes.6 & 0x0F)
  return UUID(uuid: bytes).uuidString.lowercased()
}
