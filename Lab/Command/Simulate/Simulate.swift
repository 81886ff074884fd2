import ArgumentParser
import Foundation
import Holdfast
import HoldfastCommand
import HoldfastTransport
import Simulator

/// Runs simulated worlds: the shipped engine, store and server under a seed, a virtual clock and faults.
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the engine and the server in simulated worlds, and check the promises.",
    discussion: """
      Each seed is one world, which is run twice. Both runs must have the same events and end with the same random \
      number. The seed draws the number of phones, their messages and the faults. An option replaces what the seed \
      would draw.

        holdfast-lab simulate --seeds 300                   seeds 1 to 300
        holdfast-lab simulate --seed 162                    one seed, with its story
        holdfast-lab simulate --seeds 50 --faults loss=0.2  lost frames only

      The faults: \(Fault.allCases.map(\.rawValue).joined(separator: ", ")). A fault of \
      frames or commits takes a probability from 0 to 1. A lasting fault takes the mean time until it occurs again, in \
      seconds (0.01 to 86400). The delay takes milliseconds (1 to 60000). docs/simulation.md explains a world.
      """)

  @Option(help: "The number of seeds to run, beginning with --from.") var seeds: Int?
  @Option(help: "The first seed.") var from: UInt64 = 1
  @Option(help: "Run only this seed, and print its story.") var seed: UInt64?
  @Flag(help: "Stop at the first seed that fails, without searching for a smaller world.")
  var untilFailure = false

  @Option(help: "The number of phones, 2 to 4.") var phones: Int?
  @Option(help: "The number of conversations, 1 to 3.") var conversations: Int?
  @Option(help: "The number of messages that each phone sends.") var messages: Int?
  @Option(help: "The number of replies that each phone streams.") var replies: Int?
  @Option(help: "The age in seconds at which a phone holds queued messages. 0 is never.")
  var heldAfter: Int?
  @Option(help: "The number of edits, deletions and reactions of each phone.") var changes: Int?
  @Option(help: "The number of files that each phone attaches.") var attachments: Int?
  @Option(help: "The number of phones with a share extension, a second process on the app's store.")
  var extensions: Int?
  @Option(help: "The number of times that each phone's conversations get another ID.") var renames: Int?
  @Option(help: "The number of conversations that each phone's user creates and deletes.") var deletions: Int?
  @Option(help: "The number of conversations that each phone's user creates and empties.") var emptyings: Int?
  @Option(help: "The number of times that each phone's user imports the same old history.") var imports: Int?
  @Option(help: "The number of times that each phone's user imports the same queue of an older app.")
  var queueImports: Int?
  @Option(help: "The number of phones that keep only the last messages of a conversation.")
  var quotas: Int?
  @Option(help: "The number of messages of a conversation that a new phone is told at first. 0 is all.")
  var newest: Int?
  @Option(help: "The number of times that each phone's user reads back to older messages.")
  var readBacks: Int?
  @Option(help: "The number of times that each phone's user reads a conversation.") var reads: Int?
  @Option(help: "The number of times that each phone's user does something on the device alone.")
  var onDevice: Int?
  @Option(help: "The number of replies that an assistant writes on each phone.") var assistantReplies: Int?
  @Option(help: "The number of phones whose app keeps its messages in a table of its own.") var tables: Int?
  @Flag(inversion: .prefixedNo, help: "Whether each phone's user moves about in three windows.") var scenes:
    Bool?
  @Option(help: "How long the server remembers IDs: forever, none, SECONDS, or SECONDS-connection.")
  var idempotency: String?
  @Flag(inversion: .prefixedNo, help: "Whether messages behind a failed message wait for it.")
  var strictOrder: Bool?
  @Option(help: "What the server tells: states, names or events.") var backend: WorldPlan.Backend?
  @Option(help: "The faults, such as loss=0.1,phone-kill=12, or none.") var faults: String?
  @Option(help: "End a process at one of its commits, such as alice:12:before or server:3:after.")
  var crash: String?

  func validate() throws {
    guard (seeds == nil) != (seed == nil) else {
      throw ValidationError("Give either --seeds COUNT or --seed NUMBER.")
    }
    if let seeds, seeds < 1 { throw ValidationError("--seeds must be at least 1.") }
    if let seeds, from > UInt64.max - UInt64(seeds) { throw ValidationError("--from is too large.") }
    if let phones, !(2...4).contains(phones) { throw ValidationError("--phones must be 2 to 4.") }
    if let conversations, !(1...3).contains(conversations) {
      throw ValidationError("--conversations must be 1 to 3.")
    }
    // The limits of each user's acts: a larger world would never end.
    let counts: [(name: String, value: Int?, most: Int)] = [
      ("messages", messages, 10_000), ("replies", replies, 10_000), ("changes", changes, 10_000),
      ("attachments", attachments, 10_000), ("renames", renames, 10_000), ("deletions", deletions, 10_000),
      ("emptyings", emptyings, 10_000), ("imports", imports, 10_000), ("queue-imports", queueImports, 10_000),
      ("newest", newest, 10_000), ("read-backs", readBacks, 10_000), ("reads", reads, 10_000),
      ("on-device", onDevice, 10_000), ("assistant-replies", assistantReplies, 10_000),
      ("extensions", extensions, 4), ("quotas", quotas, 4), ("tables", tables, 4),
      ("held-after", heldAfter, 31_536_000),
    ]
    for (name, value, most) in counts {
      if let value, !(0...most).contains(value) { throw ValidationError("--\(name) must be 0 to \(most).") }
    }
    if let idempotency, TransportCapabilities.Idempotency(option: idempotency) == nil {
      throw ValidationError(
        "--idempotency must be forever, none, SECONDS (1 to 86400) or SECONDS-connection.")
    }
    if let faults, FaultMix(option: faults) == nil {
      throw ValidationError("--faults must be NAME=RATE,NAME=RATE or none. --help lists the names and rates.")
    }
    if let crash { try validate(crash: crash) }
  }

  private func validate(crash: String) throws {
    guard let crash = CommitCrash(option: crash) else {
      throw ValidationError("--crash must be PROCESS:COMMIT:SIDE, and the side before or after.")
    }
    guard World.processes.contains(crash.process) else {
      throw ValidationError(
        "--crash must name one of the processes \(World.processes.joined(separator: ", ")).")
    }
  }

  func run() throws {
    if let seed { return try replay(seed) }
    guard let seeds else { return }
    let campaign = Campaign(
      seeds: from..<(from + UInt64(seeds)), stopsAtFailure: untilFailure, world: world(seed:))
    handleTerminationSignals { _ in campaign.interrupt() }
    switch try campaign.run() {
    case .passed: break
    case .failed: throw ExitCode.failure
    // The shell's code for a process that was ended by Ctrl-C.
    case .interrupted: throw ExitCode(128 + SIGINT)
    }
  }

  /// The world of a seed. The options replace what the seed draws.
  private func world(seed: UInt64) -> World {
    var plan = WorldPlan(seed: seed)
    if let phones { plan.phones = phones }
    if let conversations { plan.conversations = conversations }
    if let messages { plan.messages = messages }
    if let replies { plan.replies = replies }
    if let heldAfter { plan.heldAfter = heldAfter }
    if let changes { plan.changes = changes }
    if let attachments { plan.attachments = attachments }
    if let extensions { plan.extensions = extensions }
    if let renames { plan.renames = renames }
    if let deletions { plan.deletions = deletions }
    if let emptyings { plan.emptyings = emptyings }
    if let imports { plan.imports = imports }
    if let queueImports { plan.queueImports = queueImports }
    if let quotas { plan.quotas = quotas }
    if let newest { plan.newest = newest }
    if let readBacks { plan.readBacks = readBacks }
    if let reads { plan.reads = reads }
    if let onDevice { plan.onDevice = onDevice }
    if let tables { plan.tables = tables }
    if let assistantReplies { plan.assistantReplies = assistantReplies }
    if let scenes { plan.hasWindows = scenes }
    if let idempotency = idempotency.flatMap(TransportCapabilities.Idempotency.init(option:)) {
      plan.idempotency = idempotency
    }
    if let strictOrder { plan.strictOrder = strictOrder }
    if let backend { plan.backend = backend }
    if let faults = faults.flatMap(FaultMix.init(option:)) { plan.faults = faults }
    plan.crash = crash.flatMap(CommitCrash.init(option:))
    return World(seed: seed, plan: plan)
  }

  private func replay(_ seed: UInt64) throws {
    let report = try world(seed: seed).run()
    print(report.trace.joined(separator: "\n"))
    print("seed \(seed): \(report.plan)")
    print("\(report.messages) messages; survived \(report.counts.summary)")
    print("users \(report.deeds.summary)")
    print("last draw \(report.lastDraw)")
    print(report.story)
    guard report.violations.isEmpty else { throw ExitCode.failure }
  }
}

extension CommitCrash {
  /// Reads an option such as "alice:12:before". Nil when it has another form.
  init?(option: String) {
    let parts = option.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, let commit = Int(parts[1]), commit > 0,
      let side = Side(rawValue: String(parts[2]))
    else { return nil }
    self.init(process: String(parts[0]), commit: commit, side: side)
  }
}

extension WorldPlan.Backend: ExpressibleByArgument {}
