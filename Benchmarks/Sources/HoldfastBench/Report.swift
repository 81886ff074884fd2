import CRawSQLite
import Foundation

/// Everything that was found, and where.
struct Report: Codable {
  var folder: String
  var fileSystem: String
  var sqlite: String
  var outcomes: [Outcome]
  var growth: [GrowthSeries]

  init(folder: URL, fileSystem: String, findings: Findings) {
    self.folder = folder.path
    self.fileSystem = fileSystem
    sqlite = String(cString: raw_sqlite_version())
    outcomes = findings.outcomes
    growth = findings.growth
  }

  init(json file: URL) throws {
    do {
      self = try JSONDecoder().decode(Report.self, from: Data(contentsOf: file))
    } catch {
      throw BenchmarkFailure("\(file.path) is not what --json printed: \(error)")
    }
  }

  /// Whether each ratio compares the same statements.
  var isComparable: Bool { outcomes.allSatisfy { $0.statements?.isSame ?? true } }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  /// At most 100 columns wide.
  func text() -> String {
    var lines = [
      "Engine and C with the same statements, in turn, on \(fileSystem) with SQLite \(sqlite).",
      "Journal WAL, synchronous FULL, secure_delete ON.", "",
    ]
    if !outcomes.isEmpty {
      let head = ["", "unit", "n", "p50", "p99", "C p50", "C p99", "engine/C", "aim", ""]
      lines += TextTable(rows: [head] + outcomes.map(cells)).lines + [""]
      var told: Set<String> = []
      for outcome in outcomes { lines += notes(outcome, isTold: !told.insert(outcome.summary).inserted) }
    }
    for series in growth { lines += table(series) }
    return lines.joined(separator: "\n")
  }

  private func cells(_ outcome: Outcome) -> [String] {
    let places = outcome.unit == "ms" ? 3 : 2
    let figures = [outcome.engine.p50, outcome.engine.p99, outcome.raw?.p50, outcome.raw?.p99].map { figure in
      figure.map { decimal($0, places) } ?? "-"
    }
    let aim = outcome.aim.map { aim in
      let limit = decimal(aim.limit, aim.limit == aim.limit.rounded() ? 0 : 1)
      return switch aim.measure {
      case .ratio: "\(limit) x C"
      case .value: "\(limit) \(outcome.unit)"
      case .tail: "p99 \(limit) \(outcome.unit)"
      }
    }
    return [outcome.name, outcome.unit, "\(outcome.samples)"] + figures
      + [
        outcome.ratio.map { decimal($0, 2) } ?? "-", aim ?? "-",
        outcome.meetsAim.map { $0 ? "meets" : "MISSES" } ?? "",
      ]
  }

  /// - Parameter isTold: an outcome above has the same summary.
  private func notes(_ outcome: Outcome, isTold: Bool) -> [String] {
    let name = outcome.name.trimmingCharacters(in: .whitespaces)
    guard let check = outcome.statements, !check.isSame else {
      return isTold ? [] : TextTable.wrapped("\(name): \(outcome.summary).")
    }
    var lines = TextTable.wrapped("\(name): \(outcome.summary).")
    lines.append("  C does NOT run the engine's statements, so the ratio says nothing:")
    for change in check.raw.difference(from: check.engine).prefix(10) {
      switch change {
      case .remove(_, let sql, _): lines.append("    only the engine: \(sql)")
      case .insert(_, let sql, _): lines.append("    only C:          \(sql)")
      }
    }
    return lines
  }

  private func table(_ series: GrowthSeries) -> [String] {
    let head = [series.counted, "Holdfast", "C", "JSON, synced", "JSON, unsynced", "JSON, synced / Holdfast"]
    let rows = series.points.map { point in
      [grouped(point.count)]
        + [point.engine, point.raw, point.jsonSynced, point.json].map { decimal($0, 3) }
        + [decimal(point.jsonSynced / point.engine, 1)]
    }
    return ["", "What one \(series.name) costs as the \(series.counted) grows: milliseconds, p50.", ""]
      + TextTable(rows: [head] + rows).lines
  }

  private func decimal(_ value: Double, _ places: Int) -> String { String(format: "%.\(places)f", value) }
}

/// 10000 as 10,000, whatever the user's language.
func grouped(_ count: Int) -> String {
  count < 1_000 ? "\(count)" : grouped(count / 1_000) + String(format: ",%03d", count % 1_000)
}
