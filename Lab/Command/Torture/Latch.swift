import Holdfast
import Synchronization

/// A latch that opens once. Tasks can wait for it, and tasks that ask later learn that it is open.
final class Latch: Sendable {
  private struct State {
    var hasRung = false
    var waiting: [Signal] = []
  }
  private let state = Mutex(State())

  var hasRung: Bool { state.withLock { $0.hasRung } }

  func ring() {
    let waiting = state.withLock { state in
      state.hasRung = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for signal in waiting { signal.raise() }
  }

  /// Returns when the latch opens, at `deadline`, or when the task is cancelled.
  func wait(until deadline: ChatEnvironment.Instant, in environment: ChatEnvironment) async {
    let signal = Signal()
    let hasRung = state.withLock { state in
      if !state.hasRung { state.waiting.append(signal) }
      return state.hasRung
    }
    guard !hasRung else { return }
    await signal.wait(until: deadline, in: environment)
    state.withLock { state in state.waiting.removeAll { $0 === signal } }
  }
}
