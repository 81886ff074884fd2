import Holdfast

/// The messages of a conversation that a phone may lack, because they were evicted (rule H11) or never sent to it
/// (rule B6): the oldest on the server, and only those that no unsent item ever referred to on the phone.
struct EvictionPromise: Sendable {
  /// Whether the timeline shows that older messages were evicted.
  var isReported: Bool
  /// Messages that an unsent item has referred to on this phone. They may have stayed, although newer messages were
  /// evicted.
  var referred: Set<MessageID>
  /// The number of the newest messages that are kept in any case.
  var least = ChatConfiguration.HistoryLimits.leastPerConversation
  /// Whether the user has requested older messages.
  var mayComeBack = false

  /// Returns the violation when `after` is not a permitted remainder of `before`, in the server's order. Nil when it
  /// is.
  func violation(before: [MessageID], after: [MessageID]) -> Violation? {
    let left = Set(after)
    guard let last = before.lastIndex(where: { !left.contains($0) }) else { return nil }
    let older = before[..<last].filter(left.contains)
    guard isReported else {
      return Violation(
        promise: "what has made room is reported",
        expected: "the timeline to say that \(before[last]) is gone",
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

  /// - Parameter conversations: the remaining messages of each conversation, in order, and those that may stay.
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
