import Holdfast
import Observation

/// Actions that a view requests and cannot wait for, carried out one after the other. A view has a task that runs
/// them.
@MainActor @Observable package final class ActionQueue {
  package typealias Errand = @MainActor () async throws -> Void

  /// The reason why the last action failed. Nil once another one succeeded.
  package private(set) var problem: ChatError?
  @ObservationIgnored private var waiting: [Errand] = []
  @ObservationIgnored private let changed = Signal()

  package init() {}

  /// Adds an action for ``run()``.
  package func add(_ errand: @escaping Errand) {
    waiting.append(errand)
    changed.raise()
  }

  /// Carries out at once an action that does not wait for anything.
  package func attempt(_ errand: () throws(ChatError) -> Void) {
    do throws(ChatError) {
      try errand()
      problem = nil
    } catch { problem = error }
  }

  /// Carries out the actions, until the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      while !waiting.isEmpty {
        do {
          try await waiting.removeFirst()()
          problem = nil
        } catch {
          problem = error as? ChatError ?? ChatError(.unsupported, "This could not be done. Try again.")
        }
      }
      await changed.wait()
    }
  }
}
