import ChatServer
import Foundation
import Holdfast

/// One simulated world: two phones and a server, all of them the shipped code on real files, under a seed,
/// a virtual clock and injected faults.
///
/// ```swift
/// let report = try World(seed: 7).run()
/// #expect(report.violations.isEmpty)
/// ```
///
/// First everything goes wrong that the seed has drawn, and nothing may be lost or doubled by it. Then all
/// faults end, and everything must come to rest.
///
/// A world takes some tens of milliseconds and a few megabytes of a memory file system, where there is one.
public struct World: Sendable {
  public let seed: UInt64

  public init(seed: UInt64) { self.seed = seed }

  /// What came of a world.
  public struct Report: Sendable {
    public let seed: UInt64
    public let faults: FaultMix
    public let counts: FaultCounts
    public let violations: [Violation]
    public let messages: Int
    /// The last number drawn from the seed. Two runs of one seed agree on it, or something was not simulated.
    public let lastDraw: UInt64
    /// The story, a line for each event.
    public let trace: [String]
    /// How long it took on the virtual clock.
    public let duration: Duration
  }

  /// Runs the world on this thread. Throws when its files cannot be made.
  public func run() throws -> Report {
    let folder = Self.scratchFolder.appendingPathComponent("holdfast-world-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    let scheduler = SeededScheduler(seed: seed)
    let (mix, messages) = scheduler.draw { random in
      (FaultMix(drawnFrom: &random), Int.random(in: 3...25, using: &random))
    }
    let world = WorldState(scheduler: scheduler, folder: folder, mix: mix)
    let promises = Promises()
    var violations: [Violation]
    do {
      violations = try scheduler.run { await Self.live(world, promises, messages: messages) }
    } catch let stuck as SeededScheduler.Stuck {
      violations = [Violation(promise: "the world goes on", expected: "an end", found: stuck.reason)]
    }
    return Report(
      seed: seed, faults: mix, counts: world.counts, violations: violations,
      messages: promises.sent.count, lastDraw: scheduler.draw { $0.next() }, trace: world.lines,
      duration: scheduler.now)
  }

  private static func live(_ world: WorldState, _ promises: Promises, messages: Int) async -> [Violation] {
    let users: [UserID] = ["alice", "bob"]
    let server = SimulatedServer(
      world: world, accounts: Dictionary(uniqueKeysWithValues: users.map { ($0, "token of \($0)") }))
    let phones = users.map {
      SimulatedPhone(
        user: $0, members: users, conversation: "alice-bob", world: world, server: server,
        promises: promises, messages: messages)
    }
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
      group.addTask { await judge(world, server, phones, promises) }
      for await violations in group {
        guard let violations else { continue }
        group.cancelAll()
        return violations
      }
      return [Violation(promise: "the world goes on", expected: "a verdict", found: "none")]
    }
  }

  /// Lets the faults rage until the users have sent everything, heals, waits for rest, and looks.
  private static func judge(
    _ world: WorldState, _ server: SimulatedServer, _ phones: [SimulatedPhone], _ promises: Promises
  ) async -> [Violation] {
    let rage = world.scheduler.now + .seconds(240)
    while world.scheduler.now < rage, !phones.allSatisfy(\.isFinished) {
      try? await world.scheduler.sleep(until: world.scheduler.now + .seconds(1))
    }
    world.heal()
    let patience = world.scheduler.now + .seconds(600)
    var outcome: Outcome?
    while world.scheduler.now < patience {
      try? await world.scheduler.sleep(until: world.scheduler.now + .seconds(1))
      guard phones.allSatisfy(\.isFinished), let present = try? await look(server, phones, promises) else {
        continue
      }
      outcome = present
      if present.waiting.allSatisfy({ $0.count == 0 }), Invariants.sameEverywhere(present).isEmpty { break }
    }
    let failures = phones.flatMap { $0.failures.withLock { $0 } }
    guard let outcome else {
      return failures + [
        Violation(promise: "the world goes on", expected: "all processes up again", found: "one that is not")
      ]
    }
    return failures + Invariants.check(outcome)
  }

  private static func look(
    _ server: SimulatedServer, _ phones: [SimulatedPhone], _ promises: Promises
  ) async throws -> Outcome? {
    guard let chat = server.current else { return nil }
    let served = try await chat.messages(in: "alice-bob")
    var outcome = Outcome(
      sent: promises.sent, uncertain: promises.uncertain,
      server: served.map {
        Outcome.Row(
          id: MessageID(rawValue: $0.id), sender: UserID(rawValue: $0.sender), text: $0.body,
          order: $0.order, isDelivered: true)
      }, phones: [], waiting: [])
    for phone in phones {
      guard let client = phone.client else { return nil }
      let snapshot = try client.conversationSnapshot(phone.conversation, limit: 100_000)
      outcome.phones.append(
        (
          phone.user,
          snapshot.rows.map {
            Outcome.Row(
              id: $0.id, sender: $0.sender, text: $0.body, order: nil, isDelivered: $0.delivery == .delivered)
          }
        ))
      outcome.waiting.append((phone.user, try client.unsentCount()))
    }
    return outcome
  }

  /// A memory file system where there is one: a world syncs thousands of times, and no world loses its power.
  private static var scratchFolder: URL {
    FileManager.default.fileExists(atPath: "/dev/shm")
      ? URL(fileURLWithPath: "/dev/shm", isDirectory: true) : FileManager.default.temporaryDirectory
  }
}
