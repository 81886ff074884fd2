import Foundation

/// Measures a benchmark: first whether engine and C run the same statements, then the times of all.
@MainActor struct Runner {
  let bench: Workbench

  /// The same over a store of its own. Whether the statements are the same is known already.
  ///
  /// - Parameter samples: at most so many.
  func run(
    _ type: any Benchmark.Type, named name: String, over store: URL, history: Int, samples: Int,
    isChecked: Bool
  ) async throws -> Outcome {
    var check: StatementCheck?
    if !isChecked {
      StatementCheck.install()
      check = try await onFreshRig(type, store, history) { try await StatementCheck.record($0) }
      StatementCheck.uninstall()
    }
    let turns = try await onFreshRig(type, store, history) { try await measure($0, atMost: samples) }
    return turns.outcome(of: type, named: name, statements: check)
  }

  /// The statements of both, for one sample.
  func check(_ type: any Benchmark.Type) async throws -> StatementCheck {
    StatementCheck.install()
    defer { StatementCheck.uninstall() }
    return try await onFreshRig(type) { try await StatementCheck.record($0) }
  }

  func run(_ type: any Benchmark.Type) async throws -> Outcome {
    let check = try await check(type)
    let turns = try await onFreshRig(type) { try await measure($0) }
    return turns.outcome(of: type, named: type.name, statements: check)
  }

  private func onFreshRig<Value>(
    _ type: any Benchmark.Type, _ store: URL? = nil, _ history: Int? = nil,
    _ body: @MainActor (any Benchmark) async throws -> Value
  ) async throws -> Value {
    try await bench.withRig(history: history ?? type.history, of: store, isOnline: type.isOnline) { rig in
      let benchmark = try type.init(rig)
      let following = Task { await benchmark.follow() }
      try await Task.sleep(for: .milliseconds(50))
      let result: Result<Value, any Error>
      do { result = .success(try await body(benchmark)) } catch { result = .failure(error) }
      following.cancel()
      await following.value
      return try result.get()
    }
  }

  /// The engine and both kinds of C in turn, so that the machine's noise is shared.
  private func measure(_ benchmark: some Benchmark, atMost limit: Int = .max) async throws -> Turns {
    let count = min(bench.samples ?? type(of: benchmark).samples, limit)
    let warmUp = min(200, count / 5 + 5)
    var turns = Turns()
    for number in 0..<(warmUp + count) {
      try await benchmark.prepare(number)
      // A tap meets an engine at rest: what the last keystroke woke has gone back to sleep.
      try await Task.sleep(for: .milliseconds(1))
      for measured in Turns.order(number) {
        let time: Duration? =
          switch measured {
          case .engine: try await benchmark.engine(number)
          case .raw: try benchmark.raw(number)
          case .lean: try benchmark.lean(number)
          }
        if number >= warmUp, let time { turns.append(time, of: measured) }
      }
    }
    return turns
  }
}

struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
