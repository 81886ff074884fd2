import HoldfastCore
import HoldfastStore
import Synchronization

extension ChatClient {
  /// Writes the database anew, so that no copy of a deleted text is left in it, and gives unused space back to the disk
  /// (SPEC S9). For a store of any size: ``enterBackground()`` does the same by itself up to 16 MB.
  /// ``StoreDiagnostics/isCompactionDue`` says whether anything was deleted since.
  ///
  /// ```swift
  /// if try client.storeDiagnostics().isCompactionDue {
  ///   try await client.compact { fraction in Task { @MainActor in bar = fraction } }
  /// }
  /// ```
  ///
  /// Call it while nobody types, for example behind a progress view in the settings: other writes wait until it is done.
  /// It reads the whole database once and writes it three times, and needs room for two more of it on the disk. Cancel the
  /// task to end it: the store is then as it was, and so it is after a crash.
  ///
  /// - Parameter progress: gets the finished part, from 0 to 1, on a thread of the engine.
  /// - Returns: whether the database was written anew. False when the task was cancelled.
  /// - Throws: ``ChatError`` with code `storageFull`, or another code that starts with `storage`, or `suspended`. The
  ///   store is as it was.
  @discardableResult
  public nonisolated func compact(
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws(ChatError) -> Bool {
    try await store.compacting(progress).get()
  }
}

extension DraftController {
  /// Writes the database anew, as ``ChatClient/compact(progress:)`` does.
  ///
  /// - Returns: whether the database was written anew. False when the task was cancelled.
  /// - Throws: ``ChatError`` with a code that starts with `storage`, or `suspended`. The store is as it was.
  @discardableResult
  public func compact(
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws(ChatError) -> Bool {
    try await store.compacting(progress).get()
  }
}

extension Store {
  /// Compacts aside from the caller's actor, and ends when its task is cancelled.
  @concurrent fileprivate func compacting(
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
