import Foundation

/// The quiet line above a composer that tells of a restored draft, and of one that was discarded (SPEC D10, D11).
public struct DraftBanner: Sendable, Codable, Hashable {
  /// What it says, and which buttons it offers.
  public enum Kind: String, Sendable, Codable, Hashable {
    /// The draft is from an earlier session of the app, or an hour old: **Discard**.
    case recovered
    /// The draft is more than a week old: **Keep** or **Discard**.
    case old
    /// It was discarded just now: **Undo**.
    case discarded
  }
  public var kind: Kind
  /// When the draft was written, on this device's clock: for an app that says it in its own words.
  public var writtenAt: Date
  /// How long ago that was, for an app that says it in its user's language:
  ///
  /// ```swift
  /// switch banner.age {
  /// case .justNow: "à l’instant"
  /// case .minutes(let count): "il y a \(count) min"
  /// case .hours(let count): "il y a \(count) h"
  /// case .yesterday: "hier"
  /// case .days(let count): "il y a \(count) jours"
  /// }
  /// ```
  public var age: DraftAge
  /// In English: "Recovered draft • 5 minutes ago".
  public var text: String

  public init(kind: Kind, writtenAt: Date, age: DraftAge, text: String) {
    self.kind = kind
    self.writtenAt = writtenAt
    self.age = age
    self.text = text
  }

}

/// How long ago something was written, as a person would say it.
///
/// Counted in hours, not by the calendar: *yesterday* is from 24 up to 48 hours ago. So it needs no time zone, and a
/// journey or a changed clock of summer makes nothing younger. An app that wants its calendar's yesterday has the date.
public enum DraftAge: Sendable, Codable, Hashable {
  /// Less than a minute; also for a date in the future, which a clock that was turned back makes.
  case justNow
  /// 1 to 59.
  case minutes(Int)
  /// 1 to 23.
  case hours(Int)
  case yesterday
  /// 2 or more.
  case days(Int)

  package init(of date: Date, from now: Date) {
    let seconds = now.timeIntervalSince(date)
    // A date that is none is no age either.
    guard seconds >= 60 else {
      self = .justNow
      return
    }
    func count(_ length: TimeInterval) -> Int { Int(min(seconds / length, 1_000_000)) }
    switch seconds {
    case ..<3600: self = .minutes(count(60))
    case ..<86_400: self = .hours(count(3600))
    case ..<(2 * 86_400): self = .yesterday
    default: self = .days(count(86_400))
    }
  }

  /// In English: "just now", "5 minutes ago", "yesterday".
  package var words: String {
    func ago(_ count: Int, _ unit: String) -> String {
      count == 1 ? "1 \(unit) ago" : "\(count) \(unit)s ago"
    }
    return switch self {
    case .justNow: "just now"
    case .minutes(let count): ago(count, "minute")
    case .hours(let count): ago(count, "hour")
    case .yesterday: "yesterday"
    case .days(let count): ago(count, "day")
    }
  }
}
