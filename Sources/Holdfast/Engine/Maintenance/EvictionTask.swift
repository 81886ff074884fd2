import HoldfastCore
import HoldfastStore

/// Removes the oldest messages when there are more than ``ChatConfiguration/HistoryLimits`` allows (rule H11). A
/// message is removed only when the server has given it a place, because only then the server is known to have it. A
/// message stays when something unsent refers to it: a draft or a waiting message that answers or edits it, or an
/// operation on it. A conversation in which somebody has read back to older messages keeps all of them until the next
/// launch.
final class EvictionTask: MaintenanceTask {
  private enum Phase {
    case counting
    /// Conversations with more messages than they may have, each with the number of messages that are too many.
    case conversations([(id: ConversationKey, excess: Int)])
    /// All conversations together have too many messages. `kept` is the place in each conversation from which on
    /// messages are kept. `position` is the position of the last message that was looked at.
    case all(excess: Int, kept: [ConversationKey: Int64], position: Int64)
  }
  private static let messagesAtOnce = 200

  let name = Maintenance.Name.eviction
  let pause: Duration = .seconds(60)
  let patience: Duration = .seconds(60)
  let concerns: @Sendable (Changes) -> Bool = { $0.concernsTimelines }

  private let store: Store
  private let limits: ChatConfiguration.HistoryLimits
  /// The conversations that keep all their messages for now.
  private let readBack: @Sendable () -> Set<ConversationKey>
  private var phase = Phase.counting
  /// Whether messages were removed since the last count. Messages that arrived meanwhile are then counted too.
  private var hasEvicted = false

  init(
    _ store: Store, _ limits: ChatConfiguration.HistoryLimits,
    besides readBack: @escaping @Sendable () -> Set<ConversationKey>
  ) {
    (self.store, self.limits, self.readBack) = (store, limits, readBack)
  }

  func step(at now: ChatEnvironment.Instant) throws(ChatError) -> Maintenance.Next {
    let present = phase
    // After a step that fails, the work starts from the beginning.
    phase = .counting
    var next: Phase?
    switch present {
    case .counting: next = try crowdedConversations()
    case .conversations(let crowded): next = try evict(from: crowded)
    case .all(let excess, let kept, let position):
      guard let rest = try evict(excess, keeping: kept, behind: position) else { return .whenRung }
      next = rest
    }
    if next == nil, hasEvicted { next = try crowdedConversations() }
    if next == nil { next = try crowdedStore() }
    guard let next else { return .whenRung }
    phase = next
    return .at(now + Self.yieldInterval)
  }

  private func crowdedConversations() throws(ChatError) -> Phase? {
    hasEvicted = false
    guard let kept = limits.keptPerConversation else { return nil }
    let readBack = readBack()
    let crowded = try store.read { try $0.history.messageCounts(above: kept) }.filter {
      !readBack.contains($0.0)
    }
    return crowded.isEmpty ? nil : .conversations(crowded.map { ($0, $1 - kept) })
  }

  private func evict(from crowded: [(id: ConversationKey, excess: Int)]) throws(ChatError) -> Phase? {
    guard let (id, excess) = crowded.first, let kept = limits.keptPerConversation else { return nil }
    let limit = min(excess, Self.messagesAtOnce)
    let evicted = try store.writeUnsynced {
      try $0.history.evict($0.history.evictable(in: id, keeping: kept, limit: limit))
    }
    if evicted > 0 { hasEvicted = true }
    var left = crowded
    left[0].excess -= evicted
    if evicted == 0 || left[0].excess <= 0 { left.removeFirst() }
    return left.isEmpty ? nil : .conversations(left)
  }

  private func crowdedStore() throws(ChatError) -> Phase? {
    guard let total = limits.keptInAll else { return nil }
    let excess = try store.read { try $0.history.messageCount() } - total
    guard excess > 0 else { return nil }
    let least = ChatConfiguration.HistoryLimits.leastPerConversation
    var kept: [ConversationKey: Int64] = [:]
    let readBack = readBack()
    for (conversation, _) in try store.read({ try $0.history.messageCounts(above: least) })
    where !readBack.contains(conversation) {
      kept[conversation] = try store.read { try $0.history.place(of: conversation, fromLast: least) }
    }
    return .all(excess: excess, kept: kept, position: 0)
  }

  private func evict(
    _ excess: Int, keeping kept: [ConversationKey: Int64], behind position: Int64
  ) throws(ChatError) -> Phase? {
    let next = try store.read { try $0.history.evictable(behind: position, limit: Self.messagesAtOnce) }
    guard let last = next.last else { return nil }
    let leaving = next.filter { message in
      message.isFree && kept[message.conversation].map { message.place < $0 } ?? false
    }.prefix(excess)
    let counts = Dictionary(grouping: leaving, by: \.conversation).mapValues(\.count)
    var left = excess
    for (conversation, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      left -= try store.writeUnsynced {
        try $0.history.evict(
          $0.history.evictable(
            in: conversation, keeping: ChatConfiguration.HistoryLimits.leastPerConversation, limit: count))
      }
    }
    return left > 0 ? .all(excess: left, kept: kept, position: last.position) : nil
  }
}
