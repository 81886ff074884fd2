import Foundation

/// A chart of costs by a count. Both axes are in powers of ten: a line that stays level costs the same whatever the count, and
/// one that rises with the count costs as much as the count.
struct Chart {
  struct Line {
    /// A class of the style sheet.
    var look: String
    var label: String
    var values: [Double]
  }

  let title: String
  /// The line below the title: the quantities on the two axes.
  let note: String
  let footnote: String
  let unit: String
  let counts: [Int]
  let lines: [Line]

  private static let (width, height) = (840.0, 470.0)
  private static let (left, right, top, bottom) = (100.0, 236.0, 92.0, 72.0)

  /// The values at the ends of the vertical axis.
  private var ends: ClosedRange<Double> {
    let all = lines.flatMap(\.values)
    let (least, most) = (log10(all.min() ?? 1).rounded(.down), log10(all.max() ?? 1).rounded(.up))
    return pow(10, least)...pow(10, max(most, least + 1))
  }

  func svg() -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(Self.width))" height="\(Int(Self.height))" \
    viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" \
    font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" role="img" aria-label="\(title)">
    <style>
    \(Self.style)
    </style>
    <rect class="card" x="0.5" y="0.5" width="\(Self.width - 1)" height="\(Self.height - 1)" rx="12"/>
    <text class="title" x="28" y="40">\(title)</text>
    <text class="note" x="28" y="64">\(note)</text>
    \((grid() + drawn()).joined(separator: "\n"))
    <text class="note small" x="28" y="\(Int(Self.height - 20))">\(footnote)</text>
    </svg>

    """
  }

  private static let style = """
    .card { fill: #ffffff; stroke: #d8dee4 }
    .title { fill: #1f2328; font-size: 20px; font-weight: 600 }
    .note, .tick { fill: #59636e; font-size: 14px }
    .small { font-size: 12px }
    .grid { stroke: #d8dee4; stroke-width: 1 }
    .line { fill: none; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round }
    .label { font-size: 14px; font-weight: 600 }
    .holdfast { --ink: #0b62c4 }
    .raw { --ink: #59636e }
    .json { --ink: #b8470b }
    .holdfast .line { stroke-width: 4 }
    .unsynced .line { stroke-dasharray: 2 6 }
    .line { stroke: var(--ink) }
    .label, .dot { fill: var(--ink) }
    @media (prefers-color-scheme: dark) {
      .card { fill: #0d1117; stroke: #3d444d }
      .title { fill: #f0f6fc }
      .note, .tick { fill: #9198a1 }
      .grid { stroke: #2a313c }
      .holdfast { --ink: #58a6ff }
      .raw { --ink: #9198a1 }
      .json { --ink: #f0883e }
    }
    """

  // MARK: - Axes

  private func x(_ count: Int) -> Double {
    let ends = (log10(Double(counts[0])), log10(Double(counts.last ?? 1)))
    let share = (log10(Double(count)) - ends.0) / (ends.1 - ends.0)
    return Self.left + share * (Self.width - Self.left - Self.right)
  }

  private func y(_ value: Double) -> Double {
    let (low, high) = (log10(ends.lowerBound), log10(ends.upperBound))
    let share = (log10(value) - low) / (high - low)
    return Self.height - Self.bottom - share * (Self.height - Self.top - Self.bottom)
  }

  private func grid() -> [String] {
    let end = Self.width - Self.right
    var parts: [String] = []
    var value = ends.lowerBound
    while value <= ends.upperBound * 1.01 {
      let height = place(y(value))
      let amount = value < 1 ? String(format: "%g", value) : grouped(Int(value.rounded()))
      parts.append(
        #"<line class="grid" x1="\#(place(Self.left))" y1="\#(height)" x2="\#(place(end))" y2="\#(height)"/>"#
      )
      parts.append(
        #"<text class="tick" x="\#(place(Self.left - 12))" y="\#(place(y(value) + 5))" text-anchor="end">\#(amount) \#(unit)</text>"#
      )
      value *= 10
    }
    for count in counts {
      parts.append(
        #"<text class="tick" x="\#(place(x(count)))" y="\#(place(Self.height - Self.bottom + 24))" text-anchor="middle">\#(grouped(count))</text>"#
      )
    }
    return parts
  }

  // MARK: - Lines

  private func drawn() -> [String] {
    let heights = labelHeights()
    return lines.enumerated().map { index, line in
      let places = zip(counts, line.values).map { (x($0), y($1)) }
      let path = places.map { "\(place($0.0)),\(place($0.1))" }.joined(separator: " ")
      let dots = places.map { #"<circle class="dot" cx="\#(place($0.0))" cy="\#(place($0.1))" r="3.5"/>"# }
      let value = line.values.last.map(amount) ?? ""
      return """
        <g class="\(line.look)"><polyline class="line" points="\(path)"/>\(dots.joined())\
        <text class="label" x="\(place(Self.width - Self.right + 14))" y="\(place(heights[index] + 5))">\
        \(line.label), \(value)</text></g>
        """
    }
  }

  /// Beside the end of each line, and far enough from the next one to be read.
  private func labelHeights() -> [Double] {
    var heights = lines.map { y($0.values.last ?? 1) }
    let order = heights.indices.sorted { heights[$0] < heights[$1] }
    for (upper, lower) in zip(order, order.dropFirst()) {
      heights[lower] = max(heights[lower], heights[upper] + 20)
    }
    return heights
  }

  private func amount(_ value: Double) -> String {
    let digits = value >= 10 ? 0 : value >= 1 ? 1 : 2
    let number = value >= 100 ? grouped(Int(value.rounded())) : String(format: "%.\(digits)f", value)
    return "\(number) \(unit)"
  }

  private func place(_ value: Double) -> String { String(format: "%.1f", value) }
}

// MARK: - What is drawn

extension Report {
  /// The chart of the cost of saving one message, by the length of the history.
  @MainActor func costChart() throws -> Chart {
    guard let series = growth.first(where: { $0.name == HistoryGrowthTrial.seriesName }),
      series.points.count > 1
    else { throw BenchmarkFailure("There is no '\(HistoryGrowthTrial.name)' in these results: measure it.") }
    let points = series.points
    return Chart(
      title: "What it costs to save one more message",
      note: "Milliseconds for each message, by the number of messages stored before it",
      footnote: "\(place) On disk when the call returns, but for the dashed line.", unit: "ms",
      counts: points.map(\.count),
      lines: [
        .init(look: "json", label: "JSON file, synced", values: points.map(\.jsonSynced)),
        .init(look: "json unsynced", label: "JSON file, not synced", values: points.map(\.json)),
        .init(look: "holdfast", label: "Holdfast", values: points.map(\.engine)),
        .init(look: "raw", label: "SQLite in C", values: points.map(\.raw)),
      ])
  }

  /// The chart of the cost of a conversation on the screen, by the number of loaded rows.
  @MainActor func screenChart() throws -> Chart {
    func line(_ event: String, _ look: String, _ label: String) throws -> Chart.Line {
      let values = try MainActorTrial.loaded.map { rows in
        let name = MainActorTrial.name(of: event, rows: rows)
        guard let outcome = outcomes.first(where: { $0.name == name }) else {
          throw BenchmarkFailure("There is no '\(MainActorTrial.name)' in these results: measure it.")
        }
        // On a line of its own below the others, and not below the chart.
        return max(outcome.engine.p50 / 1_000, 0.001)
      }
      return .init(look: look, label: label, values: values)
    }
    return try Chart(
      title: "What the screen costs while a conversation goes on",
      note: "Milliseconds of processor time for each event, by the rows that are loaded",
      footnote: place, unit: "ms", counts: MainActorTrial.loaded,
      lines: [
        line("rows in JSON", "json", "JSON file, written"),
        line("rows read again", "raw", "All rows read"),
        line("message", "holdfast", "A message"),
        line("token", "holdfast", "A token"),
      ])
  }

  private var place: String { "Medians of one run on \(fileSystem) with SQLite \(sqlite)." }
}
