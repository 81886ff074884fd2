import Holdfast

/// What a phone with history limits may have let go of a conversation (SPEC H11): the oldest that the server has, and of
/// those only what nothing unsent ever referred to there.
struct EvictionPromise: Sendable {
  /// The timeline says that older messages have made room.
  var isTold: Bool
  /// Something that was not sent has referred to them on this phone: they may have stayed in front of what went.
  var referred: Set<MessageID>

  /// What is wrong about it when of `before`, in the server's order, no more than `after` is there.
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
    guard newer < HistoryLimits.leastPerConversation else { return nil }
    return Violation(
      promise: "the last hundred stay", expected: "\(HistoryLimits.leastPerConversation) from the end",
      found: "\(newer), behind \(before[last])")
  }
}

/// How many messages a phone with history limits keeps, once it is at rest.
struct HistoryPromise: Sendable {
  let limits: HistoryLimits

  /// - Parameter conversations: what is there of each, in order, and what need not go.
  func isKept(_ conversations: [(rows: [MessageID], referred: Set<MessageID>)]) -> Bool {
    let least = HistoryLimits.leastPerConversation
    let hasFree = conversations.contains { conversation in
      conversation.rows.dropLast(least).contains { !conversation.referred.contains($0) }
    }
    guard hasFree else { return true }
    guard limits.perConversation == nil, let total = limits.total else { return false }
    return conversations.reduce(0) { $0 + $1.rows.count } <= total
  }
}
