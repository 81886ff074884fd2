import Holdfast
import Synchronization

/// Runs a world's tasks on one thread, one job after the other.
///
/// The seed draws which ready job runs next. When no job is ready, the virtual clock jumps to the next timer. So one
/// seed is one order of events, on every machine.
///
/// Every task of the world must be a child of the task that ``run(jobLimit:mainActor:isInterrupted:_:)`` starts. A
/// task made with `Task {}` would run on other threads.
public final class SeededScheduler: Sendable {
  private enum Job {
    case task(UnownedJob)
    case serial(UnownedJob, SeededSerialExecutor)
  }

  private struct Timer {
    var due: Duration
    /// Timers that are due at the same instant fire in the order in which they were set.
    var number: Int
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var random: SeededRandom
    var ready: [Job] = []
    var timers: [Timer] = []
    var now: Duration = .zero
    var timerCount = 0
    var jobCount = 0
  }

  private let state: Mutex<State>
  /// Draws which of several ready jobs runs next.
  public let seed: UInt64

  /// A scheduler whose clock reads zero. It runs nothing yet.
  public init(seed: UInt64) {
    self.seed = seed
    state = Mutex(State(random: SeededRandom(seed: seed)))
  }

  /// The virtual clock: the time since the world began.
  public var now: Duration { state.withLock { $0.now } }
  /// The count of jobs that have run.
  public var jobCount: Int { state.withLock { $0.jobCount } }

  /// Draws from the world's random numbers.
  public func draw<Value: Sendable>(_ body: (inout SeededRandom) -> Value) -> Value {
    state.withLock { state in
      var random = state.random
      let value = body(&random)
      state.random = random
      return value
    }
  }

  /// Returns when the virtual clock reads `deadline`. Throws `CancellationError` when the task is cancelled.
  public func sleep(until deadline: Duration) async throws {
    let number = state.withLock { state in
      state.timerCount += 1
      return state.timerCount
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          if Task.isCancelled { return true }
          state.timers.append(Timer(due: deadline, number: number, continuation: continuation))
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let timer = state.withLock { state in
        state.timers.firstIndex { $0.number == number }.map { state.timers.remove(at: $0) }
      }
      timer?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Runs `body` on this thread, with everything that it starts, to its end.
  ///
  /// - Parameters:
  ///   - body: the work.
  ///   - jobLimit: the largest number of jobs that may run.
  ///   - mainActor: the replacement for the main actor, on which the code of an app runs. Nil: the main actor is not
  ///     replaced.
  ///   - isInterrupted: called before each job.
  /// - Throws: ``Stuck`` when no task can continue, or when the job limit is reached. `CancellationError` when
  ///   `isInterrupted` is true; the tasks then stay suspended.
  public func run<Value: Sendable>(
    jobLimit: Int = 20_000_000, mainActor: SeededSerialExecutor? = nil, isInterrupted: () -> Bool = { false },
    _ body: @escaping @Sendable () async -> Value
  ) throws -> Value {
    let result = Mutex<Value?>(nil)
    let executor = SeededTaskExecutor(scheduler: self)
    let root = Task(executorPreference: executor) {
      let value = await body()
      result.withLock { $0 = value }
    }
    defer { root.cancel() }
    while true {
      if let value = result.withLock({ $0 }) { return value }
      if isInterrupted() { throw CancellationError() }
      guard jobCount < jobLimit else { throw Stuck(reason: "it ran \(jobLimit) jobs and did not end") }
      if let job = nextJob() {
        let run = {
          switch job {
          case .task(let job): job.runSynchronously(on: executor.asUnownedTaskExecutor())
          case .serial(let job, let serial): job.runSynchronously(on: serial.asUnownedSerialExecutor())
          }
        }
        if let mainActor { MainActorHook.with(mainActor, run) } else { run() }
      } else if let timer = nextTimer() {
        timer.continuation.resume()
      } else {
        throw Stuck(reason: "every task waits, and no timer is set")
      }
    }
  }

  /// The error of a world that cannot continue.
  public struct Stuck: Error, CustomStringConvertible {
    /// The reason, as a part of a sentence.
    public let reason: String
    public var description: String { "the world is stuck: \(reason)" }
  }

  fileprivate func enqueue(task job: UnownedJob) {
    state.withLock { $0.ready.append(.task(job)) }
  }

  fileprivate func enqueue(serial job: UnownedJob, on executor: SeededSerialExecutor) {
    state.withLock { $0.ready.append(.serial(job, executor)) }
  }

  private func nextJob() -> Job? {
    state.withLock { state in
      guard !state.ready.isEmpty else { return nil }
      state.jobCount += 1
      let index = state.ready.count == 1 ? 0 : Int.random(in: 0..<state.ready.count, using: &state.random)
      return state.ready.remove(at: index)
    }
  }

  private func nextTimer() -> Timer? {
    state.withLock { state in
      let earliest = state.timers.indices.min {
        (state.timers[$0].due, state.timers[$0].number) < (state.timers[$1].due, state.timers[$1].number)
      }
      guard let earliest else { return nil }
      let timer = state.timers.remove(at: earliest)
      state.now = max(state.now, timer.due)
      return timer
    }
  }
}

/// The executor of the world's tasks.
final class SeededTaskExecutor: TaskExecutor {
  private let scheduler: SeededScheduler
  init(scheduler: SeededScheduler) { self.scheduler = scheduler }

  func enqueue(_ job: consuming ExecutorJob) { scheduler.enqueue(task: UnownedJob(job)) }
}

/// The executor of one actor of the world. There is only one thread, so its jobs never overlap.
public final class SeededSerialExecutor: SerialExecutor {
  private let scheduler: SeededScheduler
  /// An executor whose jobs the scheduler runs.
  public init(scheduler: SeededScheduler) { self.scheduler = scheduler }

  /// Passes a job to the scheduler.
  public func enqueue(_ job: consuming ExecutorJob) {
    scheduler.enqueue(serial: UnownedJob(job), on: self)
  }
}
