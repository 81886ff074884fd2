/// The times of all that are measured in turn for one benchmark.
struct Turns {
  enum Measured: CaseIterable {
    case engine
    /// C with the engine's statements.
    case raw
    /// C with a schema of its own.
    case lean
  }

  private var samples: [Measured: Samples] = [:]

  /// Whose turn it is in sample `number`, first to last. The six orders follow each other, so that nobody is always
  /// behind the same one.
  static func order(_ number: Int) -> [Measured] {
    let first = number % 3
    let rotated = Measured.allCases[first...] + Measured.allCases[..<first]
    return number.isMultiple(of: 2) ? Array(rotated) : rotated.reversed()
  }

  mutating func append(_ time: Duration, of measured: Measured) {
    samples[measured, default: Samples()].append(time)
  }

  @MainActor func outcome(
    of type: any Benchmark.Type, named name: String, statements: StatementCheck?
  ) -> Outcome {
    Outcome(
      name: name, summary: type.summary, engine: samples[.engine] ?? Samples(), raw: samples[.raw],
      lean: samples[.lean], aim: type.aim, leanAim: type.leanAim, statements: statements)
  }
}
