import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// The drafts as stored in the file, hidden ones included, for a comparison with the promises.
  package nonisolated func storedDrafts(in conversation: ConversationID) throws(ChatError) -> [String] {
    try store.read { try $0.drafts.texts(in: $0.key(of: conversation)) }
  }

  /// The messages that these drafts answer.
  package nonisolated func storedAnswers(in conversation: ConversationID) throws(ChatError) -> [MessageID] {
    try store.read { try $0.drafts.answers(ofDraftsIn: $0.key(of: conversation)) }
  }

  /// All drafts with their versions. A version outlives a draft that was emptied.
  package nonisolated func storedDraftsAndVersions(
    in conversation: ConversationID
  ) throws(ChatError) -> [String] {
    let versions = try store.read { try $0.drafts.versionTexts(in: $0.key(of: conversation)) }
    return try storedDrafts(in: conversation) + versions
  }
}

extension ChatClient {
  /// Whether nothing was deleted since the store was last compacted.
  package nonisolated var isCompact: Bool { (try? store.remnants()) == 0 }

  /// The value that ``ConnectionModel/needsCredentials`` shows.
  package nonisolated var needsCredentials: Bool { live.needsCredentials }

  /// The value that ``ConnectionModel/link`` shows.
  package nonisolated var shownLink: Connectivity { live.link }
}

extension ChatClient {
  /// - Parameter isSwept: whether files that an operation could not remove are removed first, as the next launch would
  ///   do.
  package nonisolated func auditAttachments(isSwept: Bool) throws(ChatError) -> AttachmentAudit {
    if isSwept { try store.sweepAttachmentFolder() }
    let uses = try store.read { try $0.attachments.used() }
    return AttachmentAudit(
      of: store.attachments.url, holding: Set(uses.filter(\.value).keys),
      parts: Set(uses.filter { !$0.value }.map { store.attachments.part(of: $0.key).lastPathComponent }))
  }
}
