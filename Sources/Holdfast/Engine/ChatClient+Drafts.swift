import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Stores the content of every composer and the scene of every window now. When the call returns, all of it is on
  /// disk. Call it when the app resigns active or enters the background (SPEC D4, R8). It takes one short transaction
  /// for each unsaved draft and one for all windows, and none when nothing has changed.
  ///
  /// - Throws: ``ChatError`` with the code of a draft that cannot be saved, such as `draftTooLong`, or with one that
  ///   starts with `storage` or `scene`. A draft's error comes before that of a window. Content that could not be stored
  ///   stays in its composer or window, and everything else is stored.
  public nonisolated func hardSave() throws(ChatError) {
    let texts = Result { () throws(ChatError) in try drafts.saveAll() }
    let places = Result { () throws(ChatError) in try scenes.saveAll() }
    // A text outranks a place.
    try texts.get()
    try places.get()
  }

  /// Statistics about drafts on this device, over the life of its store.
  ///
  /// ```swift
  /// let metrics = try client.draftMetrics()
  /// report("\(metrics.restores) drafts came back, half of them after \(metrics.restoreAge?.p50 ?? .zero)")
  /// ```
  ///
  /// Costs a read of a few rows, and one transaction without a sync when a draft has been restored since the last call.
  /// A save is counted in its own transaction, and its count survives what the save survives. A restored draft is
  /// counted a moment later, and a crash in between loses the count.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func draftMetrics() throws(ChatError) -> DraftMetrics { try drafts.metrics() }
}
