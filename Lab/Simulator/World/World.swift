import ChatServer
import Foundation
import Holdfast
import HoldfastStore
import HoldfastTesting

/// One simulated world: phones and a server, all running the shipped code on real files, under a seed, a
/// virtual clock and injected faults.
///
/// ```swift
/// let report = try World(seed: 7).run()
/// #expect(report.violations.isEmpty)
/// ```
///
/// First all faults of the plan strike, and nothing may be lost or duplicated by them. Then all faults end, and
/// everything must come to rest. `docs/simulation.md` lists the real and the simulated parts of a world.
///
/// A world takes half a second to a few seconds, one thread, and a few megabytes of a memory file system, if there
/// is one. Several worlds may run at the same time, on separate threads.
package struct World: Sendable {
  /// The source of all nondeterminism.
  package let seed: UInt64
  /// The make-up of the world: the numbers of phones and messages, and the faults.
  package let plan: WorldPlan

  /// - Parameters:
  ///   - seed: the source of all nondeterminism: the order of events, every draw, every delay.
  ///   - plan: the make-up of the world. Nil when the seed draws it.
  package init(seed: UInt64, plan: WorldPlan? = nil) {
    self.seed = seed
    self.plan = (plan ?? WorldPlan(seed: seed)).runnable
  }

  /// The names of all processes that a world can have.
  package static var processes: [String] {
    WorldPlan.devices.map(\.device) + WorldPlan.devices.map { SimulatedPhone.extensionName(of: $0.device) }
      + [
        SimulatedServer.name
      ]
  }

  /// Runs the world on this thread.
  ///
  /// - Parameter isInterrupted: called before each of the world's jobs, which take microseconds.
  /// - Throws: `CancellationError` once `isInterrupted` is true, after the world's files are removed; the file
  ///   system's error when they cannot be made.
  package func run(isInterrupted: () -> Bool = { false }) throws -> Report {
    let folder = Self.scratchFolder.appendingPathComponent("holdfast-world-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    let scheduler = SeededScheduler(seed: seed)
    let world = WorldState(scheduler: scheduler, folder: folder, plan: plan)
    let promises = Promises()
    var violations: [Violation]
    do {
      violations = try scheduler.run(jobLimit: Self.jobLimit, isInterrupted: isInterrupted) {
        await Self.live(world, promises)
      }
    } catch let stuck as SeededScheduler.Stuck {
      violations = [Violation(promise: "the world goes on", expected: "an end", found: stuck.reason)]
    }
    return Report(
      seed: seed, plan: plan, counts: world.counts, violations: world.violations + violations,
      messages: promises.sent.count, deeds: world.deeds, commits: world.allCommits,
      lastDraw: scheduler.draw { $0.next() },
      lines: world.lines,
      duration: scheduler.now)
  }

  private static func live(_ world: WorldState, _ promises: Promises) async -> [Violation] {
    let used = WorldPlan.devices.prefix(world.plan.phones)
    let users = used.map(\.user).reduce(into: [UserID]()) { if !$0.contains($1) { $0.append($1) } }
    let conversations: [(id: ConversationID, members: [UserID])] = [
      ("everyone", users), ("alice-bob", ["alice", "bob"]), ("last-alice", ["alice", users.last!]),
    ]
    if world.plan.hasPast { Past.note(in: promises) }
    let server = SimulatedServer(
      world: world, users: users, conversations: Array(conversations.prefix(world.plan.conversations)),
      promises: promises)
    let apps = used.enumerated().map { index, used in
      SimulatedPhone(
        device: used.device, user: used.user,
        conversations: Array(conversations.prefix(world.plan.conversations)), world: world, server: server,
        promises: promises,
        store: index < world.plan.extensions ? SharedStore(world: world, device: used.device) : nil)
    }
    let phones = apps + apps.filter { $0.store != nil }.map(SimulatedPhone.init(extensionOf:))
    return await withTaskGroup(of: [Violation]?.self) { group in
      group.addTask {
        try? await server.run()
        return nil
      }
      for phone in phones {
        group.addTask {
          try? await phone.run()
          return nil
        }
      }
      let judge = Judge(world: world, server: server, phones: phones, promises: promises)
      group.addTask { await judge.judge() }
      for await violations in group {
        guard let violations else { continue }
        group.cancelAll()
        return violations
      }
      return [Violation(promise: "the world goes on", expected: "a verdict", found: "none")]
    }
  }

  /// Many times the jobs that a world needs. A world that exceeds it is in a loop.
  private static let jobLimit = 2_000_000

  /// The memory file system, if there is one: a world syncs thousands of times, and no world loses its power.
  private static var scratchFolder: URL {
    FileManager.default.fileExists(atPath: "/dev/shm")
      ? URL(fileURLWithPath: "/dev/shm", isDirectory: true) : FileManager.default.temporaryDirectory
  }
}
