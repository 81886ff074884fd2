import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Counts what would be lost by signing out. What is typed is stored first, so that it counts.
  ///
  /// ```swift
  /// let unsent = try client.unsentSummary()
  /// if unsent.isEmpty || (await user.agreesToLose(unsent)) { try await client.erase() }
  /// ```
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, or `suspended`.
  public nonisolated func unsentSummary() throws(ChatError) -> UnsentSummary {
    try drafts.saveAll()
    return try store.read { try $0.unsentSummary() }
  }

  /// The texts of all drafts and unsent messages, by conversation, for their user to keep. Attachments are named, and
  /// are not in it. What is typed is stored first, so that it is in it.
  ///
  /// ```swift
  /// try client.exportUnsent().write(to: url, atomically: true, encoding: .utf8)
  /// ```
  ///
  /// - Returns: plain text. Empty: nothing is unsent.
  /// - Throws: as ``unsentSummary()``.
  public nonisolated func exportUnsent() throws(ChatError) -> String {
    try drafts.saveAll()
    return try store.read { try $0.unsentTexts() }.map(\.plainText).joined(separator: "\n")
  }

  /// Ends everything, overwrites the store's files and deletes them: database, journal, reserve and attachments. When it
  /// returns, nothing of the account is left in the folder, and every call throws ``ChatError/Code/storageErased``. What
  /// was unsent is lost: ask ``unsentSummary()`` first. Credentials are the app's to take away
  /// (``CredentialStore/set(_:for:)``).
  ///
  /// A flash drive may keep overwritten bytes for a while; its owner's encryption covers them. Costs the writing of all
  /// that is deleted. After a crash in between the store may not open any more: delete its folder then, which has what was
  /// not erased yet; or call it again on a new client.
  ///
  /// - Throws: ``ChatError`` with code `storageBusy` when another process sends from this store: nothing is erased, and
  ///   the client is suspended; or one that starts with `storage`.
  public func erase() async throws(ChatError) {
    isSuspended = true
    await stopWorking()
    let lock = try FileLock(store.folder.appendingPathComponent(FileLock.drain))
    guard try lock.take() else {
      try store.suspend()
      throw ChatError(.storageBusy, "Another process uses the store. End it, and try again.")
    }
    defer { lock.release() }
    drafts.forgetAll()
    try store.erase()
    logger.info("store erased")
  }
}
