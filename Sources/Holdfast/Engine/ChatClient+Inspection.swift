import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// The drafts as they lie in the file, hidden ones included, for whoever compares them with what was
  /// promised.
  package nonisolated func storedDrafts(in conversation: ConversationID) throws(ChatError) -> [String] {
    try store.read { try $0.draftTexts(in: store.aliases.current(conversation)) }
  }

  /// What they answer.
  package nonisolated func storedAnswers(in conversation: ConversationID) throws(ChatError) -> [MessageID] {
    try store.read { try $0.answers(ofDraftsIn: store.aliases.current(conversation)) }
  }

  /// All drafts with their versions, which outlive a draft that was emptied.
  package nonisolated func storedDraftsAndVersions(
    in conversation: ConversationID
  ) throws(ChatError) -> [String] {
    let versions = try store.read { try $0.versionTexts(in: store.aliases.current(conversation)) }
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
    let uses = try store.read { try $0.usedAttachments() }
    return AttachmentAudit(
      of: store.attachments.url, holding: Set(uses.filter(\.value).keys),
      parts: Set(uses.filter { !$0.value }.map { store.attachments.part(of: $0.key).lastPathComponent }))
  }
}
