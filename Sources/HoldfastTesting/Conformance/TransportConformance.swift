import Dispatch
import Foundation
import Holdfast
import Logging
import Synchronization

/// The suite that every transport passes: the real client, with a store for each phone, over the transport and a
/// server, with faults. All results are counted by the server's own record (rule B12).
///
/// ```swift
/// @Test func `the forum's transport keeps the promises`() async throws {
///   let report = try await TransportConformance().run(on: ForumBackend()) { _ in } beginning: { print($0.name) }
///   #expect(report.isPassed, "\(report)")
///   #expect((report.lost, report.doubled, report.reordered) == (0, 0, 0))
///   print(report.summary)                    // forum: 66 cases passed (42 operations under faults), …
///   for (name, reason) in report.skipped { print("skipped:", name, reason) }
/// }
/// ```
///
/// ``ConformanceBackend`` describes how to write a backend. Each case has accounts, phones and a conversation of its
/// own, so cases run one after the other on one server. A case that needs a fault that the backend cannot make, or a
/// capability that the transport does not declare, is skipped and listed.
///
/// A suite takes one to four minutes against a server on this machine. On a virtual clock it takes a few seconds. A
/// case without a step for five minutes hangs: it fails with the name of its last step, and the next one begins. If
/// the transport or the backend ignores cancellation, the process ends after five more minutes, with the name of the
/// case.
///
/// A failed case does not affect the next one: the server is killed and restarted, if the backend can. After ten
/// consecutive failures, the remaining cases are left out, and ``Report/leftOut`` counts them.
public struct TransportConformance: Sendable {
  /// The cases, in the order in which they run.
  public var cases: [Case]
  /// The longest time that any step may take by the clock of the cases: a delivery, a connection, a fault.
  public var patience: Duration
  /// The number of consecutive failures after which the rest is left out: each failure may take the patience.
  let mostFailuresInARow = 10

  /// A suite of these cases.
  public init(cases: [Case] = TransportConformance.allCases, patience: Duration = .seconds(30)) {
    self.cases = cases
    self.patience = patience
  }

  /// Runs the cases. The server is started first, and killed at the end.
  ///
  /// - Parameter backend: the server, and a transport for each account of it.
  /// - Parameter progress: called after each case.
  /// - Parameter beginning: called before each case that is not skipped.
  /// - Throws: the backend's error when the server does not start, or no account can be made; `CancellationError`. A
  ///   case that fails throws nothing.
  public func run(
    on backend: any ConformanceBackend,
    progress: @escaping @Sendable (Report.Entry) -> Void = { _ in },
    beginning: @escaping @Sendable (Case) -> Void = { _ in }
  ) async throws -> Report {
    let folder = try Self.makeScratchFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = ConformanceRun(
      suite: self, backend: backend, folder: folder, progress: progress, beginning: beginning)
    switch backend.time {
    case .real:
      var environment = ChatEnvironment()
      environment.logger = Logger(label: "conformance") { _ in SwiftLogNoOpLogHandler() }
      return try await run.run(in: environment)
    case .virtual: return try await Self.virtually { try run.run(on: $0) }
    }
  }

  /// Runs a virtual world on its own thread, because it blocks the thread until it has ended.
  private static func virtually(
    _ body: @escaping @Sendable (_ isInterrupted: @escaping @Sendable () -> Bool) throws -> Report
  ) async throws -> Report {
    let isInterrupted = InterruptionFlag()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "conformance").async {
          continuation.resume(with: Result { try body { isInterrupted.value } })
        }
      }
    } onCancel: {
      isInterrupted.raise()
    }
  }

  /// Makes a folder in memory if there is a memory file system: no device of a case loses its power.
  package static func makeScratchFolder() throws -> URL {
    let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
    let place =
      FileManager.default.fileExists(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
    let folder = place.appendingPathComponent("holdfast-conformance-\(ChatEnvironment().makeID())")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder
  }
}

/// Whether a run should end early.
private final class InterruptionFlag: Sendable {
  private let flag = Atomic(false)
  var value: Bool { flag.load(ordering: .relaxed) }
  func raise() { flag.store(true, ordering: .relaxed) }
}
