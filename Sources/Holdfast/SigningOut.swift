import Foundation

/// What would be lost with the store: nobody else has it (SPEC S8).
public struct UnsentSummary: Sendable, Codable, Hashable {
  /// Messages that the server has not confirmed, failed ones included.
  public var messages: Int
  /// Those of them that have failed.
  public var failed: Int
  /// Edits, deletions and reactions that the server has not confirmed.
  public var changes: Int
  /// Drafts, and unfinished edits.
  public var drafts: Int

  /// Nothing would be lost.
  public var isEmpty: Bool { messages == 0 && changes == 0 && drafts == 0 }
}

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

extension Drafts {
  /// Nothing of what was typed stays in memory.
  fileprivate func forgetAll() { entries.withLock { $0 = [:] } }
}

/// A text that its user wrote and nobody else has.
struct UnsentText: Equatable {
  var conversation: ConversationID
  var title: String?
  /// As "Draft" or "Not sent".
  var kind: String
  var writtenAt: Date
  var text: String
  var attachments: [String]

  var plainText: String {
    let date = writtenAt.formatted(.iso8601)
    let files = attachments.map { "[\($0)]\n" }.joined()
    return
      "\(kind), \(title.map { "\($0) (\(conversation))" } ?? "\(conversation)"), \(date)\n\n\(text)\n\(files)"
  }
}
