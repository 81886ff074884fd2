import Testing

@testable import Simulator

@Suite struct ShrinkingTests {
  /// The report of a run of `world` that breaks a promise whenever `breaks` says so.
  private func report(of world: World, breaks: (WorldPlan) -> Bool) -> World.Report {
    let violation = Violation(promise: "eg", expected: "this", found: "that")
    return World.Report(
      seed: world.seed, plan: world.plan, counts: FaultCounts(),
      violations: breaks(world.plan) ? [violation] : [], messages: 0, deeds: [:], commits: [:], lastDraw: 0,
      lines: [],
      duration: .zero)
  }

  private func eg() -> WorldPlan {
    var plan = WorldPlan(phones: 4, conversations: 3, messages: 12, replies: 2, heldAfter: 7)
    plan.faults[.loss] = 0.1
    plan.faults[.phoneKill] = 10
    plan.faults[.clockJump] = 5
    plan.strictOrder = true
    return plan
  }

  @Test func `parts that do not matter are cut away`() throws {
    let breaks = { (plan: WorldPlan) in plan.faults[.loss] > 0 && plan.messages >= 3 }
    let world = World(seed: 7, plan: eg())
    let smallest = try world.shrunk(from: report(of: world, breaks: breaks), attempts: 200) {
      report(of: $0, breaks: breaks)
    }
    var expected = WorldPlan(phones: 2, conversations: 1, messages: 3, replies: 0)
    expected.faults[.loss] = 0.1
    #expect(smallest.plan == expected)
    #expect(smallest.violations.first?.promise == "eg")
  }

  @Test func `another promise is another story`() throws {
    let world = World(seed: 7, plan: eg())
    let original = report(of: world) { _ in true }
    let smallest = try world.shrunk(from: original, attempts: 200) { world in
      World.Report(
        seed: world.seed, plan: world.plan, counts: FaultCounts(),
        violations: [Violation(promise: "another", expected: "", found: "")], messages: 0, deeds: [:],
        commits: [:],
        lastDraw: 0, lines: [], duration: .zero)
    }
    #expect(smallest.plan == original.plan)
  }

  @Test func `no more worlds are run than allowed`() throws {
    let world = World(seed: 7, plan: eg())
    var runs = 0
    _ = try world.shrunk(from: report(of: world) { _ in true }, attempts: 3) {
      runs += 1
      return report(of: $0) { _ in false }
    }
    #expect(runs == 3)
  }

  @Test func `a story names the promise, the faults and the command that replays it`() {
    let plan = eg()
    let story = report(of: World(seed: 7, plan: plan)) { _ in true }.story
    #expect(story.contains("seed 7 broke a promise: eg"))
    #expect(story.contains("expected  this"))
    #expect(story.contains("make sim SEED=7 ARGS=\"--phones 4"))
    #expect(story.contains("--held-after 7"))
    #expect(story.contains("--strict-order"))
    #expect(story.contains("--faults loss=0.1,phone-kill=10,clock-jump=5\""))
  }

  @Test func `the faults on the command line are the faults of the plan`() {
    #expect(FaultMix(option: eg().faults.option) == eg().faults)
    #expect(FaultMix(option: "none") == FaultMix())
    #expect(FaultMix(option: "lightning=1") == nil)
    #expect(FaultMix(option: "loss") == nil)
    #expect(FaultMix(option: "loss=-1") == nil)
  }
}
