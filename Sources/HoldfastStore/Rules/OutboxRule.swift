/// The rules of the outbox, as SQL conditions on its rows.
enum OutboxRule {
  /// The entry waits for its turn: it has neither failed nor is held.
  static let isQueued = isQueued("")
  /// The same, where a query names the outbox `o`.
  static let isQueuedInO = isQueued("o.")
  /// The entry is not sent without user action.
  static let isStopped = isStopped("")
  /// The same, where a query names the outbox `t`.
  static let isStoppedInT = isStopped("t.")

  private static func isQueued(_ table: String) -> String {
    "\(table)parkedCode IS NULL AND \(table)isHeld = 0"
  }

  private static func isStopped(_ table: String) -> String {
    "(\(table)parkedCode IS NOT NULL OR \(table)isHeld = 1)"
  }
}
