/// One thing that the engine does, beside the same thing in C. To add one: write a file with a type that
/// conforms, and put it into `allBenchmarks`.
///
/// Each sample is ``prepare(_:)``, which nobody times, and then ``engine(_:)`` and ``raw(_:)`` in turn.
@MainActor protocol Benchmark {
  static var name: String { get }
  /// From where to where it is timed: one line.
  static var summary: String { get }
  /// How many samples make the figures steady.
  static var samples: Int { get }
  /// What the engine promises for the median. Nil: nothing in particular.
  static var requirement: Duration? { get }

  init(_ rig: Rig) throws

  /// What runs beside it, as in an app, until the task is cancelled.
  func follow() async
  /// Brings the engine and C to the beginning of sample `number`.
  func prepare(_ number: Int) throws
  /// How long the engine takes.
  func engine(_ number: Int) async throws -> Duration
  /// How long C takes with the same statements.
  func raw(_ number: Int) throws -> Duration
}

extension Benchmark {
  static var requirement: Duration? { nil }
  func follow() async {}
  func prepare(_ number: Int) throws {}
}

@MainActor let allBenchmarks: [any Benchmark.Type] = [
  SendBenchmark.self, TapToRowBenchmark.self, DraftSaveBenchmark.self, LastHundredBenchmark.self,
]

/// What is typed in sample `number`: as long as messages between people are.
func typedText(_ number: Int) -> String {
  "Number \(number): the ferry leaves at ten, so bring the blue bag and meet us at the pier."
}
