import Foundation

/// Counts of what happened to drafts on this device (rule D14), without contents: fit for a diagnostics screen
/// or a report. Encoded, each value has its standard name, such as `draft_saves_count`.
public struct DraftMetrics: Sendable, Codable, Hashable {
  /// The age of drafts when they were restored.
  ///
  /// Each value is the upper limit of a bucket, which is √2 times as wide as the bucket before it. So the true
  /// age is at most 30% lower. The last bucket begins at 35 days. An age is wrong if the device's clock was
  /// set, but never negative.
  public struct Age: Sendable, Codable, Hashable {
    /// The age that half of the drafts did not exceed.
    public var p50: Duration
    /// The age that 95 of 100 drafts did not exceed.
    public var p95: Duration

    /// Both values are encoded in seconds.
    private enum CodingKeys: String, CodingKey { case p50, p95 }

    package init(p50: Duration, p95: Duration) { (self.p50, self.p95) = (p50, p95) }

    /// Reads the seconds that ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      p50 = .seconds(try values.decode(Double.self, forKey: .p50))
      p95 = .seconds(try values.decode(Double.self, forKey: .p95))
    }

    /// Writes both values in seconds.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(p50 / .seconds(1), forKey: .p50)
      try values.encode(p95 / .seconds(1), forKey: .p95)
    }
  }

  /// The number of times that a draft was stored, by autosave or by a hard save.
  public var saves: Int
  /// The number of times that a stored draft was restored into a composer.
  public var restores: Int
  /// The number of times that a recovered draft was discarded.
  public var recoveredDiscarded: Int
  /// The age of restored drafts. Nil until a draft has been restored.
  public var restoreAge: Age?

  /// Metrics with these values, for previews and tests.
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

  /// Names in the table of counts.
  package static let savesMetric = CodingKeys.saves.rawValue
  package static let recoveredDiscardedMetric = CodingKeys.recoveredDiscarded.rawValue
  package static let restoreAgeMetric = CodingKeys.restoreAge.rawValue
}

/// Counts of restored drafts, by age. Each draft is in one bucket.
package struct RestoreCounts: Equatable, Sendable {
  package private(set) var byAge: [Int: Int] = [:]

  package init(byAge: [Int: Int] = [:]) {
    self.byAge = byAge
  }

  package mutating func add(age: TimeInterval) {
    // All ages beyond the last bucket are alike. An age that is not a number counts as zero.
    let seconds = age.isFinite ? min(max(age, 0), 1e9) : 0
    byAge[DeliveryTimes.bucket(of: .seconds(seconds)), default: 0] += 1
  }

  package mutating func add(_ other: RestoreCounts) { byAge.merge(other.byAge, uniquingKeysWith: +) }
}
