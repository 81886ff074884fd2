import Foundation
import HoldfastCore
import HoldfastRelay

/// Allows bursts, and a steady rate in the long run. The bucket fills steadily, and each message takes one token.
struct TokenBucket: Sendable, Hashable {
  private let capacity: Double
  private let perSecond: Double
  private var level: Double
  private var measuredAt: Duration

  init(capacity: Int, perSecond: Double, now: Duration) {
    self.capacity = max(1, Double(capacity))
    // A rate of zero would make clients wait forever.
    self.perSecond = max(0.001, perSecond)
    level = self.capacity
    measuredAt = now
  }

  /// Spends tokens. Returns false when there are too few. A cost above the capacity needs a full bucket.
  mutating func spend(_ cost: Int = 1, now: Duration) -> Bool {
    refill(now: now)
    guard level >= min(Double(cost), capacity) else { return false }
    level -= Double(cost)
    return true
  }

  /// The time until enough tokens are available. Zero when they are.
  mutating func wait(_ cost: Int = 1, now: Duration) -> Duration {
    refill(now: now)
    return .seconds(max(0, min(Double(cost), capacity) - level) / perSecond)
  }

  private mutating func refill(now: Duration) {
    let elapsed = now - measuredAt
    guard elapsed > .zero else { return }
    level = min(capacity, level + elapsed / .seconds(1) * perSecond)
    measuredAt = now
  }
}

/// A bucket for each account that has sent something.
struct TokenBuckets: Sendable {
  private let capacity: Int
  private let perSecond: Double
  private var buckets: [UserID: TokenBucket] = [:]

  init(capacity: Int, perSecond: Double) {
    self.capacity = capacity
    self.perSecond = perSecond
  }

  /// Takes tokens from the account's bucket. Returns the time to wait when there are too few.
  mutating func charge(_ account: UserID, _ cost: Int = 1, now: Duration) -> Duration? {
    var bucket = buckets[account] ?? TokenBucket(capacity: capacity, perSecond: perSecond, now: now)
    defer { buckets[account] = bucket }
    return bucket.spend(cost, now: now) ? nil : bucket.wait(cost, now: now)
  }
}
