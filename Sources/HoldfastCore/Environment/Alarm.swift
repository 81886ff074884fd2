import Synchronization

/// Raises signals at their due times. One task waits for all of them, so that a loop that waits for a signal or a
/// time starts no task of its own.
///
/// ```
///   loop A ── wait(for: a, until: 3 s) ──┐
///   loop B ── wait(for: b, until: 1 s) ──┤──► run(): sleeps until 1 s, raises b; sleeps until 3 s, raises a
/// ```
package final class Alarm: Sendable {
  private struct Due {
    var instant: ChatEnvironment.Instant
    var signal: Signal
  }
  private struct State {
    /// In the order in which the waits began. A dictionary's order would differ from run to run.
    var due: [Due] = []
    /// The time at which ``run()`` next wakes by itself. Nil: it waits for the bell.
    var awaited: ChatEnvironment.Instant?
  }
  private let state = Mutex(State())
  private let bell = Signal()
  private let environment: ChatEnvironment

  package init(_ environment: ChatEnvironment) { self.environment = environment }

  /// Returns when the signal is raised, at `deadline`, or when the task is cancelled. A deadline counts only while
  /// ``run()`` is running.
  package nonisolated(nonsending) func wait(
    for signal: Signal, until deadline: ChatEnvironment.Instant?
  ) async {
    guard let deadline else { return await signal.wait() }
    let isSooner = state.withLock { state in
      state.due.append(Due(instant: deadline, signal: signal))
      // A later deadline does not wake `run()`, which sleeps until an earlier one.
      guard state.awaited.map({ deadline < $0 }) ?? true else { return false }
      state.awaited = deadline
      return true
    }
    if isSooner { bell.raise() }
    await signal.wait()
    state.withLock { $0.due.removeAll { $0.signal === signal } }
  }

  /// Raises the signals that become due. Returns when the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      let now = environment.uptime()
      let (over, next) = state.withLock { state in
        let over = state.due.filter { $0.instant <= now }
        state.due.removeAll { $0.instant <= now }
        state.awaited = state.due.map(\.instant).min()
        return (over, state.awaited)
      }
      for due in over { due.signal.raise() }
      await bell.wait(until: next, in: environment)
    }
  }
}
