import HoldfastCore
import HoldfastStore

/// The timeline places of imported messages without a server's order. They precede all messages with a server's
/// order, in the order of the file. The gaps between them leave room for messages that a better copy of the file may
/// have. Pure.
///
/// ```
///   -2^61 … +2^20 … +2^20 …      0        2   3   4
///   1st     2nd     3rd                   │   │   order 2
///               └ found later             │   └ without an order, behind order 1
///                                         order 1
/// ```
struct ImportedPlaces: Equatable {
  private static let gap: Int64 = 1 << 20

  /// The place of the previous message in the file.
  private(set) var last: Int64 = -(1 << 61)
  /// The place of the next stored message after `last`. Nil when no message is behind it.
  private(set) var next: Int64?

  init(next: Int64? = nil) { self.next = next }

  /// Moves to a message that is already stored.
  mutating func pass(_ place: Int64, next: Int64?) {
    // A message that is being sent or written goes after all others, regardless of its place in the file.
    guard place < TimelinePlace.unplaced else { return }
    (last, self.next) = (place, next)
  }

  /// Gives a new message its place.
  mutating func assignPlace(order: Int64?) -> Int64 {
    last = order.map(TimelinePlace.confirmed) ?? placeBehindLast
    if let next, next <= last { self.next = nil }
    return last
  }

  private var placeBehindLast: Int64 {
    guard last < 0 else { return last | 1 }
    let free = min(last + Self.gap, -1)
    guard let next, next < 0 || last < -Self.gap * 2 else { return free }
    return min(free, last + (min(next, 0) - last) / 2)
  }
}
