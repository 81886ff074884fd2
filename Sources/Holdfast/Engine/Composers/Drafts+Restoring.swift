import Foundation
import HoldfastCore
import HoldfastStore

/// Restored drafts: the banner of each is shown once in a launch of the app, in one composer (rules D10, D11), and
/// each is counted (rule D14).
extension Drafts {
  /// Stores that the user keeps an old draft. The user is asked again once its text has changed.
  func keep(_ key: DraftKey) throws(ChatError) {
    try locked { table throws(ChatError) in
      let key = storage.whole(key)
      table.bannersShown.insert(key)
      table.load(key)
      try table.write(key)
      try store.write { transaction in
        let conversation = transaction.whole(of: key.conversation)
        try transaction.drafts.keep(DraftKey(conversation: conversation, slot: key.slot))
      }
      table[key]?.isKept = true
    }
  }

  /// Stores the counts of restored drafts. Opening a conversation writes nothing. The saving loop counts the restored
  /// draft a moment later, in a transaction that costs no sync.
  func storeCounts() {
    let counts = table.withLock { table in
      defer { table.restored = RestoreCounts() }
      return table.restored
    }
    guard counts != RestoreCounts() else { return }
    do throws(ChatError) {
      try store.writeUnsynced { try $0.metrics.add(DraftMetrics.restoreAgeMetric, counts.byAge) }
    } catch {
      table.withLock { $0.restored.add(counts) }
    }
  }

  func metrics() throws(ChatError) -> DraftMetrics {
    storeCounts()
    return try store.read { try $0.drafts.metrics() }
  }
}
