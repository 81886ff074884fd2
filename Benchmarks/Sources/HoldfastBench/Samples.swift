/// The times of one thing that was done many times.
struct Samples {
  private var times: [Duration] = []

  mutating func append(_ time: Duration) { times.append(time) }

  var count: Int { times.count }

  /// The time that `share` of the samples stay below.
  func percentile(_ share: Double) -> Duration {
    let sorted = times.sorted()
    guard !sorted.isEmpty else { return .zero }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }

  var summary: Summary {
    Summary(
      p50: percentile(0.5).milliseconds, p95: percentile(0.95).milliseconds,
      p99: percentile(0.99).milliseconds)
  }
}

/// In milliseconds.
struct Summary: Codable {
  var p50: Double
  var p95: Double
  var p99: Double
}

extension Duration {
  var milliseconds: Double { self / .milliseconds(1) }
}
