import Foundation

/// What the project set itself for a figure.
struct Aim: Codable {
  enum Measure: String, Codable {
    /// The engine's median, as many times C's.
    case ratio
    /// The median itself.
    case value
    /// The 99th percentile, for a limit that a user may count on.
    case tail
  }
  var measure: Measure
  /// The most that meets it.
  var limit: Double

  static func ratio(_ limit: Double) -> Aim { Aim(measure: .ratio, limit: limit) }
  static func value(_ limit: Double) -> Aim { Aim(measure: .value, limit: limit) }
  static func tail(_ limit: Double) -> Aim { Aim(measure: .tail, limit: limit) }
}

/// What one benchmark found.
struct Outcome: Codable {
  var name: String
  var summary: String
  /// Of `engine`, `raw` and an aim for the value.
  var unit = "ms"
  var samples: Int
  var engine: Summary
  /// Nil where C has nothing to compare.
  var raw: Summary?
  /// How many times as much as C the engine takes.
  var ratio: Double?
  var aim: Aim?
  var meetsAim: Bool?
  var statements: StatementCheck?

  init(
    name: String, summary: String, unit: String = "ms", engine: Samples, raw: Samples? = nil,
    aim: Aim? = nil, statements: StatementCheck? = nil
  ) {
    self.name = name
    self.summary = summary
    self.unit = unit
    samples = engine.count
    self.engine = engine.summary
    self.raw = raw?.summary
    self.aim = aim
    self.statements = statements
    let ratio = raw.map { engine.summary.p50 / $0.summary.p50 }
    self.ratio = ratio
    meetsAim = aim.flatMap { aim in
      let figure =
        switch aim.measure {
        case .ratio: ratio
        case .value: engine.summary.p50
        case .tail: engine.summary.p99
        }
      // As it is printed: a figure that reads like the limit meets it.
      return figure.map { ($0 * 100).rounded() / 100 <= aim.limit }
    }
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
