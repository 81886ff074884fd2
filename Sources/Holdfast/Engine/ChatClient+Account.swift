import Foundation
import HoldfastCore
import HoldfastStore

/// The account as a whole: its deletion, its diagnostics and its statistics.
extension ChatClient {
  /// Ends all work, overwrites the store's files and deletes them: database, journal, newest text of replies,
  /// reserve and attachments. When the call returns, nothing of the account is left in the folder, and every call
  /// throws ``ChatError/Code/storageErased``. Unsent content is lost: ask ``OutboxHandle/unsentSummary()`` first. The
  /// app removes the credentials itself (`CredentialStore.set(_:for:)` in `HoldfastCredentials`).
  ///
  /// A flash drive may keep overwritten bytes for a while; the encryption of the device covers them. Costs the writing
  /// of all deleted bytes. After a crash in between, the store may no longer open. The app then deletes the folder,
  /// which has the files that were not erased, or calls `erase()` on a new client.
  ///
  /// - Throws: ``ChatError`` with code `storageBusy` when another process sends from this store: nothing is erased, and
  ///   the client is suspended; or with a storage code.
  public func erase() async throws(ChatError) {
    isSuspended = true
    await stopWorking()
    let lock = try store.openDrainLock()
    guard try lock.acquire() else {
      try store.suspend()
      throw ChatError(.storageBusy, "Another process uses the store. End it, and try again.")
    }
    defer { lock.release() }
    drafts.forgetAll()
    try store.erase()
    logger.info("store erased")
  }

  /// Counts everything that the deletion of all conversations would delete, and returns the question to the user,
  /// which states how many messages nobody else has.
  ///
  /// Costs one pass over the index of the messages and one over the outbox, and changes nothing.
  ///
  /// - Throws: ``ChatError`` with a storage code.
  public nonisolated func deletionQuestion() throws(ChatError) -> DeletionQuestion {
    try context.deletionQuestion(for: nil)
  }

  /// Deletes all conversations, as ``ConversationHandle/delete()`` deletes one, but without Undo. That is why the call
  /// needs the confirmed question.
  ///
  /// ```swift
  /// let all = try client.deletionQuestion()
  /// guard await ask(all.title, all.sentence) else { return }
  /// try await client.deleteAllConversations(confirmedBy: all)
  /// ```
  ///
  /// One transaction hides them, which costs a few writes for each, and ``run()`` erases them.
  ///
  /// - Throws: ``ChatError`` with code `confirmationOutdated` when there is more to delete than the question stated,
  ///   or
  ///   when the question was about one conversation; or with a storage code. Nothing is changed then.
  public func deleteAllConversations(confirmedBy question: DeletionQuestion) throws(ChatError) {
    try parts.deletions.deleteAll(confirmedBy: question)
  }

  /// The state of the store in numbers. Costs a pass over the index of each table, and a look at each file: some
  /// milliseconds for 100,000 messages.
  ///
  /// - Throws: ``ChatError`` with a storage code, or `suspended`.
  public nonisolated func storeDiagnostics() throws(ChatError) -> StoreDiagnostics {
    try store.read { try StoreDiagnostics($0, in: store.folder) }
  }

  /// A report for the app's support, as lines with names and values: the state and the integrity of the store, the
  /// outbox, the connection, and the last 200 events of the engine. It has codes, numbers and IDs of messages, and
  /// never contents, names, or the place of the store. A part that cannot be read gives the reason.
  ///
  /// ```swift
  /// mail.attach(Data(await client.supportReport().utf8), named: "holdfast.txt")
  /// ```
  ///
  /// Reads the whole store, which takes a second for each 500 MB or so, and changes nothing.
  public nonisolated func supportReport() async -> String {
    let credentials = needsCredentials ? ["credentials=needed"] : []
    return context.supportReport(connection: [connectivity.rawValue] + credentials)
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
  /// - Throws: ``ChatError`` with a storage code.
  public nonisolated func draftMetrics() throws(ChatError) -> DraftMetrics { try drafts.metrics() }

  /// All requests without an outcome, the oldest first. An app reads them at its launch and resumes the interrupted
  /// ones. Costs one read.
  ///
  /// - Throws: ``ChatError`` with a storage code.
  public nonisolated func processingRequests() throws(ChatError) -> [ProcessingRequest] {
    try sharedStates.requests.all()
  }

  /// Rewrites the database, so that no copy of a deleted text is left in it, and gives unused space back to the disk
  /// (rule S9). For a store of any size: ``enterBackground()`` does the same by itself up to 16 MB.
  /// ``StoreDiagnostics/isCompactionDue`` reports whether anything was deleted since.
  ///
  /// ```swift
  /// if try client.storeDiagnostics().isCompactionDue {
  ///   try await client.compact { fraction in Task { @MainActor in bar = fraction } }
  /// }
  /// ```
  ///
  /// Call it while nobody types, for example behind a progress view in the settings: other writes wait until it is
  /// done. It reads the whole database once and writes it three times, and needs room for two more of it on the disk.
  /// Cancel the task to end it. A cancelled or crashed call leaves the store unchanged.
  ///
  /// - Parameter progress: gets the finished part, from 0 to 1, on a thread of the engine.
  /// - Returns: whether the database was rewritten. False when the task was cancelled.
  /// - Throws: ``ChatError`` with code `storageFull`, or another storage code, or `suspended`. The
  ///   store is unchanged.
  @discardableResult
  public nonisolated func compact(
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws(ChatError) -> Bool {
    try await store.compacting(progress).get()
  }
}
