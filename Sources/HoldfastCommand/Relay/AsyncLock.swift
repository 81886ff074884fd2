import Synchronization

/// Admits one task at a time to a section that suspends, in the order of arrival.
final class AsyncLock: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func withLock(_ body: () async -> Void) async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        defer { state.isTaken = true }
        if state.isTaken { state.waiting.append(continuation) }
        return !state.isTaken
      }
      if isFree { continuation.resume() }
    }
    await body()
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.isTaken = false
      return nil
    }
    next?.resume()
  }
}
