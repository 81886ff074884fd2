/// One event of a world.
struct TraceLine: Sendable, Hashable, CustomStringConvertible {
  /// The name of the world's own events: a broken promise, or the healing of the world.
  static let world = "world"

  var time: Duration
  /// "alice", "server", …, or "world".
  var who: String
  var what: String

  /// The virtual clock in seconds, right-aligned.
  var moment: String {
    let milliseconds = Int(time / .milliseconds(1))
    let fraction = String(milliseconds % 1000)
    let seconds = "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    return String(repeating: " ", count: max(0, 8 - seconds.count)) + seconds
  }

  func mentions(_ id: String) -> Bool { what.split(separator: " ").contains { $0 == id } }

  var description: String { "\(moment) \(who) \(what)" }
}
