import Foundation

/// The unobtrusive line above a composer about a restored or a discarded draft (rules D10, D11).
public struct DraftBanner: Sendable, Codable, Hashable {
  /// The reason for the banner, and the buttons that it offers.
  public enum Kind: String, Sendable, Codable, Hashable {
    /// The draft is from an earlier session of the app, or an hour old. Shows **Discard**.
    case recovered
    /// The draft is more than a week old. Shows **Keep** and **Discard**.
    case old
    /// The draft was discarded just now. Shows **Undo**.
    case discarded
  }
  /// The reason for the banner, which also determines its buttons.
  public var kind: Kind
  /// The date on which the draft was written, on this device's clock, for an app that writes the banner's text
  /// itself.
  public var writtenAt: Date
  /// The draft's age, for ``ChatConfiguration/texts`` or a view that says it in its user's language:
  ///
  /// ```swift
  /// let age = switch banner.age {
  /// case .justNow: "à l’instant"
  /// case .minutes(let count): "il y a \(count) min"
  /// case .hours(let count): "il y a \(count) h"
  /// case .yesterday: "hier"
  /// case .days(let count): "il y a \(count) jours"
  /// }
  /// ```
  public var age: DraftBanner.Age
  /// The banner in English, or by ``ChatConfiguration/texts``: "Recovered draft • 5 minutes ago".
  public var text: String

  /// A banner of this kind. Its text is the English one unless another is given.
  public init(kind: Kind, writtenAt: Date, age: DraftBanner.Age, text: String? = nil) {
    self.kind = kind
    self.writtenAt = writtenAt
    self.age = age
    self.text = text ?? ""
    if text == nil { localizeInEnglish() }
  }
}

extension DraftBanner: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    text =
      switch kind {
      case .recovered: texts(.draftRecovered(age))
      case .old: texts(.draftOld(age))
      case .discarded: texts(.draftDiscarded)
      }
  }
}

extension DraftBanner {
  /// The time since something was written, as a person would say it.
  ///
  /// Ages count hours and ignore the calendar: *yesterday* is from 24 up to 48 hours ago. Ages therefore need no time
  /// zone, and neither a journey nor daylight saving time makes a draft younger. An app that wants the calendar's
  /// yesterday has the date.
  public enum Age: Sendable, Codable, Hashable {
    /// Less than a minute. Also a date in the future, which results from a clock that was turned back.
    case justNow
    /// 1 to 59 minutes.
    case minutes(Int)
    /// 1 to 23 hours.
    case hours(Int)
    /// 24 up to 48 hours.
    case yesterday
    /// 2 days or more.
    case days(Int)

    package init(of date: Date, from now: Date) {
      let seconds = now.timeIntervalSince(date)
      // An invalid date (not a number) counts as just now.
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
  }
}
