import Foundation

/// What was measured, for people and for programs. Medians, because machines are noisy; the 95th percentile
/// says how noisy.
enum Table {
  static func text(_ results: [Measurement], count: Int, on folder: URL) -> String {
    var lines = [
      "\(count) of each; microseconds; on \(folder.deletingLastPathComponent().path)",
      "",
      row("intent", "engine p50", "p95", "C p50", "p95", "ratio p50"),
    ]
    for result in results {
      let (engine, raw) = (Quantiles(result.engine), Quantiles(result.raw))
      lines.append(
        row(
          result.name, number(engine.p50), number(engine.p95), number(raw.p50), number(raw.p95),
          ratio(engine.p50 / raw.p50)))
    }
    lines.append("")
    lines += results.map { "\($0.name): \($0.what)" }
    return lines.joined(separator: "\n")
  }

  static func json(_ results: [Measurement]) throws -> String {
    struct Entry: Encodable {
      var name: String
      var engine, raw: Quantiles
      var ratio: Double
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let entries = results.map { result in
      let (engine, raw) = (Quantiles(result.engine), Quantiles(result.raw))
      return Entry(name: result.name, engine: engine, raw: raw, ratio: engine.p50 / raw.p50)
    }
    return String(decoding: try encoder.encode(entries), as: UTF8.self)
  }

  private static func row(_ cells: String...) -> String {
    cells.enumerated().map { index, cell in
      let width = index == 0 ? 14 : 12
      let padding = String(repeating: " ", count: max(0, width - cell.count))
      return index == 0 ? cell + padding : padding + cell
    }.joined()
  }

  private static func number(_ value: Double) -> String { "\(Int(value.rounded()))" }
  private static func ratio(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}

struct Quantiles: Encodable {
  var p50, p95, p99: Double

  init(_ samples: [Double]) {
    let sorted = samples.sorted()
    func at(_ part: Double) -> Double { sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))] }
    (p50, p95, p99) = (at(0.5), at(0.95), at(0.99))
  }
}
