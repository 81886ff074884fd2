/// The figures of one thing that was done many times.
struct Samples {
  private var values: [Double] = []

  mutating func append(_ time: Duration) { values.append(time.milliseconds) }
  mutating func append(_ value: Double) { values.append(value) }

  var count: Int { values.count }

  /// The value that `share` of the samples stay below. 0 when there are none.
  func percentile(_ share: Double) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }

  var summary: Summary { Summary(p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99)) }
}

/// In the unit of the samples.
struct Summary: Codable {
  var p50: Double
  var p95: Double
  var p99: Double
}

extension Duration {
  var milliseconds: Double { self / .milliseconds(1) }
}
