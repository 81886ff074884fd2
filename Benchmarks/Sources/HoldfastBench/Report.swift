import CRawSQLite
import Foundation

/// What one benchmark found. Times are milliseconds.
struct Outcome: Codable {
  var name: String
  var summary: String
  var samples: Int
  var engine: Summary
  var raw: Summary
  /// What the engine promises for its median.
  var requirement: Double?
  var statements: StatementCheck

  /// How many times as long as C the engine takes.
  var ratio: Double { engine.p50 / raw.p50 }
}

/// Everything that was found, and where.
struct Report: Codable {
  var folder: String
  var fileSystem: String
  var sqlite: String
  var outcomes: [Outcome]

  init(folder: URL, fileSystem: String, outcomes: [Outcome]) {
    self.folder = folder.path
    self.fileSystem = fileSystem
    sqlite = String(cString: raw_sqlite_version())
    self.outcomes = outcomes
  }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  func text() -> String {
    var lines = [
      "Engine and C with the same statements, in turn, on \(fileSystem) with SQLite \(sqlite).",
      "Journal WAL, synchronous FULL, secure_delete ON. Milliseconds.", "",
    ]
    lines += table(
      [["", "samples", "engine p50", "p95", "p99", "C p50", "p95", "p99", "engine / C"]] + outcomes.map(cells)
    )
    lines.append("")
    for outcome in outcomes { lines += notes(outcome) }
    return lines.joined(separator: "\n")
  }

  private func cells(_ outcome: Outcome) -> [String] {
    let (engine, raw) = (outcome.engine, outcome.raw)
    let times = [engine.p50, engine.p95, engine.p99, raw.p50, raw.p95, raw.p99].map { decimal($0, 3) }
    return [outcome.name, "\(outcome.samples)"] + times + [decimal(outcome.ratio, 2)]
  }

  private func notes(_ outcome: Outcome) -> [String] {
    var lines = ["\(outcome.name): \(outcome.summary)."]
    if let requirement = outcome.requirement {
      let verdict = outcome.engine.p50 < requirement ? "met" : "NOT met"
      lines.append("  Required: p50 under \(decimal(requirement, 1)) ms: \(verdict).")
    }
    let check = outcome.statements
    if check.isSame {
      lines.append("  C runs the engine's \(check.engine.count) statements.")
    } else {
      lines.append("  C does NOT run the engine's statements, so the ratio says nothing:")
      for change in check.raw.difference(from: check.engine) {
        switch change {
        case .remove(_, let sql, _): lines.append("    only the engine: \(sql)")
        case .insert(_, let sql, _): lines.append("    only C:          \(sql)")
        }
      }
    }
    return lines
  }

  /// The first column to the left, the others to the right.
  private func table(_ rows: [[String]]) -> [String] {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return column == 0 ? row[column] + space : space + row[column]
      }.joined(separator: "  ")
    }
  }

  private func decimal(_ value: Double, _ places: Int) -> String { String(format: "%.\(places)f", value) }
}
