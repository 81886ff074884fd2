import HoldfastCore

/// Whether the dates of a conversation decrease from its first message to its last one, as in a file with the newest
/// first. Pure.
struct DateOrder {
  private var last: Int64?
  private var (falls, isBroken) = (false, false)

  /// - Parameter date: nil for a message without a readable date.
  mutating func note(_ date: Int64?) {
    guard let date, date <= last ?? date else { return isBroken = true }
    if let last, date < last { falls = true }
    last = date
  }

  /// Whether the order is already known not to be decreasing.
  var cannotFall: Bool { isBroken }
  var isNewestFirst: Bool { falls && !isBroken }
}
