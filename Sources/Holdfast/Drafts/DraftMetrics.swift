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

    init(p50: Duration, p95: Duration) { (self.p50, self.p95) = (p50, p95) }

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

  private enum CodingKeys: String, CodingKey {
    case saves = "draft_saves_count"
    case restores = "draft_restores_count"
    case recoveredDiscarded = "recovered_draft_discarded_count"
    case restoreAge = "restore_age_seconds"
  }

  /// As the table of counts has them.
  static let savesMetric = CodingKeys.saves.rawValue
  static let recoveredDiscardedMetric = CodingKeys.recoveredDiscarded.rawValue
  static let restoreAgeMetric = CodingKeys.restoreAge.rawValue
}

/// Drafts that came back, by their age: each is in one bucket.
struct RestoreCounts: Equatable, Sendable {
  private(set) var byAge: [Int: Int] = [:]

  mutating func add(age: TimeInterval) {
    // Beyond the last bucket all are the same, and a date that is none has no age.
    let seconds = age.isFinite ? min(max(age, 0), 1e9) : 0
    byAge[DeliveryTimes.bucket(of: .seconds(seconds)), default: 0] += 1
  }

  mutating func add(_ other: RestoreCounts) { byAge.merge(other.byAge, uniquingKeysWith: +) }
}

extension Drafts {
  /// The first composer that shows a stored draft restores it: one that joins it shows the same.
  func noteRestore(of key: DraftKey, in entries: inout [DraftKey: Entry]) {
    guard let entry = entries[key], entry.isToBeRestored, let writtenAt = entry.writtenAt else { return }
    entries[key]?.isToBeRestored = false
    desk.withLock { $0.restored.add(age: environment.now().timeIntervalSince(writtenAt)) }
    wake.raise()
  }

  /// To open a conversation writes nothing: what came back is counted a moment later, by whoever saves drafts, in a
  /// transaction that costs no sync.
  func storeCounts() {
    let counts = desk.withLock { desk in
      defer { desk.restored = RestoreCounts() }
      return desk.restored
    }
    guard counts != RestoreCounts() else { return }
    do throws(ChatError) {
      try store.writeUnsynced { try $0.count(DraftMetrics.restoreAgeMetric, counts.byAge) }
    } catch {
      desk.withLock { $0.restored.add(counts) }
    }
  }

  func metrics() throws(ChatError) -> DraftMetrics {
    storeCounts()
    return try store.read { try $0.draftMetrics() }
  }
}

extension ChatClient {
  /// How drafts fare on this device, over the life of its store.
  ///
  /// ```swift
  /// let metrics = try client.draftMetrics()
  /// report("\(metrics.restores) drafts came back, half of them after \(metrics.restoreAge?.p50 ?? .zero)")
  /// ```
  ///
  /// It costs a read of a few rows, and one transaction without a sync when a draft has come back since the last time.
  /// Saves are part of the transaction that they count, and survive what it survives; drafts that came back are counted
  /// a moment later, and a crash in between forgets them.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func draftMetrics() throws(ChatError) -> DraftMetrics { try drafts.metrics() }
}
