import Holdfast

extension TransportConformance {
  /// The outcome of one case.
  public enum Outcome: Sendable, Hashable {
    /// Nothing was found.
    case passed
    /// The findings, in sentences.
    case failed([String])
    /// The reason why the case does not apply to this backend.
    case skipped(String)
  }

  /// The outcome of a suite, with the numbers of lost, duplicated and reordered messages by the server's own record.
  ///
  /// ```swift
  /// let report = try await TransportConformance().run(on: backend)
  /// #expect(report.isPassed, "\(report)")
  /// ```
  public struct Report: Sendable, CustomStringConvertible {
    /// One case with its outcome. Its description is a line with the outcome, the name, the rules and the time, and
    /// with the findings of a failed case.
    public struct Entry: Sendable, Hashable, CustomStringConvertible {
      /// The name of the case.
      public var name: String
      /// The rules of the engine that the case proves, as `docs/rules.md` numbers them.
      public var rules: [String]
      /// The result of the case.
      public var outcome: Outcome
      /// Whether the case is one operation under one fault, such as an edit whose response is lost.
      public var isOperationUnderFault = false
      /// The time that the case took, by the clock of the cases.
      public var duration: Duration = .zero

      public var description: String {
        let tenths = Int((duration / .milliseconds(100)).rounded())
        let facts = "\(name) (\((rules + ["\(tenths / 10).\(tenths % 10) s"]).joined(separator: ", ")))"
        return switch outcome {
        case .passed: "  passed   \(facts)"
        case .failed(let sentences): "  failed   \(facts): \(sentences.joined(separator: " "))"
        case .skipped(let reason): "  skipped  \(name): \(reason)"
        }
      }
    }

    /// The name of the backend.
    public var backend: String
    /// All cases, in the order in which they ran.
    public var entries: [Entry] = []
    /// Messages, changes and files that were reported as delivered to a user, and that the server does not have.
    public var lost = 0
    /// Messages and reactions that the server has more than once.
    public var doubled = 0
    /// Messages that the server has before one that their user sent earlier.
    public var reordered = 0
    /// The number of cases that were left out after ten consecutive failures.
    public internal(set) var leftOut = 0
    /// The time that the suite took, by the clock of its cases.
    public var duration: Duration = .zero

    init(backend: String) { self.backend = backend }

    /// The names of the cases that passed.
    public var passed: [String] { entries.filter { $0.outcome == .passed }.map(\.name) }

    /// The failed cases, each with its findings.
    public var failures: [(name: String, sentences: [String])] {
      entries.compactMap { if case .failed(let sentences) = $0.outcome { ($0.name, sentences) } else { nil } }
    }

    /// The skipped cases, each with the reason.
    public var skipped: [(name: String, reason: String)] {
      entries.compactMap { if case .skipped(let reason) = $0.outcome { ($0.name, reason) } else { nil } }
    }

    /// Whether cases have passed, and none has failed.
    public var isPassed: Bool { !passed.isEmpty && failures.isEmpty }

    /// The number of cases that passed and are one operation under one fault.
    public var operationsUnderFaults: Int {
      entries.count { $0.outcome == .passed && $0.isOperationUnderFault }
    }

    /// A summary on one line: "relay: 210 cases passed (175 operations under faults), 0 failed, 2 skipped; 0 lost, 0
    /// doubled, 0 reordered".
    public var summary: String {
      "\(backend): \(passed.count) cases passed (\(operationsUnderFaults) operations under faults), "
        + "\(failures.count) failed, \(skipped.count) skipped; "
        + "\(lost) lost, \(doubled) doubled, \(reordered) reordered"
    }

    /// The summary, and a line for each sentence of a failure.
    public var description: String {
      let failed = failures.flatMap { failure in
        failure.sentences.map { "  failed: \(failure.name): \($0)" }
      }
      let rest =
        leftOut == 0 ? [] : ["  \(leftOut) cases were left out: the ten in front of them had all failed."]
      return ([summary] + failed + rest).joined(separator: "\n")
    }
  }
}
