import HoldfastCore
import HoldfastStore

/// Composers without a view model, by the names of their conversations: for bots, share extensions and tests.
extension Drafts {
  package func text(in conversation: ConversationID) -> String { content(in: conversation).text }

  package func attachments(in conversation: ConversationID) -> [ChatAttachment] {
    content(in: conversation).attachments
  }

  package func edit(_ text: String, in conversation: ConversationID) {
    edit(key(of: conversation), DraftContent(text))
  }

  /// Replaces the composer's text, as an answer to a message.
  package func edit(_ text: String, answering message: MessageID, in conversation: ConversationID) {
    edit(key(of: conversation), DraftContent(text, replyTo: message))
  }

  package func save(in conversation: ConversationID) throws(ChatError) { try save(key(of: conversation)) }

  /// Discards the draft as ``ComposerModel/discard()`` does, and returns it.
  package func discard(in conversation: ConversationID) throws(ChatError) -> DiscardedDraft {
    try discard(key(of: conversation))
  }

  /// Brings back a discarded draft, as ``ComposerModel/undoDiscard()`` does.
  package func restore(
    _ discarded: inout DiscardedDraft, in conversation: ConversationID
  ) throws(ChatError) {
    try restore(key(of: conversation), &discarded)
  }

  /// The drafts as stored in the file, hidden ones included, for a comparison with the promises.
  package func stored(in conversation: ConversationID) throws(ChatError) -> [String] {
    try store.read { try $0.drafts.texts(in: $0.key(of: conversation)) }
  }

  /// The messages that these drafts answer.
  package func storedReplyTargets(in conversation: ConversationID) throws(ChatError) -> [MessageID] {
    try store.read { try $0.drafts.replyTargets(ofDraftsIn: $0.key(of: conversation)) }
  }

  /// All drafts with their versions. A version outlives a draft that was emptied.
  package func storedWithVersions(in conversation: ConversationID) throws(ChatError) -> [String] {
    let versions = try store.read { try $0.drafts.versionTexts(in: $0.key(of: conversation)) }
    return try stored(in: conversation) + versions
  }

  private func content(in conversation: ConversationID) -> DraftContent {
    open(key(of: conversation)).buffer.content
  }

  private func key(of conversation: ConversationID) -> DraftKey {
    DraftKey(conversation: store.key(of: conversation))
  }
}
