import EngineFixtures
import Testing

@testable import HoldfastCore

/// One task that waits for all deadlines.
@Suite struct AlarmTests {
  private actor Log {
    private(set) var entries: [String] = []
    func add(_ entry: String) { entries.append(entry) }
  }

  @Test func `each signal is raised at its due time, and no sooner`() async throws {
    try await VirtualTime.run { time in
      let (alarm, log) = (Alarm(time.environment), Log())
      let (short, long) = (Signal(), Signal())
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await alarm.run() }
        await withTaskGroup(of: Void.self) { waiters in
          waiters.addTask {
            await alarm.wait(for: long, until: .seconds(5))
            await log.add("long at \(time.now)")
          }
          waiters.addTask {
            await alarm.wait(for: short, until: .seconds(2))
            await log.add("short at \(time.now)")
            await alarm.wait(for: short, until: .seconds(9))
            await log.add("short at \(time.now)")
          }
        }
        group.cancelAll()
      }
      #expect(
        await log.entries == [
          "short at \(Duration.seconds(2))", "long at \(Duration.seconds(5))",
          "short at \(Duration.seconds(9))",
        ])
    }
  }

  @Test func `a signal that is raised ends the wait, and its due time raises nothing later`() async throws {
    try await VirtualTime.run { time in
      let alarm = Alarm(time.environment)
      let (signal, other) = (Signal(), Signal())
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await alarm.run() }
        signal.raise()
        await alarm.wait(for: signal, until: .seconds(1))
        #expect(time.now == .zero)
        await alarm.wait(for: other, until: .seconds(3))
        #expect(time.now == .seconds(3))
        // The deadline of the first wait has passed. A signal raised by it would end this wait at once.
        await alarm.wait(for: signal, until: .seconds(4))
        #expect(time.now == .seconds(4))
        group.cancelAll()
      }
    }
  }

  @Test func `a wait ends with its task, with an alarm that does not run`() async {
    let alarm = Alarm(ChatEnvironment())
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await alarm.wait(for: Signal(), until: .seconds(3600)) }
      group.cancelAll()
    }
  }
}
