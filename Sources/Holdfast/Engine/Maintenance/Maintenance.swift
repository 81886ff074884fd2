import HoldfastCore
import HoldfastStore
import Logging
import Synchronization

/// Maintenance that can wait: erasing deleted conversations, emptying the journal, indexing, and evicting old
/// messages. One loop runs all maintenance tasks, one short step at a time, so that nothing else waits for long.
///
/// ```
///   ring ──► due after a pause ──► step ──► due again, or idle until the next ring
///                     ▲              │ throws
///                     └── patience ──┘
/// ```
final class Maintenance {
  enum Name: String, Sendable { case erasing, journal, indexing, eviction }

  /// The due time of a task's next step.
  enum Next: Equatable, Sendable {
    case whenRung
    case at(ChatEnvironment.Instant)
  }

  /// The part of the state that any thread may access.
  final class SharedState: Sendable {
    private struct State {
      var rung: Set<Name> = []
      /// Tasks whose next step cannot come sooner. A ring for them does not wake the loop.
      var scheduled: Set<Name> = []
    }
    fileprivate let signal = Signal()
    private let state = Mutex(State())

    /// Notes that a task may have something to do.
    func ring(_ name: Name) {
      let isNew = state.withLock { !$0.scheduled.contains(name) && $0.rung.insert(name).inserted }
      if isNew { signal.raise() }
    }

    fileprivate func drain() -> Set<Name> {
      state.withLock { state in
        defer { state.rung = [] }
        return state.rung
      }
    }

    fileprivate func set(scheduled names: Set<Name>) { state.withLock { $0.scheduled = names } }
  }

  private let maintenance: [any MaintenanceTask]
  private let sharedState: SharedState
  private let hub: ChangeHub
  private let environment: ChatEnvironment
  private var due: [Name: ChatEnvironment.Instant] = [:]
  /// Tasks whose last step has failed. A ring does not bring their next step forward.
  private var failed: Set<Name> = []

  init(
    _ maintenance: [any MaintenanceTask], sharedState: SharedState, hub: ChangeHub,
    environment: ChatEnvironment
  ) {
    (self.maintenance, self.sharedState, self.hub, self.environment) = (
      maintenance, sharedState, hub, environment
    )
  }

  /// Runs the tasks until this one is cancelled. Each has a step at once, because an earlier launch may have left
  /// work.
  nonisolated(nonsending) func run() async {
    let subscriptions = maintenance.map { maintenanceTask in
      let (sharedState, name) = (sharedState, maintenanceTask.name)
      return hub.subscribe({ sharedState.ring(name) }, to: maintenanceTask.concerns)
    }
    defer { for subscription in subscriptions { hub.unsubscribe(subscription) } }
    let start = environment.uptime()
    for maintenanceTask in maintenance { due[maintenanceTask.name] = start }
    while !Task.isCancelled {
      let next = stepAll()
      await sharedState.signal.wait(until: next, in: environment)
    }
  }

  /// Runs one step of each task that is due. Returns the next due time, or nil when nothing is due until a ring.
  func stepAll() -> ChatEnvironment.Instant? {
    let rung = sharedState.drain()
    for maintenanceTask in maintenance {
      let now = environment.uptime()
      if rung.contains(maintenanceTask.name), !failed.contains(maintenanceTask.name) {
        due[maintenanceTask.name] = min(
          due[maintenanceTask.name] ?? now + maintenanceTask.pause, now + maintenanceTask.pause)
      }
      guard let instant = due[maintenanceTask.name], instant <= now else { continue }
      step(maintenanceTask, at: now)
    }
    let now = environment.uptime()
    let scheduled = maintenance.filter { maintenanceTask in
      failed.contains(maintenanceTask.name)
        || due[maintenanceTask.name].map { $0 <= now + maintenanceTask.pause } ?? false
    }
    sharedState.set(scheduled: Set(scheduled.map(\.name)))
    return due.values.min()
  }

  private func step(_ maintenanceTask: any MaintenanceTask, at now: ChatEnvironment.Instant) {
    // The due time is cleared before the step, so that a ring during the step leads to another one.
    due[maintenanceTask.name] = nil
    failed.remove(maintenanceTask.name)
    do throws(ChatError) {
      if case .at(let next) = try maintenanceTask.step(at: now) { due[maintenanceTask.name] = next }
    } catch {
      environment.logger.notice(
        "maintenanceTask not done",
        metadata: ["maintenanceTask": "\(maintenanceTask.name.rawValue)", "code": "\(error.code)"])
      failed.insert(maintenanceTask.name)
      due[maintenanceTask.name] = now + maintenanceTask.patience
    }
  }
}

/// A maintenance task, in short synchronous steps.
protocol MaintenanceTask: AnyObject {
  var name: Maintenance.Name { get }
  /// The time from a ring to the first step. Rings in the meantime lead to the same step.
  var pause: Duration { get }
  /// The time from a failed step to the next one.
  var patience: Duration { get }
  /// The changes of the store that ring for this task.
  var concerns: @Sendable (Changes) -> Bool { get }

  /// Does a part of the work that takes some milliseconds at most.
  func step(at now: ChatEnvironment.Instant) throws(ChatError) -> Maintenance.Next
}

extension MaintenanceTask {
  /// The time between two steps, in which others use the store.
  static var yieldInterval: Duration { .milliseconds(5) }
}
