import HoldfastCore
import HoldfastStore
import Synchronization

extension DraftController {
  /// Rewrites the database, as ``ChatClient/compact(progress:)`` does.
  ///
  /// - Returns: whether the database was rewritten. False when the task was cancelled.
  /// - Throws: ``ChatError`` with a storage code, or `suspended`. The store is unchanged.
  @discardableResult
  public func compact(
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws(ChatError) -> Bool {
    try await store.compacting(progress).get()
  }
}

extension Store {
  /// Compacts off the caller's actor, and ends when its task is cancelled.
  @concurrent func compacting(
    _ progress: @escaping @Sendable (Double) -> Void
  ) async -> Result<Bool, ChatError> {
    let isCancelled = Atomic(false)
    return await withTaskCancellationHandler {
      Result { () throws(ChatError) in
        try compact(
          watch: CompactionWatch(tell: progress) { isCancelled.load(ordering: .relaxed) })
      }
    } onCancel: {
      isCancelled.store(true, ordering: .relaxed)
    }
  }
}
