import HoldfastCore
import HoldfastStore

/// What was deleted is in the journal too, until that is written back and emptied. That comes right after the deletion;
/// here is what the end of a process kept from it, or a reader that took its time.
extension ChatClient {
  private static let journalPause: Duration = .seconds(10)

  /// Follows the journal for as long as the task lives.
  func keepJournalEmpty() async {
    while !Task.isCancelled {
      await store.journalSignal.wait()
      guard !Task.isCancelled, store.hasJournal else { continue }
      guard !store.emptyJournal(logger) else { continue }
      try? await environment.sleep(environment.uptime() + Self.journalPause)
    }
  }
}
