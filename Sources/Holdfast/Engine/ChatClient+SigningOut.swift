import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Counts what signing out would lose: unsent content, and everything else that only this device has. Typed content
  /// is stored first, so that it counts.
  ///
  /// ```swift
  /// let unsent = try client.unsentSummary()
  /// if !unsent.isEmpty, await !ask("Sign out?", "\(unsent.messages) messages have not been sent.") { return }
  /// try await client.erase()
  /// ```
  ///
  /// - Throws: ``ChatError`` with the code of a draft that cannot be saved, such as `draftTooLong`, with one that
  ///   starts with `storage`, or with `suspended`.
  public nonisolated func unsentSummary() throws(ChatError) -> UnsentSummary {
    try drafts.saveAll()
    let hasServer = transport.capabilities.hasServer
    return try store.read { try $0.outbox.unsentSummary(hasServer: hasServer) }
  }

  /// The texts that only this device has, by conversation, for their user to keep: drafts, unsent messages, messages of
  /// conversations on this device alone, recorded and imported messages, and unfinished replies. Attachments are named,
  /// but not included. Typed content is stored first, so that it is included.
  ///
  /// The text is made in memory. For a long history on the device alone, `exportHistory(to:)` of
  /// HoldfastRescue writes a file instead.
  ///
  /// ```swift
  /// try client.exportUnsent().write(to: url, atomically: true, encoding: .utf8)
  /// ```
  ///
  /// - Returns: plain text. Empty when nothing is unsent.
  /// - Throws: as ``unsentSummary()``.
  public nonisolated func exportUnsent() throws(ChatError) -> String {
    try drafts.saveAll()
    let hasServer = transport.capabilities.hasServer
    return try store.read { try $0.outbox.unsentTexts(hasServer: hasServer) }.map {
      $0.plainText(with: configuration.texts)
    }
    .joined(separator: "\n")
  }

  /// Ends all work, overwrites the store's files and deletes them: database, journal, reserve and attachments. When the
  /// call returns, nothing of the account is left in the folder, and every call throws
  /// ``ChatError/Code/storageErased``. Unsent content is lost: ask ``unsentSummary()`` first. The app removes the
  /// credentials itself (`CredentialStore.set(_:for:)` in `HoldfastCredentials`).
  ///
  /// A flash drive may keep overwritten bytes for a while; the encryption of the device covers them. Costs the writing
  /// of all deleted bytes. After a crash in between, the store may no longer open. The app then deletes the folder,
  /// which has the files that were not erased, or calls `erase()` on a new client.
  ///
  /// - Throws: ``ChatError`` with code `storageBusy` when another process sends from this store: nothing is erased, and
  ///   the client is suspended; or with one that starts with `storage`.
  public func erase() async throws(ChatError) {
    isSuspended = true
    await stopWorking()
    let lock = try store.openDrainLock()
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
