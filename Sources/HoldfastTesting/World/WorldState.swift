import Foundation
import Holdfast
import Logging
import Synchronization

/// What all parts of one world share: the scheduler, the faults and the trace.
final class WorldState: Sendable {
  private struct State {
    var mix: FaultMix
    var counts = FaultCounts()
    var trace: [String] = []
    var isHealing = false
    var idCount = 0
  }

  let scheduler: SeededScheduler
  let folder: URL
  private let state: Mutex<State>
  /// Raised once, for each who waits for the healing, by way of a signal of its own.
  private let healing = Mutex<[Signal]>([])

  init(scheduler: SeededScheduler, folder: URL, mix: FaultMix) {
    self.scheduler = scheduler
    self.folder = folder
    state = Mutex(State(mix: mix))
  }

  var mix: FaultMix { state.withLock { $0.mix } }
  var counts: FaultCounts { state.withLock { $0.counts } }
  var lines: [String] { state.withLock { $0.trace } }
  var isHealing: Bool { state.withLock { $0.isHealing } }

  func count(_ fault: FaultCounts.Fault) { state.withLock { $0.counts.count(fault) } }

  /// One line of the world's story. Never contents of its own: the texts of a world are its own inventions.
  func trace(_ line: @autoclosure () -> String) {
    let line = "\(seconds(scheduler.now)) \(line())"
    state.withLock { $0.trace.append(line) }
  }

  /// Whether a fault strikes now. Draws only where the mix has the fault, and never while healing.
  func strikes(_ fault: KeyPath<FaultMix, Double>) -> Bool {
    let probability = mix[keyPath: fault]
    guard probability > 0, !isHealing else { return false }
    return scheduler.draw { $0.chance(probability) }
  }

  /// From now on nothing goes wrong any more.
  func heal() {
    state.withLock { state in
      state.isHealing = true
      state.mix = .none
    }
    trace("--- healing: no faults from here on")
    for signal in healing.withLock({ $0 }) { signal.raise() }
  }

  func raiseWhenHealing(_ signal: Signal) {
    healing.withLock { $0.append(signal) }
    if isHealing { signal.raise() }
  }

  /// The environment of one simulated process: every source of chance is the world's.
  func environment(executor: any SerialExecutor, clockError: Duration = .zero) -> ChatEnvironment {
    var environment = ChatEnvironment(
      executor: executor, logger: Logger(label: "simulated") { _ in SwiftLogNoOpLogHandler() })
    let scheduler = scheduler
    environment.uptime = { scheduler.now }
    environment.sleep = { try await scheduler.sleep(until: $0) }
    // The world begins on 1 January 2026.
    environment.now = {
      Date(timeIntervalSince1970: 1_767_225_600 + (scheduler.now + clockError).inSeconds)
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

extension Duration {
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

private func seconds(_ time: Duration) -> String {
  let milliseconds = Int(time / .milliseconds(1))
  let fraction = String(milliseconds % 1000)
  return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
}
