import Foundation

/// How drafts fare on this device (SPEC D14), without contents: fit for a screen of diagnostics or a report. Encoded, each
/// value has the name that its field is known by, `draft_saves_count` for one.
public struct DraftMetrics: Sendable, Codable, Hashable {
  /// How old drafts were when they came back.
  ///
  /// Each is the upper limit of a bucket that is √2 times as wide as the one before it, so that the true age is at most
  /// 30% lower; the last bucket begins at 35 days. A device's clock that was set makes it wrong; it is never negative.
  public struct Age: Sendable, Codable, Hashable {
    /// Half of them were no older.
    public var p50: Duration
    /// 95 of 100 were no older.
    public var p95: Duration

    /// In seconds.
    private enum CodingKeys: String, CodingKey { case p50, p95 }

    package init(p50: Duration, p95: Duration) { (self.p50, self.p95) = (p50, p95) }

    /// Reads what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      p50 = .seconds(try values.decode(Double.self, forKey: .p50))
      p95 = .seconds(try values.decode(Double.self, forKey: .p95))
    }

    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(p50 / .seconds(1), forKey: .p50)
      try values.encode(p95 / .seconds(1), forKey: .p95)
    }
  }

  /// How often a draft was stored, by itself or by a hard save.
  public var saves: Int
  /// How often a stored draft came back into a composer.
  public var restores: Int
  /// How often a draft that had been recovered was discarded.
  public var recoveredDiscarded: Int
  /// Nil until a draft has come back.
  public var restoreAge: Age?

  public init(saves: Int, restores: Int, recoveredDiscarded: Int, restoreAge: Age? = nil) {
    self.saves = saves
    self.restores = restores
    self.recoveredDiscarded = recoveredDiscarded
    self.restoreAge = restoreAge
  }

  private enum CodingKeys: String, CodingKey {
    case saves = "draft_saves_count"
    case restores = "draft_restores_count"
    case recoveredDiscarded = "recovered_draft_discarded_count"
    case restoreAge = "restore_age_seconds"
  }

  /// As the table of counts has them.
  package static let savesMetric = CodingKeys.saves.rawValue
  package static let recoveredDiscardedMetric = CodingKeys.recoveredDiscarded.rawValue
  package static let restoreAgeMetric = CodingKeys.restoreAge.rawValue
}

/// Drafts that came back, by their age: each is in one bucket.
package struct RestoreCounts: Equatable, Sendable {
  package private(set) var byAge: [Int: Int] = [:]

  package init(byAge: [Int: Int] = [:]) {
    self.byAge = byAge
  }

  package mutating func add(age: TimeInterval) {
    // Beyond the last bucket all are the same, and a date that is none has no age.
    let seconds = age.isFinite ? min(max(age, 0), 1e9) : 0
    byAge[DeliveryTimes.bucket(of: .seconds(seconds)), default: 0] += 1
  }

  package mutating func add(_ other: RestoreCounts) { byAge.merge(other.byAge, uniquingKeysWith: +) }
}
