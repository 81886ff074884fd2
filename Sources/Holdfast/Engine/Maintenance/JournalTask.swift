import HoldfastCore
import HoldfastStore
import Logging

/// Empties the journal, which contains deleted data until then (rule S9). A deletion empties the journal itself. This
/// task empties it after a crash, and after a long read.
final class JournalTask: MaintenanceTask {
  let name = Maintenance.Name.journal
  let pause: Duration = .seconds(10)
  let patience: Duration = .seconds(10)
  let concerns: @Sendable (Changes) -> Bool = { $0.journal }

  private let store: Store
  private let logger: Logger

  init(_ store: Store, _ logger: Logger) { (self.store, self.logger) = (store, logger) }

  func step(at now: ChatEnvironment.Instant) throws(ChatError) -> Maintenance.Next {
    guard store.hasJournal, !store.emptyJournal(logger) else { return .whenRung }
    return .at(now + patience)
  }
}
