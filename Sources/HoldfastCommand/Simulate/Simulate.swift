import ArgumentParser
import Foundation
import Holdfast
import HoldfastTesting

/// Runs simulated worlds: the shipped engine, store and server under a seed, a virtual clock and faults.
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the engine and the server in simulated worlds, and check the promises.",
    discussion: """
      Each seed is one world, run twice: both runs must agree on every event and on the last number drawn. The \
      seed draws how many phones there are, how much they write and what goes wrong; the options below say \
      it instead.

        holdfast simulate --seeds 300                        seeds 1 to 300
        holdfast simulate --seed 162                         one seed, with its story
        holdfast simulate --seeds 50 --faults loss=0.2       lost frames only

      The faults: \(Fault.allCases.map(\.rawValue).joined(separator: ", ")). What strikes frames or commits \
      takes a chance from 0 to 1, what lasts takes the mean seconds until it strikes again (0.01 to 86400), and \
      delay takes milliseconds (1 to 60000). docs/simulation.md explains a world.
      """)

  @Option(help: "How many seeds to run, from --from on.") var seeds: Int?
  @Option(help: "The first seed.") var from: UInt64 = 1
  @Option(help: "Run this seed alone, and tell its story.") var seed: UInt64?
  @Flag(help: "Stop at the first seed that fails, and do not look for a smaller world.")
  var untilFailure = false

  @Option(help: "How many phones: 2 to 4.") var phones: Int?
  @Option(help: "How many conversations: 1 to 3.") var conversations: Int?
  @Option(help: "How many messages each phone sends.") var messages: Int?
  @Option(help: "How many answers each phone writes piece by piece.") var replies: Int?
  @Option(help: "After how many seconds a phone holds what is queued, and asks. 0 is never.")
  var heldAfter: Int?
  @Option(help: "How often each phone edits, deletes or reacts to a message.") var changes: Int?
  @Option(help: "How many files each phone attaches to messages.") var attachments: Int?
  @Option(help: "How many phones have a share extension: a second process on the app's store.")
  var extensions: Int?
  @Option(help: "How often each phone's conversations get another ID.") var renames: Int?
  @Option(help: "How often each phone's user makes a conversation and deletes it.") var deletions: Int?
  @Option(help: "How often each phone's user imports an old history, always the same one.") var imports: Int?
  @Option(help: "How often each phone's user imports the queue of an older app, always the same one.")
  var queueImports: Int?
  @Option(help: "How many phones keep the last messages only, of a conversation that has a past.")
  var quotas: Int?
  @Flag(inversion: .prefixedNo, help: "Each phone's user moves about in three windows.") var scenes: Bool?
  @Option(help: "How long IDs are good for: forever, none, SECONDS, or SECONDS-connection.")
  var idempotency: String?
  @Flag(inversion: .prefixedNo, help: "Whether those behind a failed message wait for it.")
  var strictOrder: Bool?
  @Option(help: "What goes wrong, as loss=0.1,phone-kill=12, or none.") var faults: String?
  @Option(help: "End a process at one of its commits, as alice:12:before or server:3:after.")
  var crash: String?

  func validate() throws {
    guard (seeds == nil) != (seed == nil) else {
      throw ValidationError("Give either --seeds COUNT or --seed NUMBER.")
    }
    if let seeds, seeds < 1 { throw ValidationError("--seeds must be at least 1.") }
    if let seeds, from > UInt64.max - UInt64(seeds) { throw ValidationError("--from is too large.") }
    if let phones, !(2...4).contains(phones) { throw ValidationError("--phones is 2 to 4.") }
    if let conversations, !(1...3).contains(conversations) {
      throw ValidationError("--conversations is 1 to 3.")
    }
    if let messages, messages < 0 { throw ValidationError("--messages must not be negative.") }
    if let replies, replies < 0 { throw ValidationError("--replies must not be negative.") }
    if let heldAfter, heldAfter < 0 { throw ValidationError("--held-after must not be negative.") }
    if let changes, changes < 0 { throw ValidationError("--changes must not be negative.") }
    if let attachments, attachments < 0 { throw ValidationError("--attachments must not be negative.") }
    if let extensions, !(0...4).contains(extensions) {
      throw ValidationError("--extensions is 0 to 4.")
    }
    if let renames, renames < 0 { throw ValidationError("--renames must not be negative.") }
    if let deletions, deletions < 0 { throw ValidationError("--deletions must not be negative.") }
    if let imports, imports < 0 { throw ValidationError("--imports must not be negative.") }
    if let queueImports, queueImports < 0 {
      throw ValidationError("--queue-imports must not be negative.")
    }
    if let quotas, !(0...4).contains(quotas) { throw ValidationError("--quotas is 0 to 4.") }
    if let idempotency, IdempotencyGuarantee(option: idempotency) == nil {
      throw ValidationError("--idempotency is forever, none, SECONDS (1 to 86400) or SECONDS-connection.")
    }
    if let faults, FaultMix(option: faults) == nil {
      throw ValidationError("--faults is NAME=RATE,NAME=RATE or none; see --help for the names and rates.")
    }
    if let crash { try validate(crash: crash) }
  }

  private func validate(crash: String) throws {
    guard let crash = CommitCrash(option: crash) else {
      throw ValidationError("--crash is PROCESS:COMMIT:SIDE, with the side before or after.")
    }
    guard World.processes.contains(crash.process) else {
      throw ValidationError("--crash names one of the processes \(World.processes.joined(separator: ", ")).")
    }
  }

  func run() throws {
    if let seed { return try tell(seed) }
    guard let seeds else { return }
    let campaign = Campaign(
      seeds: from..<(from + UInt64(seeds)), stopsAtFailure: untilFailure, world: world(seed:))
    handleTerminationSignals { _ in campaign.interrupt() }
    switch try campaign.run() {
    case .passed: break
    case .failed: throw ExitCode.failure
    // The code that a shell gives for a process that Ctrl-C has ended.
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
    if let imports { plan.imports = imports }
    if let queueImports { plan.queueImports = queueImports }
    if let quotas { plan.quotas = quotas }
    if let scenes { plan.hasWindows = scenes }
    if let idempotency = idempotency.flatMap(IdempotencyGuarantee.init(option:)) {
      plan.idempotency = idempotency
    }
    if let strictOrder { plan.strictOrder = strictOrder }
    if let faults = faults.flatMap(FaultMix.init(option:)) { plan.faults = faults }
    plan.crash = crash.flatMap(CommitCrash.init(option:))
    return World(seed: seed, plan: plan)
  }

  private func tell(_ seed: UInt64) throws {
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
