import Foundation

/// Draws how the cost of saving one message grows with the history: both axes in powers of ten, so that a line
/// that stays level costs the same for ever, and one that rises with the history costs as much as the history.
@MainActor struct CostPicture {
  private struct Line {
    /// A class of the style sheet.
    var look: String
    var label: String
    var values: [Double]
  }

  private let series: GrowthSeries
  private let footnote: String
  private let lines: [Line]
  private let milliseconds: ClosedRange<Double>

  private static let (width, height) = (840.0, 470.0)
  private static let (left, right, top, bottom) = (100.0, 236.0, 92.0, 72.0)

  init(_ report: Report) throws {
    guard let series = report.growth.first(where: { $0.name == HistoryGrowthTrial.seriesName }),
      series.points.count > 1
    else { throw BenchmarkFailure("There is no '\(HistoryGrowthTrial.name)' in these results: measure it.") }
    self.series = series
    footnote =
      "Medians of one run on \(report.fileSystem) with SQLite \(report.sqlite). "
      + "On disk when the call returns, but for the dashed line."
    let points = series.points
    lines = [
      Line(look: "json", label: "JSON file, synced", values: points.map(\.jsonSynced)),
      Line(look: "json unsynced", label: "JSON file, not synced", values: points.map(\.json)),
      Line(look: "holdfast", label: "Holdfast", values: points.map(\.engine)),
      Line(look: "raw", label: "SQLite in C", values: points.map(\.raw)),
    ]
    let all = lines.flatMap(\.values)
    let (least, most) = (log10(all.min() ?? 1).rounded(.down), log10(all.max() ?? 1).rounded(.up))
    milliseconds = pow(10, least)...pow(10, max(most, least + 1))
  }

  func svg() -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" \
    font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" role="img" aria-label="\(title)">
    <style>
    \(Self.style)
    </style>
    <rect class="card" x="0.5" y="0.5" width="\(Self.width - 1)" height="\(Self.height - 1)" rx="12"/>
    <text class="title" x="28" y="40">\(title)</text>
    <text class="note" x="28" y="64">Milliseconds for each message, by the number of messages stored before it</text>
    \((grid() + drawn()).joined(separator: "\n"))
    <text class="note small" x="28" y="\(Int(Self.height - 20))">\(footnote)</text>
    </svg>

    """
  }

  private var title: String { "What it costs to save one more message" }

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
    let ends = (log10(Double(series.points[0].count)), log10(Double(series.points.last?.count ?? 1)))
    let share = (log10(Double(count)) - ends.0) / (ends.1 - ends.0)
    return Self.left + share * (Self.width - Self.left - Self.right)
  }

  private func y(_ value: Double) -> Double {
    let ends = (log10(milliseconds.lowerBound), log10(milliseconds.upperBound))
    let share = (log10(value) - ends.0) / (ends.1 - ends.0)
    return Self.height - Self.bottom - share * (Self.height - Self.top - Self.bottom)
  }

  private func grid() -> [String] {
    let end = Self.width - Self.right
    var parts: [String] = []
    var value = milliseconds.lowerBound
    while value <= milliseconds.upperBound * 1.01 {
      let height = place(y(value))
      let amount = value < 1 ? String(format: "%g", value) : grouped(Int(value.rounded()))
      parts.append(
        #"<line class="grid" x1="\#(place(Self.left))" y1="\#(height)" x2="\#(place(end))" y2="\#(height)"/>"#
      )
      parts.append(
        #"<text class="tick" x="\#(place(Self.left - 12))" y="\#(place(y(value) + 5))" text-anchor="end">\#(amount) ms</text>"#
      )
      value *= 10
    }
    for point in series.points {
      parts.append(
        #"<text class="tick" x="\#(place(x(point.count)))" y="\#(place(Self.height - Self.bottom + 24))" text-anchor="middle">\#(grouped(point.count))</text>"#
      )
    }
    return parts
  }

  // MARK: - Lines

  private func drawn() -> [String] {
    let heights = labelHeights()
    return lines.enumerated().map { index, line in
      let places = zip(series.points, line.values).map { (x($0.count), y($1)) }
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
    value >= 100
      ? "\(grouped(Int(value.rounded()))) ms" : String(format: value >= 10 ? "%.0f ms" : "%.2f ms", value)
  }

  private func place(_ value: Double) -> String { String(format: "%.1f", value) }
}
