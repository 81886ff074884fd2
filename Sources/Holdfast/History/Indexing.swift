import Foundation
import HoldfastCore
import HoldfastStore

/// Keeps the index of words up to date (SPEC H8), behind the user's back: a send and an incoming message do not wait for
/// it. A few messages at a time, so that nobody else waits for long either.
extension ChatClient {
  /// What was stored is indexed that much later, with what was stored meanwhile.
  static let indexingPause: Duration = .seconds(2)
  private static let messagesAtOnce = 100
  private static let bytesAtOnce = 64 << 10
  private static let pagesAtOnce = 64
  private static let partsAtOnce = 10

  /// Follows the store for as long as the task lives.
  func keepSearchable() async {
    let subscription = store.changes.subscribe(indexSignal) { !$0.timelines.isEmpty || $0.list }
    defer { store.changes.unsubscribe(subscription) }
    while !Task.isCancelled {
      var pause = Self.indexingPause
      do throws(ChatError) {
        try await catchUpIndex()
      } catch {
        // What is not indexed is looked at directly, as far as that goes.
        logger.notice("messages not indexed", metadata: ["code": "\(error.code)"])
        pause = .seconds(30)
        indexSignal.raise()
      }
      await indexSignal.wait()
      try? await environment.sleep(environment.uptime() + pause)
    }
  }

  /// Indexes all that is not, without pauses, for a process in which nobody waits for anything else. Does nothing when
  /// that is done. What a crash or a power cut takes back is indexed by the next call, or by the app.
  ///
  /// - Parameter progress: messages. What it throws ends the indexing.
  package nonisolated func indexEverything(_ progress: (InterchangeProgress) throws -> Void) throws {
    let before = try store.read { try $0.indexState() }
    while try store.read({ try $0.hasUnindexed() }) {
      // A commit for each few would cost more than their words.
      let state = try store.writeUnsynced { transaction in
        for _ in 0..<Self.partsAtOnce {
          _ = try transaction.indexNext(limit: Self.messagesAtOnce, maximumBytes: Self.bytesAtOnce)
        }
        return try transaction.db.indexState()
      }
      try progress(
        InterchangeProgress(completed: state.indexed - before.indexed, total: before.last - before.indexed))
    }
  }

  private func catchUpIndex() async throws(ChatError) {
    while try store.read({ try $0.hasUnindexed() }), !Task.isCancelled {
      // A power cut may take these back, and then they are indexed again.
      _ = try store.writeUnsynced {
        try $0.indexNext(limit: Self.messagesAtOnce, maximumBytes: Self.bytesAtOnce)
      }
      try? await environment.sleep(environment.uptime() + .milliseconds(5))
    }
    let rests = try store.read { try $0.indexRests() }
    guard rests > 0, !Task.isCancelled else { return }
    var isFirst = true
    while try store.writeUnsynced({
      try $0.mergeIndex(pages: Self.pagesAtOnce, isFirst: isFirst, rests: rests)
    }) {
      isFirst = false
      try? await environment.sleep(environment.uptime() + .milliseconds(5))
      guard !Task.isCancelled else { return }
    }
    store.emptyJournal(logger)
    // What was deleted meanwhile is merged in a moment.
    if try store.read({ try $0.indexRests() }) > 0 { indexSignal.raise() }
  }
}
