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

  /// At most 100 columns wide, but for the table where the engine is beside both kinds of C.
  func text() -> String {
    var lines = [
      "Engine and C with the same statements, in turn, on \(fileSystem) with SQLite \(sqlite).",
      "Journal WAL, synchronous FULL, secure_delete ON.",
    ]
    if hasLean {
      lines.append("Lean: C that keeps the same promises with a schema of its own, in turn with both.")
    }
    lines.append("")
    if !outcomes.isEmpty {
      lines += TextTable(rows: [head] + outcomes.map(cells)).lines + [""]
      var seen: Set<String> = []
      for outcome in outcomes { lines += notes(outcome, isRepeated: !seen.insert(outcome.summary).inserted) }
    }
    for series in growth { lines += table(series) }
    return lines.joined(separator: "\n")
  }

  private var hasLean: Bool { outcomes.contains { $0.lean != nil } }

  private var head: [String] {
    ["", "unit", "n", "p50", "p99", "C p50", "C p99", "engine/C", "aim", ""]
      + (hasLean ? ["lean p50", "lean p99", "engine/lean", "aim", ""] : [])
  }

  private func cells(_ outcome: Outcome) -> [String] {
    let unit = outcome.unit
    return [outcome.name, unit, "\(outcome.samples)"] + figures(outcome.engine, unit)
      + figures(outcome.raw, unit) + judged(outcome.ratio, outcome.aim, outcome.meetsAim, unit)
      + (hasLean
        ? figures(outcome.lean, unit)
          + judged(outcome.leanRatio, outcome.leanAim, outcome.meetsLeanAim, unit) : [])
  }

  private func figures(_ summary: Summary?, _ unit: String) -> [String] {
    [summary?.p50, summary?.p99].map { $0.map { decimal($0, unit == "ms" ? 3 : 2) } ?? "-" }
  }

  /// A ratio, an aim, and whether it is met.
  private func judged(_ ratio: Double?, _ aim: Aim?, _ isMet: Bool?, _ unit: String) -> [String] {
    [
      ratio.map { decimal($0, 2) } ?? "-", aim.map { words($0, unit) } ?? "-",
      isMet.map { $0 ? "meets" : "MISSES" } ?? "",
    ]
  }

  private func words(_ aim: Aim, _ unit: String) -> String {
    let limit = decimal(aim.limit, aim.limit == aim.limit.rounded() ? 0 : 1)
    return switch aim.measure {
    case .ratio: "\(limit) x C"
    case .leanRatio: "\(limit) x lean"
    case .value: "\(limit) \(unit)"
    case .tail: "p99 \(limit) \(unit)"
    }
  }

  /// - Parameter isRepeated: an outcome above has the same summary.
  private func notes(_ outcome: Outcome, isRepeated: Bool) -> [String] {
    let name = outcome.name.trimmingCharacters(in: .whitespaces)
    guard let check = outcome.statements, !check.isSame else {
      return isRepeated ? [] : TextTable.wrapped("\(name): \(outcome.summary).")
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
