import Foundation
import HoldfastCore
import HoldfastRelay

extension Wire.ServerFrame {
  /// The frame's bytes on the link. The keys are sorted, so that equal frames are equal bytes and a simulation
  /// replays exactly.
  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}

extension Duration {
  /// Whole milliseconds, rounded up and at least one, because zero would mean no wait. At most a day.
  var wireMilliseconds: Int64 {
    let milliseconds = (self / .milliseconds(1)).rounded(.up)
    return Int64(min(max(milliseconds, 1), 86_400_000))
  }
}

extension Date {
  /// Milliseconds since 1970. A date beyond the wire's range is clamped to its nearest limit.
  var wireMilliseconds: Int64 {
    let milliseconds = (timeIntervalSince1970 * 1000).rounded(.down)
    let edge = 9_007_199_254_740_992.0
    guard milliseconds.isFinite else { return 0 }
    return Int64(min(max(milliseconds, -edge), edge))
  }
}
