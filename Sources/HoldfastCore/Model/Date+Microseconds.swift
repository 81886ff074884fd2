import Foundation

extension Date {
  /// As the store has it. A date beyond the years that fit, which only a broken backend sends, is the last one
  /// or the first one that does.
  package var microseconds: Int64 {
    let exact = (timeIntervalSince1970 * 1_000_000).rounded()
    return Int64(exactly: exact) ?? (exact < 0 ? .min : .max)
  }
  package init(microseconds: Int64) { self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}
