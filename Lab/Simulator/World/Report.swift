import Holdfast
import HoldfastStore

extension World {
  /// The result of a world.
  package struct Report: Sendable {
    /// The seed that was run.
    package let seed: UInt64
    /// The make-up of the world.
    package let plan: WorldPlan
    /// The number of times that each fault struck.
    package let counts: FaultCounts
    /// The broken promises. Empty when all were kept.
    package let violations: [Violation]
    /// The number of messages that were sent.
    package let messages: Int
    /// The number of times that users did each act: "discard", "answer held with send", …
    package let deeds: [String: Int]
    /// The number of transactions that each process committed, or was about to commit: "alice", …, "server".
    package let commits: [String: Int]
    /// The last number drawn from the seed. Two runs of one seed agree on it, unless a part was not simulated.
    package let lastDraw: UInt64
    let lines: [TraceLine]
    /// The length of the world on the virtual clock.
    package let duration: Duration

    /// All events of the world, one line for each.
    package var trace: [String] { lines.map(\.description) }
  }
}

extension World.Report {
  /// The command that runs this world again, and prints all of it.
  package var replay: String {
    let drawn = WorldPlan(seed: seed)
    var options: [String] = []
    if plan.phones != drawn.phones { options.append("--phones \(plan.phones)") }
    if plan.conversations != drawn.conversations { options.append("--conversations \(plan.conversations)") }
    if plan.messages != drawn.messages { options.append("--messages \(plan.messages)") }
    if plan.replies != drawn.replies { options.append("--replies \(plan.replies)") }
    if plan.heldAfter != drawn.heldAfter { options.append("--held-after \(plan.heldAfter)") }
    if plan.changes != drawn.changes { options.append("--changes \(plan.changes)") }
    if plan.attachments != drawn.attachments { options.append("--attachments \(plan.attachments)") }
    if plan.extensions != drawn.extensions { options.append("--extensions \(plan.extensions)") }
    if plan.renames != drawn.renames { options.append("--renames \(plan.renames)") }
    if plan.deletions != drawn.deletions { options.append("--deletions \(plan.deletions)") }
    if plan.emptyings != drawn.emptyings { options.append("--emptyings \(plan.emptyings)") }
    if plan.imports != drawn.imports { options.append("--imports \(plan.imports)") }
    if plan.queueImports != drawn.queueImports { options.append("--queue-imports \(plan.queueImports)") }
    if plan.quotas != drawn.quotas { options.append("--quotas \(plan.quotas)") }
    if plan.newest != drawn.newest { options.append("--newest \(plan.newest)") }
    if plan.readBacks != drawn.readBacks { options.append("--read-backs \(plan.readBacks)") }
    if plan.reads != drawn.reads { options.append("--reads \(plan.reads)") }
    if plan.onDevice != drawn.onDevice { options.append("--on-device \(plan.onDevice)") }
    if plan.assistantReplies != drawn.assistantReplies {
      options.append("--assistant-replies \(plan.assistantReplies)")
    }
    if plan.tables != drawn.tables { options.append("--tables \(plan.tables)") }
    if plan.hasWindows != drawn.hasWindows { options.append(plan.hasWindows ? "--scenes" : "--no-scenes") }
    if plan.idempotency != drawn.idempotency { options.append("--idempotency \(plan.idempotency.option)") }
    if plan.backend != drawn.backend { options.append("--backend \(plan.backend.rawValue)") }
    if plan.strictOrder != drawn.strictOrder {
      options.append(plan.strictOrder ? "--strict-order" : "--no-strict-order")
    }
    if plan.faults != drawn.faults { options.append("--faults \(plan.faults.option)") }
    if let crash = plan.crash {
      options.append("--crash \(crash.process):\(crash.commit):\(crash.side.rawValue)")
    }
    return "make sim SEED=\(seed)" + (options.isEmpty ? "" : " ARGS=\"\(options.joined(separator: " "))\"")
  }

  /// The shortest story of a failure: the broken promise, the faults, the last events of the affected messages and
  /// of every process, and the command that replays it.
  package var story: String {
    guard let violation = violations.first else { return "seed \(seed): every promise was kept" }
    var story = [
      "seed \(seed) broke a promise: \(violation.promise)", "  expected  \(violation.expected)",
      "  found     \(violation.found)", "  world     \(plan)", "  struck    \(counts.struck)",
    ]
    let end = lines.firstIndex { $0.who == TraceLine.world } ?? lines.endIndex
    for id in violation.messages {
      story.append("  \(id)")
      story += lines.filter { $0.mentions(id) && $0.who != TraceLine.world }.suffix(12).map {
        "    \($0.description)"
      }
    }
    for who in Set(lines[..<end].map(\.who)).sorted() {
      story.append("  \(who)")
      story += lines[..<end].filter { $0.who == who }.suffix(8).map { "    \($0.moment)  \($0.what)" }
    }
    story.append("  replay    \(replay)")
    return story.joined(separator: "\n")
  }
}

extension Violation {
  /// The IDs of the messages in the violation, as a world makes them.
  fileprivate var messages: [String] {
    (expected + " " + found).split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init)
      .filter { $0.hasPrefix("id-") }
      .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
