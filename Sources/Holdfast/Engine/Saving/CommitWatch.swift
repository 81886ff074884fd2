import HoldfastCore
import HoldfastStore

/// Reports the commits of other processes on a shared store (``StorageLocation/shared()``).
struct CommitWatch: Sendable {
  private let store: Store
  private let environment: ChatEnvironment
  private let signal: Signal

  /// - Parameter signal: raised for each commit. If others raise it too, the store is checked once more.
  init(_ store: Store, _ environment: ChatEnvironment, signal: Signal = Signal()) {
    (self.store, self.environment, self.signal) = (store, environment, signal)
  }

  /// Calls `notice` after commits, for as long as the task lives. Returns at once when the store is not shared.
  nonisolated(nonsending) func run(_ notice: @escaping @Sendable () async -> Void) async {
    guard let lock = store.writeLock else { return }
    await withGroupHere { [environment, signal] group in
      group.addTask {
        do {
          try await environment.watcher.watch(lock.file, raising: signal)
        } catch {
          // Their changes are seen later: when the app enters the foreground, or when something is written here.
          environment.logger.warning(
            "commits of other processes are not noticed", metadata: ["error": "\(error)"])
          signal.raise()
        }
      }
      group.addTask {
        while true {
          await signal.wait()
          guard !Task.isCancelled else { return }
          await notice()
        }
      }
    }
  }
}
