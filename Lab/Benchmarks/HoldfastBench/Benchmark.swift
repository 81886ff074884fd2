/// One thing that the engine does, beside the same thing in C. To add one: write a file with a type that
/// conforms, and put it into `allBenchmarks`.
///
/// Each sample is ``prepare(_:)``, which nobody times, and then ``engine(_:)``, ``raw(_:)`` and ``lean(_:)`` in turn.
@MainActor protocol Benchmark {
  static var name: String { get }
  /// From where to where it is timed: one line.
  static var summary: String { get }
  /// How many samples make the figures steady.
  static var samples: Int { get }
  static var aim: Aim? { get }
  /// A second aim, beside C with a schema of its own.
  static var leanAim: Aim? { get }
  /// How many messages the conversation has at the start.
  static var history: Int { get }
  /// The backend answers. Without one, nothing but the engine and its disk takes time.
  static var isOnline: Bool { get }
  /// How statements begin that the engine may run at the same time, for something that nobody waits for here.
  static var bystanders: [String] { get }

  init(_ rig: Rig) throws

  /// What runs beside it, as in an app, until the task is cancelled.
  func follow() async
  /// Brings the engine and both kinds of C to the beginning of sample `number`.
  func prepare(_ number: Int) async throws
  /// How long the engine takes.
  func engine(_ number: Int) async throws -> Duration
  /// How long C takes with the same statements.
  func raw(_ number: Int) throws -> Duration
  /// The time of C with a schema of its own, which keeps the same promises. Nil without such C.
  func lean(_ number: Int) throws -> Duration?
}

extension Benchmark {
  static var aim: Aim? { nil }
  static var leanAim: Aim? { nil }
  static var history: Int { 10_000 }
  static var isOnline: Bool { false }
  static var bystanders: [String] { [] }
  func follow() async {}
  func prepare(_ number: Int) async throws {}
  func lean(_ number: Int) throws -> Duration? { nil }
}

/// Something with a backend, a pace or a rival of its own, which a pair of samples cannot show.
@MainActor protocol Trial {
  static var name: String { get }
  static func run(on bench: Workbench) async throws -> Findings
}

/// They take longer than everything else together.
@MainActor let namedTrials: [any Trial.Type] = [
  ShortQueueTrial.self, WideQueueTrial.self, MillionTrial.self,
]

/// What a part of the run found.
struct Findings {
  var outcomes: [Outcome] = []
  var growth: [GrowthSeries] = []

  static func += (all: inout Findings, more: Findings) {
    all.outcomes += more.outcomes
    all.growth += more.growth
  }
}

@MainActor let allBenchmarks: [any Benchmark.Type] = [
  DraftSaveBenchmark.self, SendBenchmark.self, TapToRowBenchmark.self, ReceiptBenchmark.self,
  AppendBenchmark.self, AppendPageBenchmark.self, LastHundredBenchmark.self, LastHundredOfManyBenchmark.self,
  ColdOpenBenchmark.self,
]

@MainActor let allTrials: [any Trial.Type] = [
  TapTrial.self, ShortDrainTrial.self, DrainTrial.self, LongQueueTrial.self, StreamTrial.self,
  FirstSyncTrial.self, BulkTrial.self, StartTrial.self, MainActorTrial.self, EnergyTrial.self,
  HistoryGrowthTrial.self, QueueGrowthTrial.self,
]

/// What is typed in sample `number`: as long as messages between people are.
func typedText(_ number: Int) -> String {
  "Number \(number): the ferry leaves at ten, so bring the blue bag and meet us at the pier."
}
