import Foundation

/// Runs benchmarks, each over fresh copies of one store.
@MainActor struct Runner {
  let folder: URL
  /// Nil: as many as each benchmark asks for.
  let samples: Int?

  private var template: URL { folder.appendingPathComponent("template") }

  func prepare() async throws { try await Rig.makeTemplate(in: template) }

  func run(_ type: any Benchmark.Type) async throws -> Outcome {
    StatementCheck.install()
    let check = try await onFreshRig(type) { try await StatementCheck.record($0) }
    StatementCheck.uninstall()
    let (engine, raw) = try await onFreshRig(type) { try await measure($0) }
    return Outcome(
      name: type.name, summary: type.summary, samples: engine.count, engine: engine.summary,
      raw: raw.summary, requirement: type.requirement?.milliseconds, statements: check)
  }

  private func onFreshRig<Value>(
    _ type: any Benchmark.Type, _ body: @MainActor (any Benchmark) async throws -> Value
  ) async throws -> Value {
    let place = folder.appendingPathComponent("rig")
    defer { try? FileManager.default.removeItem(at: place) }
    let rig = try Rig(copying: template, to: place)
    let benchmark = try type.init(rig)
    let client = rig.client
    let running = Task { await client.run() }
    let following = Task { await benchmark.follow() }
    // What runs beside it has begun to wait when the first sample comes.
    try await Task.sleep(for: .milliseconds(100))
    let result: Result<Value, any Error>
    do { result = .success(try await body(benchmark)) } catch { result = .failure(error) }
    running.cancel()
    following.cancel()
    await running.value
    await following.value
    return try result.get()
  }

  /// The engine and C in turn, so that the machine's noise is shared; who is first changes each time.
  private func measure(_ benchmark: some Benchmark) async throws -> (engine: Samples, raw: Samples) {
    let count = samples ?? type(of: benchmark).samples
    let warmUp = min(200, count / 5 + 5)
    var (engine, raw) = (Samples(), Samples())
    for number in 0..<(warmUp + count) {
      try benchmark.prepare(number)
      // A tap meets an engine at rest: what the last keystroke woke has gone back to sleep.
      try await Task.sleep(for: .milliseconds(1))
      var times: (engine: Duration, raw: Duration) = (.zero, .zero)
      if number.isMultiple(of: 2) {
        times.engine = try await benchmark.engine(number)
        times.raw = try benchmark.raw(number)
      } else {
        times.raw = try benchmark.raw(number)
        times.engine = try await benchmark.engine(number)
      }
      guard number >= warmUp else { continue }
      engine.append(times.engine)
      raw.append(times.raw)
    }
    return (engine, raw)
  }
}

struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
