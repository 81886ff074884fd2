import Holdfast

extension World {
  /// What came of a world.
  public struct Report: Sendable {
    public let seed: UInt64
    public let plan: WorldPlan
    /// How often each fault struck.
    public let counts: FaultCounts
    /// The promises that were not kept. Empty in a world that is well.
    public let violations: [Violation]
    /// How many messages were sent.
    public let messages: Int
    /// How many transactions each process committed, or was about to: "alice", …, "server".
    public let commits: [String: Int]
    /// The last number drawn from the seed. Two runs of one seed agree on it, or something was not simulated.
    public let lastDraw: UInt64
    let lines: [TraceLine]
    /// How long it took on the virtual clock.
    public let duration: Duration

    /// Everything that happened, a line for each event.
    public var trace: [String] { lines.map(\.description) }

    /// The options of `holdfast simulate` that run this very world again.
    public var options: String {
      let drawn = WorldPlan(seed: seed)
      var options = ["--seed \(seed)"]
      if plan.phones != drawn.phones { options.append("--phones \(plan.phones)") }
      if plan.conversations != drawn.conversations { options.append("--conversations \(plan.conversations)") }
      if plan.messages != drawn.messages { options.append("--messages \(plan.messages)") }
      if plan.replies != drawn.replies { options.append("--replies \(plan.replies)") }
      if plan.faults != drawn.faults { options.append("--faults \(plan.faults.option)") }
      if let crash = plan.crash {
        options.append("--crash \(crash.process):\(crash.commit):\(crash.side.rawValue)")
      }
      return options.joined(separator: " ")
    }

    /// The shortest story of a failure: which promise, the faults, and the last events of everyone in it.
    public var story: String {
      guard let violation = violations.first else { return "seed \(seed): every promise was kept" }
      var lines = [
        "seed \(seed) broke a promise: \(violation.promise)", "  expected  \(violation.expected)",
        "  found     \(violation.found)", "  world     \(plan)",
        "  struck    \(counts.summary)",
      ]
      let end = self.lines.firstIndex { $0.who == "world" } ?? self.lines.endIndex
      let before = self.lines[..<end]
      for who in Set(before.map(\.who)).sorted() {
        lines.append("  \(who)")
        lines += before.filter { $0.who == who }.suffix(8).map { "    \($0.moment)  \($0.what)" }
      }
      lines.append("  replay    holdfast simulate \(options)")
      return lines.joined(separator: "\n")
    }
  }
}
