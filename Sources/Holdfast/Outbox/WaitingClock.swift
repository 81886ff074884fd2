import Foundation

/// Tells how long messages have waited, whatever the device's date is set to (SPEC O16, O17). Pure.
///
/// While the process lives it runs with the waiting clock, which nobody can set. The date is asked for one thing
/// only: how long the app was not running.
///
/// ```
///   launch ── waiting clock ──► end ┄┄ date, if it went on ┄┄► launch ── waiting clock ──►
///                                   ┄┄ no time, if it went back ┄┄►
/// ```
///
/// So a date that is set while the app runs changes no age. One that was set back while it did not run hides the
/// time between: messages are younger than they are, by that much and no more, and never younger than their
/// order says. One that was set forward makes them older: their user is asked too early, and nothing is lost.
struct WaitingClock: Equatable, Sendable {
  /// What is stored, to go on from at the next launch. Both in microseconds.
  struct Mark: Equatable, Sendable {
    var reading: Int64
    var date: Int64
  }

  private let start: Int64
  private let startedAt: ChatEnvironment.Instant
  /// The date is before that of the last launch: nobody knows how long the app was not running.
  private let dateWentBack: Bool

  /// - Parameters:
  ///   - mark: what an earlier launch stored. Nil: the first one.
  ///   - newest: the reading at which the newest message that waits was sent. The clock never goes behind it.
  init(mark: Mark?, newest: Int64?, date: Date, uptime: ChatEnvironment.Instant) {
    let date = date.microseconds
    dateWentBack = mark.map { date < $0.date } ?? false
    let began = mark.map { date > $0.date ? $0.reading + (date - $0.date) : $0.reading } ?? date
    start = max(began, newest ?? began)
    startedAt = uptime
  }

  /// In microseconds. It never goes back, and only differences of two readings mean anything.
  func reading(at uptime: ChatEnvironment.Instant) -> Int64 {
    start + Self.microseconds(uptime - startedAt)
  }

  /// How long a message has waited that was sent at `reading`.
  func age(of reading: Int64, at uptime: ChatEnvironment.Instant) -> Duration {
    .microseconds(max(0, self.reading(at: uptime) - reading))
  }

  /// The same, for a promise that ends with time. Nil: nobody knows, because the date went back while the app did not
  /// run. A date that went back by less than the app was away for is not noticed.
  func knownAge(of reading: Int64, at uptime: ChatEnvironment.Instant) -> Duration? {
    let age = self.reading(at: uptime) - reading
    return age < 0 || (dateWentBack && reading < start) ? nil : .microseconds(age)
  }

  func mark(date: Date, at uptime: ChatEnvironment.Instant) -> Mark {
    Mark(reading: reading(at: uptime), date: date.microseconds)
  }

  static func microseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
