import Foundation

/// Measures how long messages have waited, independent of the device's date (rules O16, O17). Pure.
///
/// While the process lives, it follows the waiting clock, which cannot be set. The date serves one purpose: it
/// measures the time for which the app was not running.
///
/// ```
///   launch ── waiting clock ──► end ┄┄ date, if it went on ┄┄► launch ── waiting clock ──►
///                                   ┄┄ no time, if it went back ┄┄►
/// ```
///
/// A date that is set while the app runs changes no age. A date that is set back while the app does not run hides
/// the time between: messages seem younger by that time at most, and never younger than their order says. A date
/// that is set forward makes messages seem older: their user is asked too early, and nothing is lost.
package struct WaitingClock: Equatable, Sendable {
  /// The state that is stored for the next launch. Both values are in microseconds.
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
  /// The date at this launch is earlier than the stored date, so the time that the app was not running is unknown.
  private let dateWentBack: Bool

  /// - Parameters:
  ///   - mark: The mark that an earlier launch stored. Nil at the first launch.
  ///   - newest: The latest time at which a waiting message was sent or transmitted. The clock never goes behind it.
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

  /// The time in microseconds. It never goes back. Only the difference of two times has a meaning.
  package func reading(at uptime: ChatEnvironment.Instant) -> Int64 {
    Self.sane(start + Self.microseconds(uptime - startedAt))
  }

  /// The time from which on a message has waited for less than `age`.
  package func reading(_ age: Duration, before uptime: ChatEnvironment.Instant) -> Int64 {
    Self.sane(reading(at: uptime) - Self.microseconds(age))
  }

  /// The time that a message sent at `reading` has waited.
  package func age(of reading: Int64, at uptime: ChatEnvironment.Instant) -> Duration {
    .microseconds(max(0, self.reading(at: uptime) - Self.sane(reading)))
  }

  /// The same age, for a promise that expires. Nil when the age is unknown: the date went back while the app did not
  /// run, or `reading` is later than the clock's present time. A step back that is shorter than the app's absence
  /// goes unnoticed.
  package func knownAge(of reading: Int64, at uptime: ChatEnvironment.Instant) -> Duration? {
    let reading = Self.sane(reading)
    let age = self.reading(at: uptime) - reading
    return age < 0 || (dateWentBack && reading <= start) ? nil : .microseconds(age)
  }

  package func mark(date: Date, at uptime: ChatEnvironment.Instant) -> Mark {
    Mark(reading: reading(at: uptime), date: Self.sane(date.microseconds))
  }

  /// The limits of every time and date: some 36,000 years to either side of 1970. They lie beyond every plausible
  /// date and wait, and are small enough that no sum or difference of two such numbers overflows. An absurd date or
  /// stored mark counts as the nearest limit.
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
