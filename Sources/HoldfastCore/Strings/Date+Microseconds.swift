import Foundation

extension Date {
  /// Microseconds since 1970, as the store has them. A date out of range, which only a broken server sends,
  /// becomes the first or the last date that fits.
  package var microseconds: Int64 {
    let exact = (timeIntervalSince1970 * 1_000_000).rounded()
    return Int64(exactly: exact) ?? (exact < 0 ? .min : .max)
  }
  package init(microseconds: Int64) { self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}
