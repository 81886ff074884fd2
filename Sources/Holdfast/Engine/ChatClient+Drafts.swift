import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// What a composer without a view model holds: for bots, share extensions and tests.
  package nonisolated func draftText(in conversation: ConversationID) -> String {
    drafts.open(DraftKey(conversation: conversation)).buffer.content.text
  }

  package nonisolated func draftAttachments(in conversation: ConversationID) -> [ChatAttachment] {
    drafts.open(DraftKey(conversation: conversation)).buffer.content.attachments
  }

  package nonisolated func edit(_ text: String, in conversation: ConversationID) {
    drafts.edit(DraftKey(conversation: conversation), DraftContent(text))
  }

  /// The same, as an answer to a message.
  package nonisolated func edit(
    _ text: String, answering message: MessageID, in conversation: ConversationID
  ) {
    drafts.edit(DraftKey(conversation: conversation), DraftContent(text, replyTo: message))
  }

  package nonisolated func saveDraft(in conversation: ConversationID) throws(ChatError) {
    try drafts.save(DraftKey(conversation: conversation))
  }

  /// Discards as ``ComposerModel/discard()`` does, and gives what was there.
  package nonisolated func discardDraft(in conversation: ConversationID) throws(ChatError) -> DiscardedDraft {
    try drafts.discard(DraftKey(conversation: conversation))
  }

  /// Brings back what was discarded, as ``ComposerModel/undoDiscard()`` does.
  package nonisolated func restoreDraft(
    _ discarded: inout DiscardedDraft, in conversation: ConversationID
  ) throws(ChatError) {
    try drafts.restore(DraftKey(conversation: conversation), &discarded)
  }

  /// Stores every composer's content and the place of every window now. When it returns, all of it is on disk. Call it
  /// when the app resigns active or enters the background (SPEC D4, R8): it takes one short transaction for each unsaved
  /// draft and one for all windows, and none where nothing has changed.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage` or `scene`. What could not be stored stays in its
  ///   composer or window, and keeps nothing else from being stored.
  public nonisolated func hardSave() throws(ChatError) {
    let saved = Result { () throws(ChatError) in try drafts.saveAll() }
    try scenes.saveAll()
    try saved.get()
  }

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
