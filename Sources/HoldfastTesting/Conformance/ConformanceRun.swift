import Foundation
import Holdfast
import HoldfastTransport
import Logging
import Synchronization

/// One run of a suite against a backend.
struct ConformanceRun: Sendable {
  let suite: TransportConformance
  let backend: any ConformanceBackend
  let folder: URL
  let progress: @Sendable (TransportConformance.Report.Entry) -> Void
  let beginning: @Sendable (TransportConformance.Case) -> Void

  /// The time without a step after which a case hangs. Each step takes at most the suite's patience, so a busy
  /// machine does not reach it.
  private var limit: Duration { max(.seconds(300), suite.patience * 10) }

  /// Runs the cases in a virtual world, on this thread.
  func run(on isInterrupted: @escaping @Sendable () -> Bool) throws -> TransportConformance.Report {
    let scheduler = SeededScheduler(seed: 1)
    let environment = Self.environment(on: scheduler)
    let running = Running()
    do {
      let result = try scheduler.run(jobLimit: .max, isInterrupted: isInterrupted) {
        () -> Result<TransportConformance.Report, any Error> in
        do { return .success(try await run(in: environment, running)) } catch { return .failure(error) }
      }
      return try result.get()
    } catch let stuck as SeededScheduler.Stuck {
      var report = running.report.withLock { $0 } ?? TransportConformance.Report(backend: backend.name)
      let name = running.name.withLock { $0 }
      report.entries.append(.init(name: name, rules: [], outcome: .failed(["\(stuck)"])))
      return report
    }
  }

  /// The running case and the report so far, in case the world gets stuck.
  final class Running: Sendable {
    let name = Mutex("start")
    let report = Mutex<TransportConformance.Report?>(nil)
  }

  func run(
    in environment: ChatEnvironment, _ running: Running = Running()
  ) async throws -> TransportConformance.Report {
    let start = environment.uptime()
    running.report.withLock { $0 = TransportConformance.Report(backend: backend.name) }
    try await backend.run {
      try await backend.start(in: environment)
      do {
        try await runCases(in: environment, running)
      } catch {
        try? await backend.kill()
        throw error
      }
      try await backend.kill()
    }
    var report = running.report.withLock { $0 } ?? TransportConformance.Report(backend: backend.name)
    report.duration = environment.uptime() - start
    return report
  }

  private func runCases(in environment: ChatEnvironment, _ running: Running) async throws {
    let account = try await backend.account("probe-\(environment.makeID())")
    let capabilities = try backend.transport(for: account).capabilities
    var failedInARow = 0
    for (number, next) in suite.cases.enumerated() {
      try Task.checkCancellation()
      running.name.withLock { $0 = next.name }
      let start = environment.uptime()
      let (outcome, audit) = await run(next, number, capabilities, environment)
      let entry = TransportConformance.Report.Entry(
        name: next.name, rules: next.rules, outcome: outcome,
        isOperationUnderFault: next.isOperationUnderFault, duration: environment.uptime() - start)
      running.report.withLock { report in
        report?.entries.append(entry)
        report?.lost += audit.lost
        report?.doubled += audit.doubled
        report?.reordered += audit.reordered
      }
      progress(entry)
      switch outcome {
      case .passed: failedInARow = 0
      case .skipped: break
      case .failed:
        failedInARow += 1
        guard failedInARow < suite.mostFailuresInARow else {
          running.report.withLock { $0?.leftOut = suite.cases.count - number - 1 }
          return
        }
        try await restart(in: environment)
      }
    }
  }

  /// Restarts the server after a failed case: a fault of a case that timed out may have struck after its end, and
  /// the server may have ended by itself.
  private func restart(in environment: ChatEnvironment) async throws {
    guard backend.faults.contains(.kill) else { return }
    try await backend.kill()
    try await backend.start(in: environment)
  }

  private func run(
    _ next: TransportConformance.Case, _ number: Int, _ capabilities: TransportCapabilities,
    _ environment: ChatEnvironment
  ) async -> (TransportConformance.Outcome, ConformanceAudit) {
    let absences = next.needs.compactMap { $0.absence(in: capabilities, backend.faults) }
    if let absence = absences.first { return (.skipped(absence), ConformanceAudit()) }
    beginning(next)
    let folder = folder.appendingPathComponent("case-\(number)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let stage = ConformanceStage(
      backend: backend, capabilities: capabilities, environment: environment, patience: suite.patience,
      folder: folder)
    return await withTaskGroup(of: Void.self) { group in
      // A task that ignores cancellation cannot be abandoned. On a virtual clock the scheduler notices it.
      if backend.time == .real {
        group.addTask {
          guard let step = try? await stage.hang(after: limit * 2) else { return }
          fatalError("'\(next.name)' hangs, and does not end when it is cancelled. It was \(step).")
        }
      }
      defer { group.cancelAll() }
      return await perform(next, on: stage)
    }
  }

  private func perform(
    _ next: TransportConformance.Case, on stage: ConformanceStage
  ) async -> (TransportConformance.Outcome, ConformanceAudit) {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await stage.host() }
      defer { group.cancelAll() }
      var sentences: [String] = []
      do {
        try await untilItHangs(stage) {
          try await next.body(stage)
          try await stage.reachQuiescence()
        }
      } catch let skip as ConformanceSkip {
        return (.skipped(skip.reason), ConformanceAudit())
      } catch let failure as ConformanceFailure {
        sentences.append(failure.sentence)
      } catch {
        sentences.append("\(error)")
      }
      var audit = ConformanceAudit()
      do {
        audit = try await untilItHangs(stage) {
          // After a failed case, the next one needs a running server without faults.
          stage.step("ending the faults")
          try? await backend.behave()
          return await stage.audit()
        }
      } catch {
        sentences.append((error as? ConformanceFailure)?.sentence ?? "\(error)")
      }
      sentences += audit.sentences
      return (sentences.isEmpty ? .passed : .failed(sentences), audit)
    }
  }

  /// Runs a part of a case, and cancels it when it hangs.
  private func untilItHangs<Value: Sendable>(
    _ stage: ConformanceStage, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await body() }
      group.addTask {
        let step = try await stage.hang(after: limit)
        throw ConformanceFailure(
          "It hangs: nothing happened for \(Int(limit / .seconds(1))) s. It was \(step).")
      }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  }

  /// The virtual clock, with sequential IDs.
  private static func environment(on scheduler: SeededScheduler) -> ChatEnvironment {
    let ids = Counter()
    var environment = ChatEnvironment(
      executor: SeededSerialExecutor(scheduler: scheduler),
      logger: Logger(label: "conformance") { _ in SwiftLogNoOpLogHandler() })
    environment.uptime = { scheduler.now }
    environment.sleep = { try await scheduler.sleep(until: $0) }
    // The world begins on 1 January 2026.
    environment.now = { Date(timeIntervalSince1970: 1_767_225_600 + scheduler.now / .seconds(1)) }
    environment.random = { scheduler.draw { $0.unit() } }
    environment.makeID = { "id-\(ids.next())" }
    return environment
  }
}

/// Counts from 1.
private final class Counter: Sendable {
  private let count = Atomic(0)
  func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}
