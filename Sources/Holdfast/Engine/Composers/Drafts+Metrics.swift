import Foundation
import HoldfastCore
import HoldfastStore

extension Drafts {
  /// Stores the counts of restored drafts. Opening a conversation writes nothing. The saving loop counts the restored
  /// draft a moment later, in a transaction that costs no sync.
  func storeCounts() {
    let counts = table.withLock { table in
      defer { table.restored = RestoreCounts() }
      return table.restored
    }
    guard counts != RestoreCounts() else { return }
    do throws(ChatError) {
      try store.writeUnsynced { try $0.count(DraftMetrics.restoreAgeMetric, counts.byAge) }
    } catch {
      table.withLock { $0.restored.add(counts) }
    }
  }

  func metrics() throws(ChatError) -> DraftMetrics {
    storeCounts()
    return try store.read { try $0.draftMetrics() }
  }
}
