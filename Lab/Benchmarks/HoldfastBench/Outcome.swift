import Foundation

/// What the project set itself for a figure.
struct Aim: Codable {
  enum Measure: String, Codable {
    /// The engine's median, as many times C's.
    case ratio
    /// The engine's median, as many times that of C with a schema of its own.
    case leanRatio
    /// The median itself.
    case value
    /// The 99th percentile, for a limit that a user may count on.
    case tail
  }
  var measure: Measure
  /// The most that meets it.
  var limit: Double

  static func ratio(_ limit: Double) -> Aim { Aim(measure: .ratio, limit: limit) }
  static func leanRatio(_ limit: Double) -> Aim { Aim(measure: .leanRatio, limit: limit) }
  static func value(_ limit: Double) -> Aim { Aim(measure: .value, limit: limit) }
  static func tail(_ limit: Double) -> Aim { Aim(measure: .tail, limit: limit) }
}

/// What one benchmark found.
struct Outcome: Codable {
  var name: String
  var summary: String
  /// Of `engine`, `raw`, `lean` and an aim for the value.
  var unit = "ms"
  var samples: Int
  var engine: Summary
  /// Nil where C has nothing to compare.
  var raw: Summary?
  /// How many times as much as C the engine takes.
  var ratio: Double?
  /// C that keeps the same promises with a schema of its own. Nil where there is no such C.
  var lean: Summary?
  /// How many times as much as that the engine takes.
  var leanRatio: Double?
  var aim: Aim?
  var meetsAim: Bool?
  /// A second aim, beside C with a schema of its own.
  var leanAim: Aim?
  var meetsLeanAim: Bool?
  var statements: StatementCheck?

  init(
    name: String, summary: String, unit: String = "ms", engine: Samples, raw: Samples? = nil,
    lean: Samples? = nil, aim: Aim? = nil, leanAim: Aim? = nil, statements: StatementCheck? = nil
  ) {
    self.name = name
    self.summary = summary
    self.unit = unit
    samples = engine.count
    self.engine = engine.summary
    self.raw = raw?.summary
    self.lean = lean?.summary
    self.aim = aim
    self.leanAim = leanAim
    self.statements = statements
    ratio = raw.map { engine.summary.p50 / $0.summary.p50 }
    leanRatio = lean.map { engine.summary.p50 / $0.summary.p50 }
    meetsAim = aim.flatMap(meets)
    meetsLeanAim = leanAim.flatMap(meets)
  }

  /// Whether the figures meet an aim. Nil where the figure that it is about is missing.
  private func meets(_ aim: Aim) -> Bool? {
    let figure =
      switch aim.measure {
      case .ratio: ratio
      case .leanRatio: leanRatio
      case .value: engine.p50
      case .tail: engine.p99
      }
    // As it is printed: a figure that reads like the limit meets it.
    return figure.map { ($0 * 100).rounded() / 100 <= aim.limit }
  }
}

/// How the cost of one thing grows with what is there already. Milliseconds, medians.
struct GrowthSeries: Codable {
  struct Point: Codable {
    /// How many there are already.
    var count: Int
    var engine: Double
    var raw: Double
    /// One file of JSON, rewritten as a whole, and on disk when the call returns.
    var jsonSynced: Double
    /// The same, left to the system to write: what is lost with the power is not known.
    var json: Double
  }
  var name: String
  /// What is counted.
  var counted: String
  var points: [Point]
}
