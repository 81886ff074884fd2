import HoldfastCore
import HoldfastStore
import Logging

/// Keeps the index of words up to date (rule H8). A send and an incoming message do not wait for it.
final class IndexingTask: MaintenanceTask {
  private enum Phase {
    case indexing
    /// The words of deleted messages are merged away. `rests` is the number of deletions when the merging began.
    case merging(rests: Int64, isFirst: Bool)
  }

  /// The number of steps in a commit, where nobody waits.
  static let stepsPerCommit = 10
  static let messagesAtOnce = 100
  static let bytesAtOnce = 64 << 10
  private static let pagesAtOnce = 64

  let name = Maintenance.Name.indexing
  let pause: Duration = .seconds(2)
  let patience: Duration = .seconds(30)
  let concerns: @Sendable (Changes) -> Bool = { $0.concernsTimelines || $0.list }

  private let store: Store
  private let logger: Logger
  private var phase = Phase.indexing

  init(_ store: Store, _ logger: Logger) { (self.store, self.logger) = (store, logger) }

  func step(at now: ChatEnvironment.Instant) throws(ChatError) -> Maintenance.Next {
    let present = phase
    // After a step that fails, the work starts from the beginning.
    phase = .indexing
    switch present {
    case .indexing:
      guard try !store.read({ try $0.search.hasUnindexed() }) else {
        // A power cut may revert this. The messages are then indexed again.
        _ = try store.writeUnsynced {
          try $0.search.indexNext(limit: Self.messagesAtOnce, maximumBytes: Self.bytesAtOnce)
        }
        return .at(now + Self.yieldInterval)
      }
      let rests = try store.read { try $0.search.indexRests() }
      return rests > 0 ? try merge(rests: rests, isFirst: true, at: now) : .whenRung
    case .merging(let rests, let isFirst): return try merge(rests: rests, isFirst: isFirst, at: now)
    }
  }

  private func merge(
    rests: Int64, isFirst: Bool, at now: ChatEnvironment.Instant
  ) throws(ChatError) -> Maintenance.Next {
    let hasMore = try store.writeUnsynced {
      try $0.search.mergeIndex(pages: Self.pagesAtOnce, isFirst: isFirst, rests: rests)
    }
    guard !hasMore else {
      phase = .merging(rests: rests, isFirst: false)
      return .at(now + Self.yieldInterval)
    }
    store.emptyJournal(logger)
    // Messages that were deleted during the merging are merged away in a moment.
    return try store.read { try $0.search.indexRests() } > 0 ? .at(now + pause) : .whenRung
  }
}

extension Store {
  /// Indexes all messages that are not indexed, without pauses, for a process in which nobody waits for anything
  /// else. Does nothing when all are indexed. If a crash or a power cut reverts a part, the next call or the app
  /// indexes it again.
  ///
  /// - Parameter progress: receives the number of indexed messages, and that of all. An error that it throws ends the
  ///   indexing.
  package func indexEverything(_ progress: (_ completed: Int64, _ total: Int64) throws -> Void)
    throws
  {
    let before = try read { try $0.search.indexState() }
    while try read({ try $0.search.hasUnindexed() }) {
      // A commit for every few messages would cost more than their words.
      let state = try writeUnsynced { transaction in
        for _ in 0..<IndexingTask.stepsPerCommit {
          _ = try transaction.search.indexNext(
            limit: IndexingTask.messagesAtOnce, maximumBytes: IndexingTask.bytesAtOnce)
        }
        return try transaction.search.indexState()
      }
      try progress(state.done - before.done, before.last - before.done)
    }
  }
}
