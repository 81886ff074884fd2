import Foundation

/// Allows bursts, and a steady rate in the long run: the bucket fills by the second, and each message takes
/// one token out.
struct TokenBucket: Sendable, Hashable {
  private let capacity: Double
  private let perSecond: Double
  private var level: Double
  private var measuredAt: Duration

  init(capacity: Int, perSecond: Double, now: Duration) {
    self.capacity = max(1, Double(capacity))
    // A rate of nothing would ask clients to wait for ever.
    self.perSecond = max(0.001, perSecond)
    level = self.capacity
    measuredAt = now
  }

  /// Takes a token. False when there is none.
  mutating func take(now: Duration) -> Bool {
    refill(now: now)
    guard level >= 1 else { return false }
    level -= 1
    return true
  }

  /// How long until there is a token again. Zero when there is one.
  mutating func wait(now: Duration) -> Duration {
    refill(now: now)
    return .seconds(max(0, 1 - level) / perSecond)
  }

  private mutating func refill(now: Duration) {
    let elapsed = now - measuredAt
    guard elapsed > .zero else { return }
    level = min(capacity, level + elapsed / .seconds(1) * perSecond)
    measuredAt = now
  }
}
