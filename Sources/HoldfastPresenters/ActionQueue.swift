import Holdfast
import Observation

/// What a view asks for and cannot wait for, carried out one after the other. A view has a task that runs them.
@MainActor @Observable package final class ActionQueue {
  package typealias Errand = @MainActor () async throws -> Void

  /// Why the last errand could not be done. Nil once another one was.
  package private(set) var problem: ChatError?
  @ObservationIgnored private var waiting: [Errand] = []
  @ObservationIgnored private let changed = Signal()

  package init() {}

  /// Notes an errand for ``run()``.
  package func add(_ errand: @escaping Errand) {
    waiting.append(errand)
    changed.raise()
  }

  /// Does at once what does not wait for anything.
  package func attempt(_ errand: () throws(ChatError) -> Void) {
    do throws(ChatError) {
      try errand()
      problem = nil
    } catch { problem = error }
  }

  /// Does the actionQueue, until the task is cancelled.
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
