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
package struct WaitingClock: Equatable, Sendable {
  /// What is stored, to go on from at the next launch. Both in microseconds.
  package struct Mark: Equatable, Sendable {
    package var reading: Int64
    package var date: Int64

    package init(reading: Int64, date: Int64) {
      self.reading = reading
      self.date = date
    }

  }

  private let start: Int64
  private let startedAt: ChatEnvironment.Instant
  /// The date is before that of the last launch: nobody knows how long the app was not running.
  private let dateWentBack: Bool

  /// - Parameters:
  ///   - mark: what an earlier launch stored. Nil: the first one.
  ///   - newest: the reading at which the newest message that waits was sent. The clock never goes behind it.
  package init(mark: Mark?, newest: Int64?, date: Date, uptime: ChatEnvironment.Instant) {
    let date = Self.sane(date.microseconds)
    var (began, wentBack) = (date, false)
    if let mark {
      let (reading, markedAt) = (Self.sane(mark.reading), Self.sane(mark.date))
      wentBack = date < markedAt
      began = Self.sane(reading + max(0, date - markedAt))
    }
    start = max(began, newest.map(Self.sane) ?? began)
    dateWentBack = wentBack
    startedAt = uptime
  }

  /// In microseconds. It never goes back, and only differences of two readings mean anything.
  package func reading(at uptime: ChatEnvironment.Instant) -> Int64 {
    Self.sane(start + Self.microseconds(uptime - startedAt))
  }

  /// The reading from which on a message has waited for less than `age`.
  package func reading(_ age: Duration, before uptime: ChatEnvironment.Instant) -> Int64 {
    Self.sane(reading(at: uptime) - Self.microseconds(age))
  }

  /// How long a message has waited that was sent at `reading`.
  package func age(of reading: Int64, at uptime: ChatEnvironment.Instant) -> Duration {
    .microseconds(max(0, self.reading(at: uptime) - Self.sane(reading)))
  }

  /// The same, for a promise that ends with time. Nil: nobody knows, because the date went back while the app did not
  /// run. A date that went back by less than the app was away for is not noticed.
  package func knownAge(of reading: Int64, at uptime: ChatEnvironment.Instant) -> Duration? {
    let reading = Self.sane(reading)
    let age = self.reading(at: uptime) - reading
    return age < 0 || (dateWentBack && reading < start) ? nil : .microseconds(age)
  }

  package func mark(date: Date, at uptime: ChatEnvironment.Instant) -> Mark {
    Mark(reading: reading(at: uptime), date: Self.sane(date.microseconds))
  }

  /// Some 36,000 years to either side of 1970: beyond every honest date and wait, and small enough that no sum or
  /// difference of two such numbers overflows. A date or a stored mark that is absurd counts as the nearest end.
  package static let range: ClosedRange<Int64> = -(1 << 60)...(1 << 60)

  package static func microseconds(_ duration: Duration) -> Int64 {
    let longest = Duration.microseconds(range.upperBound)
    let (seconds, attoseconds) = min(max(duration, .zero - longest), longest).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  private static func sane(_ microseconds: Int64) -> Int64 {
    min(max(microseconds, range.lowerBound), range.upperBound)
  }
}
