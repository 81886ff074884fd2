import Dispatch
import Holdfast
import HoldfastStore
import HoldfastTransport
import Simulator
import Synchronization
import Testing

@Suite(.serialized) struct WorldTests {
  // D5.1, O4.1, O4.2, O4.3, O6.2, O6.3, O10.1, O11.1, O11.2, O11.3, H11.1, H11.2
  /// `holdfast-lab simulate` runs many more worlds. These show a broken simulator in the unit tests.
  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `a world keeps its promises, twice the same way`(seed: UInt64) async throws {
    let first = try await report(of: World(seed: seed))
    #expect(first.violations.isEmpty, "\(first.story)")
    let second = try await report(of: World(seed: seed))
    #expect(first.lastDraw == second.lastDraw)
    #expect(first.trace == second.trace)
  }

  // D5.1, O6.3, O11.1, H3.2
  @Test func `a crash before or after any commit of a small world breaks no promise`() async throws {
    let plan = WorldPlan(phones: 2, conversations: 1, messages: 2, replies: 1)
    let calm = try await report(of: World(seed: 4, plan: plan))
    #expect(calm.violations.isEmpty, "\(calm.story)")
    let commits = calm.commits.sorted { $0.key < $1.key }
    #expect(commits.map(\.key) == ["alice", "bob", "server"])
    let crashed = commits.flatMap { process, count in
      (1...count).flatMap { commit in
        CommitCrash.Side.allCases.map { side in
          var plan = plan
          plan.crash = CommitCrash(process: process, commit: commit, side: side)
          return World(seed: 4, plan: plan)
        }
      }
    }
    let reports = try await reports(of: crashed)
    for report in reports { #expect(report.violations.isEmpty, "\(report.story)") }
    // Up to its crash, such a world equals the world without a crash, so each of them has had its crash.
    #expect(reports.allSatisfy { $0.counts[.crashBeforeCommit] + $0.counts[.crashAfterCommit] == 1 })
  }

  // O11.1, O15
  @Test func `a crash of either of two processes on one store, at any commit, breaks no promise`()
    async throws
  {
    let plan = WorldPlan(phones: 2, conversations: 1, messages: 3, extensions: 1)
    let calm = try await report(of: World(seed: 6, plan: plan))
    #expect(calm.violations.isEmpty, "\(calm.story)")
    let crashed = ["alice", "alice-extension"].flatMap { process in
      (1...(calm.commits[process] ?? 1)).map { commit in
        var plan = plan
        plan.crash = CommitCrash(
          process: process, commit: commit, side: commit.isMultiple(of: 2) ? .before : .after)
        return World(seed: 6, plan: plan)
      }
    }
    let reports = try await reports(of: crashed)
    #expect(reports.count > 20)
    for report in reports { #expect(report.violations.isEmpty, "\(report.story)") }
  }

  // O6.5, O6.8
  @Test(arguments: [TransportCapabilities.Idempotency.none, .window(.seconds(30), scope: .account)])
  func `with IDs that expire, no text is doubled without its user's consent`(
    idempotency: TransportCapabilities.Idempotency
  ) async throws {
    var plan = WorldPlan(phones: 2, messages: 8, idempotency: idempotency)
    plan.faults[.lostReceipt] = 0.4
    let report = try await report(of: World(seed: 5, plan: plan))
    #expect(report.violations.isEmpty, "\(report.story)")
    #expect(idempotency != .none || report.deeds["look up"] ?? 0 > 0)
    #expect(TransportCapabilities.Idempotency(option: idempotency.option) == idempotency)
  }

  // D15.1, D15.2, D15.3
  @Test func `a conversation that gets other IDs loses nothing`() async throws {
    var plan = WorldPlan(phones: 2, messages: 12, renames: 3)
    plan.faults[.phoneKill] = 8
    let reports = try await reports(of: (6...9).map { [plan] in World(seed: $0, plan: plan) })
    for report in reports { #expect(report.violations.isEmpty, "\(report.story)") }
    #expect(reports.reduce(0) { $0 + ($1.deeds["rename"] ?? 0) } > 1)
  }

  // O8.4, O8.6
  @Test(arguments: [true, false])
  func `in strict order and under refusals of conversations, a world keeps its promises`(
    strictOrder: Bool
  ) async throws {
    var plan = WorldPlan(phones: 2, conversations: 3, messages: 10, changes: 6, strictOrder: strictOrder)
    plan.faults[.refusedConversation] = 3
    plan.faults[.rejection] = 4
    plan.faults[.phoneKill] = 15
    let reports = try await reports(of: (5...6).map { [plan] in World(seed: $0, plan: plan) })
    for report in reports { #expect(report.violations.isEmpty, "\(report.story)") }
    #expect(reports.contains { $0.counts[.refusedConversation] > 0 })
    #expect(reports.contains { $0.counts[.rejection] > 0 })
    #expect(reports.contains { $0.deeds["retry a refused conversation"] ?? 0 > 0 })
    #expect(reports[0].plan.description.contains("strict order") == strictOrder)
  }

  // H5.1, H5.3, U18
  @Test func `deleted conversations are gone from their phones, and restored ones are whole`() async throws {
    var plan = WorldPlan(phones: 2, messages: 6, deletions: 8)
    plan.faults[.phoneKill] = 8
    plan.faults[.lostReceipt] = 0.3
    let report = try await report(of: World(seed: 5, plan: plan))
    #expect(report.violations.isEmpty, "\(report.story)")
    #expect(report.deeds["delete conversation"] ?? 0 > 4)
    #expect(report.deeds["undo deletion"] ?? 0 > 0)
  }

  // H11.3, H11.4, H11.5
  @Test func `where phones keep the last messages only, the oldest make room and nothing else is missing`()
    async throws
  {
    var plan = WorldPlan(phones: 2, messages: 15, changes: 6, quotas: 2)
    plan.faults[.phoneKill] = 8
    plan.faults[.crashBeforeCommit] = 0.02
    let report = try await report(of: World(seed: 5, plan: plan))
    #expect(report.violations.isEmpty, "\(report.story)")
    #expect(report.deeds["see messages make room"] ?? 0 > 0)
    #expect(report.deeds["refer to the oldest"] ?? 0 > 0)
  }

  // B6.1, B6.2, B6.4, B6.5
  @Test(arguments: [WorldPlan.Backend.states, .names])
  func `phones that received the newest messages alone read back to all of them`(
    backend: WorldPlan.Backend
  ) async throws {
    var plan = WorldPlan(
      phones: 2, messages: 6, changes: 4, quotas: 1, newest: 5, readBacks: 4, backend: backend)
    plan.faults[.phoneKill] = 8
    plan.faults[.loss] = 0.02
    plan.faults[.crashBeforeCommit] = 0.02
    let report = try await report(of: World(seed: 5, plan: plan))
    #expect(report.violations.isEmpty, "\(report.story)")
    let pages = ["get older messages", "get older messages among faults"].compactMap { report.deeds[$0] }
    #expect(pages.reduce(0, +) > 2)
  }

  // O16, H10.2, H10.5
  @Test(arguments: [0, 4])
  func `the queue of another app arrives once, however often it is imported and cut short`(
    heldAfter: Int
  ) async throws {
    var plan = WorldPlan(phones: 2, conversations: 2, messages: 6, heldAfter: heldAfter, queueImports: 3)
    plan.faults[.crashBeforeCommit] = 0.1
    plan.faults[.phoneDisk] = 6
    let report = try await report(of: World(seed: 5, plan: plan))
    #expect(report.violations.isEmpty, "\(report.story)")
    #expect(report.deeds["import a queue"] ?? 0 >= 6)
    #expect(report.counts[.crashBeforeCommit] > 0)
  }

  // L1.1, L1.3, L2.2, L2.3, L2.4
  @Test func `a conversation on the device alone keeps everything, and no server hears of it`() async throws {
    var plan = WorldPlan(phones: 2, messages: 4, extensions: 1, onDevice: 20)
    plan.faults[.hostileFrame] = 0.2
    plan.faults[.crashAfterCommit] = 0.03
    plan.faults[.phoneDisk] = 8
    let reports = try await reports(of: (5...7).map { [plan] in World(seed: $0, plan: plan) })
    for report in reports { #expect(report.violations.isEmpty, "\(report.story)") }
    #expect(reports.reduce(0) { $0 + ($1.deeds["act on the device"] ?? 0) } > 60)
  }

  // L3.1, L3.3, L4.1, L4.2, L4.3, L4.4
  @Test func `replies of an assistant whose model fails are retried, continued or deleted`() async throws {
    var plan = WorldPlan(phones: 4, messages: 4, changes: 4, onDevice: 4, assistantReplies: 8)
    plan.faults[.phoneKill] = 8
    plan.faults[.brokenConnection] = 0.05
    let reports = try await reports(of: (5...7).map { [plan] in World(seed: $0, plan: plan) })
    for report in reports { #expect(report.violations.isEmpty, "\(report.story)") }
    for deed in ["fail a reply", "take up a failed reply", "delete a reply", "continue a reply"] {
      #expect(reports.contains { $0.deeds[deed] ?? 0 > 0 }, "\(deed)")
    }
  }

  // L8.1, L8.2
  @Test func `an app with a table of its own is notified of each delivery and each failure once`()
    async throws
  {
    var plan = WorldPlan(phones: 2, messages: 10, replies: 1, extensions: 1, onDevice: 4, tables: 2)
    plan.faults[.rejection] = 4
    plan.faults[.lostReceipt] = 0.3
    plan.faults[.crashAfterCommit] = 0.03
    plan.faults[.crashBeforeCommit] = 0.03
    let reports = try await reports(of: (5...7).map { [plan] in World(seed: $0, plan: plan) })
    for report in reports { #expect(report.violations.isEmpty, "\(report.story)") }
    #expect(reports.contains { $0.deeds["forget outcomes"] ?? 0 > 0 })
  }

  // L1.1, L2.4, L4.1, L8.2
  @Test func `a crash at any commit loses nothing on the device, no reply and no outcome`() async throws {
    let plan = WorldPlan(
      phones: 2, conversations: 1, messages: 2, onDevice: 5, assistantReplies: 3, tables: 1)
    let calm = try await report(of: World(seed: 6, plan: plan))
    #expect(calm.violations.isEmpty, "\(calm.story)")
    #expect(calm.deeds["fail a reply"] ?? 0 > 0)
    #expect(calm.deeds["receive an outcome"] ?? 0 > 0)
    let crashed = (1...(calm.commits["alice"] ?? 1)).flatMap { commit in
      CommitCrash.Side.allCases.map { side in
        var plan = plan
        plan.crash = CommitCrash(process: "alice", commit: commit, side: side)
        return World(seed: 6, plan: plan)
      }
    }
    let reports = try await reports(of: crashed)
    #expect(reports.count > 40)
    for report in reports { #expect(report.violations.isEmpty, "\(report.story)") }
  }

  @Test func `a plan says what a world is made of`() async throws {
    var plan = WorldPlan(phones: 3, conversations: 2, messages: 4, replies: 1)
    plan.faults[.lostReceipt] = 0.5
    let report = try await report(of: World(seed: 9, plan: plan))
    #expect(report.violations.isEmpty, "\(report.story)")
    #expect(report.counts[.lostReceipt] > 0)
    #expect(report.counts[.phoneKill] == 0)
    #expect(report.messages > 3)
  }

  @Test(arguments: [Int.min, -1, 0, 1, 5, Int.max])
  func `a plan that no world can run becomes the nearest that it can`(number: Int) async throws {
    let plan = WorldPlan(
      phones: number, conversations: number, messages: min(number, 1), replies: min(number, 1),
      extensions: number, renames: min(number, 1), deletions: min(number, 1),
      queueImports: min(number, 1), quotas: number, onDevice: min(number, 1),
      assistantReplies: min(number, 1), tables: number)
    let report = try await report(of: World(seed: 1, plan: plan))
    #expect(report.violations.isEmpty, "\(report.story)")
    #expect((2...4).contains(report.plan.phones))
    #expect((1...3).contains(report.plan.conversations))
    #expect((0...report.plan.phones).contains(report.plan.extensions))
    #expect((0...report.plan.phones).contains(report.plan.quotas))
    #expect((0...report.plan.phones).contains(report.plan.tables))
    #expect(report.plan.messages == min(max(number, 0), 1))
  }

  @Test func `every process of a world has a name that a crash can be given`() async throws {
    let plan = WorldPlan(phones: 4, messages: 1, extensions: 4)
    let report = try await report(of: World(seed: 1, plan: plan))
    #expect(Set(report.commits.keys) == Set(World.processes))
  }
}

/// Runs a world on a separate thread. A world does not suspend. On the pool that all tests share, it would delay the
/// tests that use real sockets until they time out.
func report(of world: World) async throws -> World.Report {
  try await reports(of: [world])[0]
}

func reports(of worlds: [World]) async throws -> [World.Report] {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async {
      let results = Mutex([Int: Result<World.Report, any Error>]())
      DispatchQueue.concurrentPerform(iterations: worlds.count) { index in
        let result = Result { try worlds[index].run() }
        results.withLock { $0[index] = result }
      }
      continuation.resume(
        with: Result { try results.withLock { $0 }.sorted { $0.key < $1.key }.map { try $0.value.get() } })
    }
  }
}
