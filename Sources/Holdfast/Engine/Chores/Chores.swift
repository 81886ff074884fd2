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
final class Chores {
  enum Name: String, Sendable { case erasing, journal, indexing, eviction }

  /// The due time of a task's next step.
  enum Next: Equatable, Sendable {
    case whenRung
    case at(ChatEnvironment.Instant)
  }

  /// The part of the state that any thread may access.
  final class Door: Sendable {
    private struct State {
      var rung: Set<Name> = []
      /// Tasks whose next step cannot come sooner. A ring for them does not wake the loop.
      var settled: Set<Name> = []
    }
    fileprivate let signal = Signal()
    private let state = Mutex(State())

    /// Notes that a task may have something to do.
    func ring(_ name: Name) {
      let isNew = state.withLock { !$0.settled.contains(name) && $0.rung.insert(name).inserted }
      if isNew { signal.raise() }
    }

    fileprivate func drain() -> Set<Name> {
      state.withLock { state in
        defer { state.rung = [] }
        return state.rung
      }
    }

    fileprivate func settle(_ names: Set<Name>) { state.withLock { $0.settled = names } }
  }

  private let chores: [any Chore]
  private let door: Door
  private let hub: ChangeHub
  private let environment: ChatEnvironment
  private var due: [Name: ChatEnvironment.Instant] = [:]
  /// Tasks whose last step has failed. A ring does not bring their next step forward.
  private var failed: Set<Name> = []

  init(_ chores: [any Chore], door: Door, hub: ChangeHub, environment: ChatEnvironment) {
    (self.chores, self.door, self.hub, self.environment) = (chores, door, hub, environment)
  }

  /// Runs the tasks until this one is cancelled. Each has a step at once, because an earlier launch may have left
  /// work.
  nonisolated(nonsending) func run() async {
    let subscriptions = chores.map { chore in
      let (door, name) = (door, chore.name)
      return hub.subscribe({ door.ring(name) }, to: chore.concerns)
    }
    defer { for subscription in subscriptions { hub.unsubscribe(subscription) } }
    let start = environment.uptime()
    for chore in chores { due[chore.name] = start }
    while !Task.isCancelled {
      let next = stepAll()
      await door.signal.wait(until: next, in: environment)
    }
  }

  /// Runs one step of each task that is due. Returns the next due time, or nil when nothing is due until a ring.
  func stepAll() -> ChatEnvironment.Instant? {
    let rung = door.drain()
    for chore in chores {
      let now = environment.uptime()
      if rung.contains(chore.name), !failed.contains(chore.name) {
        due[chore.name] = min(due[chore.name] ?? now + chore.pause, now + chore.pause)
      }
      guard let instant = due[chore.name], instant <= now else { continue }
      step(chore, at: now)
    }
    let now = environment.uptime()
    let settled = chores.filter { chore in
      failed.contains(chore.name) || due[chore.name].map { $0 <= now + chore.pause } ?? false
    }
    door.settle(Set(settled.map(\.name)))
    return due.values.min()
  }

  private func step(_ chore: any Chore, at now: ChatEnvironment.Instant) {
    // The due time is cleared before the step, so that a ring during the step leads to another one.
    due[chore.name] = nil
    failed.remove(chore.name)
    do throws(ChatError) {
      if case .at(let next) = try chore.step(at: now) { due[chore.name] = next }
    } catch {
      environment.logger.notice(
        "chore not done", metadata: ["chore": "\(chore.name.rawValue)", "code": "\(error.code)"])
      failed.insert(chore.name)
      due[chore.name] = now + chore.patience
    }
  }
}

/// A maintenance task, in short synchronous steps.
protocol Chore: AnyObject {
  var name: Chores.Name { get }
  /// The time from a ring to the first step. Rings in the meantime lead to the same step.
  var pause: Duration { get }
  /// The time from a failed step to the next one.
  var patience: Duration { get }
  /// The changes of the store that ring for this task.
  var concerns: @Sendable (Changes) -> Bool { get }

  /// Does a part of the work that takes some milliseconds at most.
  func step(at now: ChatEnvironment.Instant) throws(ChatError) -> Chores.Next
}

extension Chore {
  /// The time between two steps, in which others use the store.
  static var yieldInterval: Duration { .milliseconds(5) }
}
