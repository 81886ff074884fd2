import Synchronization

/// A place where one task waits until it is raised. A signal that is raised while no task waits is remembered once:
/// the next wait returns at once.
package final class Signal: Sendable {
  private struct State {
    var isRaised = false
    var waiter: CheckedContinuation<Void, Never>?
  }
  private let state = Mutex(State())

  package init() {}

  package func raise() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard let waiter = state.waiter else {
        state.isRaised = true
        return nil
      }
      state.waiter = nil
      return waiter
    }
    waiter?.resume()
  }

  /// Returns when the signal is raised, or when the task is cancelled. One task may wait at a time. It waits where
  /// its caller runs, so that a caller on the main actor continues there, without a detour through another thread.
  package nonisolated(nonsending) func wait() async {
    await withCancellationHere {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          if state.isRaised || Task.isCancelled {
            state.isRaised = false
            return true
          }
          precondition(state.waiter == nil, "two tasks wait for one signal")
          state.waiter = continuation
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume()
    }
  }

  /// Returns when the signal is raised, at `deadline`, or when the task is cancelled.
  package func wait(until deadline: ChatEnvironment.Instant?, in environment: ChatEnvironment) async {
    guard let deadline else { return await wait() }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait() }
      group.addTask { try? await environment.sleep(deadline) }
      await group.next()
      group.cancelAll()
    }
  }
}
