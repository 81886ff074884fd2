import Dispatch
import Holdfast
import Synchronization

/// A world in which time passes only when no task has work left. The clock then jumps to the end of the shortest
/// wait. A test of a ten-second time-out takes no time, and gives the same result each time.
package final class VirtualTime: TaskExecutor {
  private struct State {
    var jobs = 0
    var now: Duration = .zero
    var lastSleeper = 0
    var sleepers: [Int: (until: Duration, wake: CheckedContinuation<Void, any Error>)] = [:]
  }

  private let queue = DispatchQueue(label: "virtual time")
  private let state = Mutex(State())

  package static func run(_ body: @Sendable (VirtualTime) async throws -> Void) async throws {
    let time = VirtualTime()
    try await withTaskExecutorPreference(time) { try await body(time) }
  }

  package var now: Duration { state.withLock { $0.now } }

  package var environment: ChatEnvironment {
    var environment = ChatEnvironment()
    environment.uptime = { self.now }
    environment.sleep = { try await self.sleep(until: $0) }
    return environment
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs += 1 }
    queue.async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
      self.jobEnded()
    }
  }

  private func jobEnded() {
    let wake: CheckedContinuation<Void, any Error>? = state.withLock {
      $0.jobs -= 1
      guard $0.jobs == 0,
        let next = $0.sleepers.min(by: { ($0.value.until, $0.key) < ($1.value.until, $1.key) })
      else { return nil }
      $0.now = max($0.now, next.value.until)
      return $0.sleepers.removeValue(forKey: next.key)?.wake
    }
    wake?.resume()
  }

  package func sleep(until instant: Duration) async throws {
    let sleeper = state.withLock {
      $0.lastSleeper += 1
      return $0.lastSleeper
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        state.withLock { $0.sleepers[sleeper] = (instant, continuation) }
        if Task.isCancelled { wakeEarly(sleeper) }
      }
    } onCancel: {
      wakeEarly(sleeper)
    }
  }

  private func wakeEarly(_ sleeper: Int) {
    state.withLock { $0.sleepers.removeValue(forKey: sleeper) }?.wake.resume(throwing: CancellationError())
  }
}
