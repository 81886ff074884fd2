import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// The drafts as they lie in the file, hidden ones included, for whoever compares them with what was
  /// promised.
  package nonisolated func storedDrafts(in conversation: ConversationID) throws(ChatError) -> [String] {
    try store.read { db in
      try db.rows(
        "SELECT content FROM draft WHERE conversationID = ?", [store.aliases.current(conversation).rawValue]
      ) { $0[0] }
    }
  }

  /// What they answer.
  package nonisolated func storedAnswers(in conversation: ConversationID) throws(ChatError) -> [MessageID] {
    try store.read { db in
      try db.rows(
        "SELECT replyTo FROM draft WHERE conversationID = ? AND replyTo IS NOT NULL",
        [store.aliases.current(conversation).rawValue]
      ) { MessageID(rawValue: $0[0]) }
    }
  }

  /// All drafts with their versions, which outlive a draft that was emptied.
  package nonisolated func storedDraftsAndVersions(
    in conversation: ConversationID
  ) throws(ChatError) -> [String] {
    let versions = try store.read { db in
      try db.rows(
        "SELECT content FROM draftVersion WHERE conversationID = ?",
        [store.aliases.current(conversation).rawValue]
      ) {
        $0[0] as String
      }
    }
    return try storedDrafts(in: conversation) + versions
  }
}

extension ChatClient {
  /// Nothing was deleted since the store was compacted last.
  package nonisolated var isCompact: Bool { (try? store.remnants()) == 0 }

  /// What ``LinkModel/needsCredentials`` shows.
  package nonisolated var needsCredentials: Bool { live.needsCredentials }
}

extension ChatClient {
  /// - Parameter isSwept: what an act could not take away is taken away first, as the next launch would.
  package nonisolated func auditAttachments(isSwept: Bool) throws(ChatError) -> AttachmentAudit {
    if isSwept { try store.sweepAttachmentFolder() }
    let uses = try store.read { db in
      try db.rows(
        "SELECT DISTINCT u.checksum, a.isHere FROM attachmentUse u JOIN attachment a ON a.checksum = u.checksum"
      ) { (checksum: AttachmentChecksum(rawValue: $0[0]), isHere: $0[1] as Bool) }
    }
    return AttachmentAudit(
      of: store.attachments.url, holding: Set(uses.filter(\.isHere).map(\.checksum)),
      parts: Set(
        uses.filter { !$0.isHere }.map { store.attachments.part(of: $0.checksum).lastPathComponent }))
  }
}
