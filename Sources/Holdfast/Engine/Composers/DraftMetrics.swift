import Foundation
import HoldfastCore
import HoldfastStore

extension Drafts {
  /// The first composer that shows a stored draft restores it: one that joins it shows the same.
  func noteRestore(of key: DraftKey, in entries: inout [DraftKey: Entry]) {
    guard let entry = entries[key], entry.isToBeRestored, let writtenAt = entry.writtenAt else { return }
    entries[key]?.isToBeRestored = false
    desk.withLock { $0.restored.add(age: environment.now().timeIntervalSince(writtenAt)) }
    wake.raise()
  }

  /// To open a conversation writes nothing: what came back is counted a moment later, by whoever saves drafts, in a
  /// transaction that costs no sync.
  func storeCounts() {
    let counts = desk.withLock { desk in
      defer { desk.restored = RestoreCounts() }
      return desk.restored
    }
    guard counts != RestoreCounts() else { return }
    do throws(ChatError) {
      try store.writeUnsynced { try $0.count(DraftMetrics.restoreAgeMetric, counts.byAge) }
    } catch {
      desk.withLock { $0.restored.add(counts) }
    }
  }

  func metrics() throws(ChatError) -> DraftMetrics {
    storeCounts()
    return try store.read { try $0.draftMetrics() }
  }
}

extension ChatClient {
  /// How drafts fare on this device, over the life of its store.
  ///
  /// ```swift
  /// let metrics = try client.draftMetrics()
  /// report("\(metrics.restores) drafts came back, half of them after \(metrics.restoreAge?.p50 ?? .zero)")
  /// ```
  ///
  /// It costs a read of a few rows, and one transaction without a sync when a draft has come back since the last time.
  /// Saves are part of the transaction that they count, and survive what it survives; drafts that came back are counted
  /// a moment later, and a crash in between forgets them.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func draftMetrics() throws(ChatError) -> DraftMetrics { try drafts.metrics() }
}
