import Foundation
import HoldfastCore
import HoldfastStore

/// Lets the oldest messages go when there are more than ``HistoryLimits`` (SPEC H11). Only what the server has given a
/// place goes, because only that is known to be there; and nothing to which something unsent refers: not what a draft or a
/// waiting message answers or edits, nor what an operation is about. A few at a time.
extension ChatClient {
  private static let messagesAtOnce = 200
  /// While messages come in, the limits are looked at that often.
  private static let evictionPause: Duration = .seconds(60)

  /// Keeps the limits for as long as the task lives.
  func evictOldest() async {
    let subscription = store.changes.subscribe(evictionSignal) { !$0.timelines.isEmpty }
    defer { store.changes.unsubscribe(subscription) }
    while !Task.isCancelled {
      do throws(ChatError) {
        if let kept = historyLimits.keptPerConversation { try await evict(keeping: kept) }
        if let total = historyLimits.keptInAll { try await evict(keepingInAll: total) }
      } catch {
        logger.notice("no room made", metadata: ["code": "\(error.code)"])
      }
      await evictionSignal.wait()
      try? await environment.sleep(environment.uptime() + Self.evictionPause)
    }
  }

  private func evict(keeping kept: Int) async throws(ChatError) {
    let crowded = try store.read { try $0.messageCounts(above: kept) }
    for (conversation, count) in crowded {
      var excess = count - kept
      while excess > 0, !Task.isCancelled {
        let limit = min(excess, Self.messagesAtOnce)
        let evicted = try store.writeUnsynced {
          try $0.evict($0.db.evictable(in: conversation, keeping: kept, limit: limit))
        }
        guard evicted > 0 else { break }
        excess -= evicted
        try? await environment.sleep(environment.uptime() + .milliseconds(5))
      }
    }
  }

  /// The order of arrival says how many of which conversation go, and each conversation's oldest do: what was sent long
  /// before it was delivered stands behind what arrived meanwhile.
  private func evict(keepingInAll total: Int) async throws(ChatError) {
    let least = HistoryLimits.leastPerConversation
    var excess = try store.read { try $0.messageCount() } - total
    guard excess > 0 else { return }
    var kept: [ConversationID: Int64] = [:]
    for (conversation, _) in try store.read({ try $0.messageCounts(above: least) }) {
      kept[conversation] = try store.read { try $0.place(of: conversation, fromLast: least) }
    }
    var position: Int64 = 0
    while excess > 0, !Task.isCancelled {
      let next = try store.read { try $0.evictable(behind: position, limit: Self.messagesAtOnce) }
      guard let last = next.last else { return }
      position = last.position
      let leaving = next.filter { message in
        message.isFree && kept[message.conversation].map { message.place < $0 } ?? false
      }.prefix(excess)
      let counts = Dictionary(grouping: leaving, by: \.conversation).mapValues(\.count)
      for (conversation, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        excess -= try store.writeUnsynced {
          try $0.evict($0.db.evictable(in: conversation, keeping: least, limit: count))
        }
      }
      try? await environment.sleep(environment.uptime() + .milliseconds(5))
    }
  }
}
