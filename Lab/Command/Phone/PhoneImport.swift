import Foundation
import Holdfast
import HoldfastRelay
import HoldfastRescue
import Observation
import Synchronization

/// Imports another app's data into the phone (rules H9, H10): one file at a time, while the app stays usable.
@MainActor @Observable final class PhoneImport {
  private struct Job: Sendable {
    var file: URL
    var name: String
    let isStopped = StopMark()
  }

  /// The import's progress or result, which covers the screen until it is closed. Nil when there is no import to
  /// show.
  private(set) var reading: ImportReading?
  @ObservationIgnored private var isStopped: StopMark?
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private let jobs: AsyncStream<Job>
  @ObservationIgnored private let willBring: AsyncStream<Job>.Continuation

  init(_ client: ChatClient) {
    self.client = client
    (jobs, willBring) = AsyncStream.makeStream()
  }

  /// Imports a file. The file belongs to this phone from now on, and is removed after it was read.
  func bring(_ file: URL, name: String) {
    // One import at a time, because it covers the screen.
    guard reading?.fraction == nil else { return Self.remove(file) }
    let job = Job(file: file, name: name)
    reading = ImportReading(name, fraction: 0)
    isStopped = job.isStopped
    willBring.yield(job)
  }

  /// Stops a running import; its result is then shown. Closes the result of an import that has ended.
  func close() {
    if reading?.fraction == nil { reading = nil } else { isStopped?.set() }
  }

  /// Imports the files from ``bring(_:name:)``, one after the other, until the task is cancelled.
  func run() async {
    for await job in jobs {
      let (steps, step) = AsyncStream.makeStream(of: Step.self, bufferingPolicy: .bufferingNewest(1))
      await withDiscardingTaskGroup { group in
        group.addTask { await Self.work(job, self.client, step) }
        for await step in steps { show(step, of: job) }
      }
    }
  }

  private enum Step: Sendable {
    case reached(Double)
    case ended(Result<ImportReport, any Error>)
  }

  /// Imports one file. The work blocks its thread for as long as the file takes, so it runs on no actor.
  @concurrent private nonisolated static func work(
    _ job: Job, _ client: ChatClient, _ step: AsyncStream<Step>.Continuation
  ) async {
    defer {
      step.finish()
      remove(job.file)
    }
    do {
      let report = try client.importHistory(from: job.file) { progress in
        if job.isStopped.isSet || Task.isCancelled { throw CancellationError() }
        step.yield(.reached(Double(progress.completed) / Double(max(progress.total, 1))))
      }
      step.yield(.ended(.success(report)))
    } catch {
      step.yield(.ended(.failure(error)))
    }
  }

  private nonisolated static func remove(_ file: URL) {
    do { try FileManager.default.removeItem(at: file) } catch {}
  }

  private func show(_ step: Step, of job: Job) {
    switch step {
    case .reached(let fraction): reading = ImportReading(job.name, fraction: fraction)
    case .ended(.success(let report)): reading = ImportReading(job.name, report)
    case .ended(.failure(let error as ChatError)): reading = ImportReading(job.name, error: error)
    // An error of another type means that the import was stopped.
    case .ended(.failure): reading = ImportReading(stopped: job.name)
    }
  }
}

/// A mark that the user has stopped the import. The thread that reads the file checks it.
private final class StopMark: Sendable {
  private let state = Mutex(false)

  var isSet: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
}
