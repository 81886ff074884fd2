import Foundation
import Holdfast
import HoldfastTesting
import Logging
import Synchronization

/// The state that all parts of one world share: the scheduler, the faults and the trace.
final class WorldState: Sendable {
  private struct State {
    var faults: FaultMix
    var counts = FaultCounts()
    var deeds: [String: Int] = [:]
    var trace: [TraceLine] = []
    /// The end of the faults. Nil while they strike.
    var healedAt: Duration?
    var idCount = 0
    var commits: [String: Int] = [:]
    var launches: [String: Int] = [:]
    var fullDisks: Set<String> = []
    var clockErrors: [String: Duration] = [:]
    var violations: [Violation] = []
  }

  let scheduler: SeededScheduler
  let folder: URL
  let plan: WorldPlan
  private let state: Mutex<State>
  /// One signal for each task that waits for the healing. Each is raised once.
  private let healing = Mutex<[Signal]>([])

  init(scheduler: SeededScheduler, folder: URL, plan: WorldPlan) {
    self.scheduler = scheduler
    self.folder = folder
    self.plan = plan
    state = Mutex(State(faults: plan.faults))
  }

  var faults: FaultMix { state.withLock { $0.faults } }
  var counts: FaultCounts { state.withLock { $0.counts } }
  var deeds: [String: Int] { state.withLock { $0.deeds } }
  var lines: [TraceLine] { state.withLock { $0.trace } }
  var isHealing: Bool { healedAt != nil }
  var healedAt: Duration? { state.withLock { $0.healedAt } }
  var violations: [Violation] { state.withLock { $0.violations } }

  func count(_ fault: Fault) { state.withLock { $0.counts.count(fault) } }

  /// Counts an act of a user that worlds should have many of.
  func count(deed: String) { state.withLock { $0.deeds[deed, default: 0] += 1 } }

  /// Adds a line to the world's story. The texts of a world are its own inventions.
  func trace(_ who: String, _ what: @autoclosure () -> String) {
    let line = TraceLine(time: scheduler.now, who: who, what: what())
    state.withLock { $0.trace.append(line) }
  }

  /// Records that a promise was broken at this moment.
  func fail(_ violation: Violation) {
    trace(TraceLine.world, "BROKEN \(violation)")
    state.withLock { state in
      if !state.violations.contains(violation) { state.violations.append(violation) }
    }
  }

  /// Whether a fault strikes now. Draws only if the plan has the fault, and never while the world heals.
  func strikes(_ fault: Fault) -> Bool {
    let probability = faults[fault]
    guard probability > 0 else { return false }
    return scheduler.draw { $0.chance(probability) }
  }

  /// Ends all faults.
  func heal() {
    let now = scheduler.now
    state.withLock { state in
      state.healedAt = now
      state.faults = FaultMix()
      state.fullDisks = []
    }
    trace(TraceLine.world, "heals: no faults from here on")
    for signal in healing.withLock({ $0 }) { signal.raise() }
  }

  /// Makes a fault strike repeatedly, each time for a while, until the world heals.
  func episodes(
    of fault: Fault, lasting span: ClosedRange<Int>, begin: () async -> Void, end: () async -> Void
  ) async {
    guard let calm = plan.faults.calm(before: fault) else { return }
    let healing = Signal()
    self.healing.withLock { $0.append(healing) }
    let environment = environment(of: TraceLine.world)
    while !isHealing, !Task.isCancelled {
      let pause = scheduler.draw { $0.milliseconds(calm) }
      await healing.wait(until: scheduler.now + pause, in: environment)
      guard !isHealing, !Task.isCancelled else { return }
      await begin()
      let length = scheduler.draw { $0.milliseconds(span) }
      await healing.wait(until: scheduler.now + length, in: environment)
      await end()
    }
  }

  /// A device's limits for messages that the server has too. The two kinds of limits alternate between devices.
  func historyLimits(of device: String) -> ChatConfiguration.HistoryLimits {
    guard let index = WorldPlan.devices.firstIndex(where: { $0.device == device }), index < plan.quotas else {
      return ChatConfiguration.HistoryLimits()
    }
    return index.isMultiple(of: 2)
      ? ChatConfiguration.HistoryLimits(perConversation: ChatConfiguration.HistoryLimits.leastPerConversation)
      : ChatConfiguration.HistoryLimits(total: 115)
  }

  /// Whether older messages without a number are fetched, so that they count as read.
  var fetchesWithoutNumbers: Bool { plan.backend == .events && plan.newest > 0 }

  /// Whether a device may lack messages that the server has.
  func mayLack(_ device: String) -> Bool {
    plan.newest > 0 || historyLimits(of: device) != ChatConfiguration.HistoryLimits()
  }

  /// The number of a conversation's newest messages that a device always has.
  var leastKept: Int {
    let least = ChatConfiguration.HistoryLimits.leastPerConversation
    return plan.newest > 0 ? min(plan.newest, least) : least
  }

  /// Whether the app of a device keeps its messages in its own table.
  func hasTable(_ device: String) -> Bool {
    WorldPlan.devices.prefix(plan.tables).contains { $0.device == device }
  }

  /// The environment of one simulated process. All of its randomness comes from the world.
  func environment(of process: String, executor: (any SerialExecutor)? = nil) -> ChatEnvironment {
    var environment = ChatEnvironment(
      executor: executor, logger: Logger(label: "simulated") { _ in SwiftLogNoOpLogHandler() })
    let scheduler = scheduler
    environment.uptime = { scheduler.now }
    environment.sleep = { try await scheduler.sleep(until: $0) }
    // The world begins on 1 January 2026.
    environment.now = { [self] in
      let error = state.withLock { $0.clockErrors[process] ?? .zero }
      return Date(timeIntervalSince1970: 1_767_225_600 + (scheduler.now + error) / .seconds(1))
    }
    environment.random = { scheduler.draw { $0.unit() } }
    environment.makeID = { self.makeID() }
    return environment
  }

  private func makeID() -> String {
    state.withLock { state in
      state.idCount += 1
      return "id-\(state.idCount)"
    }
  }
}

/// The state of single processes.
extension WorldState {
  /// Counts the commit that a process is about to make, and returns its number.
  func countCommit(of process: String) -> Int {
    state.withLock { state in
      state.commits[process, default: 0] += 1
      return state.commits[process, default: 0]
    }
  }

  func commits(of process: String) -> Int { state.withLock { $0.commits[process, default: 0] } }

  func countLaunch(of device: String) { state.withLock { $0.launches[device, default: 0] += 1 } }

  /// The number of times that the processes of a device have been launched before.
  func launches(of device: String) -> Int { state.withLock { $0.launches[device, default: 0] } }

  /// The number of commits of all processes.
  var commitCount: Int { state.withLock { $0.commits.values.reduce(0, +) } }

  var allCommits: [String: Int] { state.withLock { $0.commits } }

  func crashes(_ process: String, at commit: Int, _ side: CommitCrash.Side) -> Bool {
    plan.crash == CommitCrash(process: process, commit: commit, side: side)
  }

  func hasFullDisk(_ process: String) -> Bool { state.withLock { $0.fullDisks.contains(process) } }

  func setDisk(of process: String, isFull: Bool) {
    state.withLock { state in
      if isFull { state.fullDisks.insert(process) } else { state.fullDisks.remove(process) }
    }
  }

  /// Sets a wrong date, as the device's owner or the device's network does.
  func setClock(of process: String, wrongBy error: Duration) {
    state.withLock { $0.clockErrors[process] = error }
  }
}
