import HoldfastCore
import HoldfastStore
import Synchronization

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
