import Foundation
import Synchronization

/// The times that messages took from the tap to the server's acknowledgement (rule O17).
///
/// The times are measured on the waiting clock, within one process, so a date that jumps changes nothing. A message
/// that an earlier launch sent is not measured at all, rather than measured wrongly. The store keeps counts: how many
/// messages took how long, by bucket. They are written in the transaction of the acknowledgement.
///
/// Each bucket's limit is √2 times that of the previous bucket:
///
/// ```
///   bucket    0      1       2        3       …   20       21        …   63
///   up to     1 ms   1.4 ms  2 ms     2.8 ms      1.02 s   1.45 s        35 days, and all above
/// ```
package final class DeliveryTimes: Sendable {
  package static let metric = "timeToDelivered"
  private static let lastBucket = 63
  /// The most messages that are measured at once, so that a long queue costs no memory.
  private static let capacity = 10_000

  private let sentAt = Mutex<[MessageID: ChatEnvironment.Instant]>([:])

  package init() {}

  package func sent(_ id: MessageID, at uptime: ChatEnvironment.Instant) {
    sentAt.withLock { sentAt in
      guard sentAt.count < Self.capacity else { return }
      sentAt[id] = uptime
    }
  }

  /// The message has been delivered and counted, or will not be delivered.
  package func forget(_ id: MessageID) {
    sentAt.withLock { _ = $0.removeValue(forKey: id) }
  }

  /// The number of messages in each bucket. The server has these messages now.
  package func buckets(of ids: [MessageID], now: ChatEnvironment.Instant) -> [Int: Int] {
    sentAt.withLock { sentAt in
      ids.reduce(into: [:]) { counts, id in
        if let start = sentAt[id] { counts[Self.bucket(of: now - start), default: 0] += 1 }
      }
    }
  }

  package static func bucket(of time: Duration) -> Int {
    let milliseconds = time / .milliseconds(1)
    guard milliseconds > 1 else { return 0 }
    return min(lastBucket, Int((2 * log2(milliseconds)).rounded(.up)))
  }

  /// The longest time that falls into the bucket.
  package static func limit(of bucket: Int) -> Duration {
    Duration.milliseconds(1) * exp2(Double(min(max(bucket, 0), lastBucket)) / 2)
  }

  /// The limit of the bucket below which the given part of all messages lies. Nil when there are no messages.
  package static func percentile(_ part: Double, of counts: [Int: Int]) -> Duration? {
    let rank = Int((part * Double(counts.values.reduce(0, +))).rounded(.up))
    guard rank > 0 else { return nil }
    var seen = 0
    for (bucket, count) in counts.sorted(by: { $0.key < $1.key }) {
      seen += count
      if seen >= rank { return limit(of: bucket) }
    }
    return nil
  }
}
