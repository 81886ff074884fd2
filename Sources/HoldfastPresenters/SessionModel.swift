import Holdfast
import Observation

/// The repair of a session's store, and the problems that a window shows above everything else.
@MainActor @Observable package final class SessionModel {
  /// Recovers what can be read of a damaged store. Returns the outcome, as a sentence.
  package typealias Repair = @Sendable () async throws -> String

  /// The outcome of the last repair, until its user has read it.
  package var outcome: String?
  /// Whether a repair is under way.
  package private(set) var isRepairing = false
  /// The reason why the last repair failed, or, once the store is open, why typed texts could not be saved.
  package var problem: ChatError? { session.client == nil ? actionQueue.problem : session.problem }

  @ObservationIgnored private let session: ChatSession
  @ObservationIgnored private let repair: Repair?
  @ObservationIgnored private let actionQueue = ActionQueue()

  package init(_ session: ChatSession, repair: Repair?) {
    (self.session, self.repair) = (session, repair)
  }

  /// Whether a repair is offered for a store that does not open.
  package func offersRepair(of problem: ChatError) -> Bool {
    repair != nil && !isRepairing && problem.code == .storageDamaged
  }

  /// Repairs the store, and opens it.
  package func startRepair() {
    guard let repair, !isRepairing else { return }
    isRepairing = true
    actionQueue.add { [self] in
      defer { isRepairing = false }
      outcome = try await repair()
      session.retry()
    }
  }

  /// Carries out the repairs, until the task is cancelled.
  package func run() async { await actionQueue.run() }
}
