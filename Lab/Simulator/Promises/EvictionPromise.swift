import Holdfast

/// The messages of a conversation that a phone may lack, because they have made room (rule H11) or were never told (rule
/// B6): the oldest that the server has, and only those that nothing unsent ever referred to on the phone.
struct EvictionPromise: Sendable {
  /// Whether the timeline says that older messages were evicted.
  var isTold: Bool
  /// Messages that something unsent has referred to on this phone. They may have stayed, although newer
  /// messages were evicted.
  var referred: Set<MessageID>
  /// The number of the newest messages that are here in any case.
  var least = ChatConfiguration.HistoryLimits.leastPerConversation
  /// Whether the user has asked for older messages.
  var mayComeBack = false

  /// Returns the violation when no more than `after` is left of `before`, in the server's order. Nil when
  /// nothing is wrong.
  func violation(before: [MessageID], after: [MessageID]) -> Violation? {
    let left = Set(after)
    guard let last = before.lastIndex(where: { !left.contains($0) }) else { return nil }
    let older = before[..<last].filter(left.contains)
    guard isTold else {
      return Violation(
        promise: "what has made room is told", expected: "the timeline to say that \(before[last]) is gone",
        found: "nothing of it")
    }
    if let older = older.first(where: { !referred.contains($0) }) {
      return Violation(
        promise: "the oldest make room", expected: "\(older) to go before \(before[last])",
        found: "it is there")
    }
    let newer = after.count - older.count
    guard newer < least else { return nil }
    return Violation(
      promise: "the last hundred stay",
      expected: "\(least) from the end",
      found: "\(newer), behind \(before[last])")
  }
}

/// The number of messages that a phone with history limits keeps once it is at rest.
struct HistoryPromise: Sendable {
  let limits: ChatConfiguration.HistoryLimits

  /// - Parameter conversations: the messages that are left of each conversation, in order, and those that may
  ///   stay.
  func isKept(_ conversations: [(rows: [MessageID], referred: Set<MessageID>)]) -> Bool {
    let least = ChatConfiguration.HistoryLimits.leastPerConversation
    let hasFree = conversations.contains { conversation in
      conversation.rows.dropLast(least).contains { !conversation.referred.contains($0) }
    }
    guard hasFree else { return true }
    guard limits.perConversation == nil, let total = limits.total else { return false }
    return conversations.reduce(0) { $0 + $1.rows.count } <= total
  }
}
