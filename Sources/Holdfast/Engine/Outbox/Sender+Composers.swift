import HoldfastCore
import HoldfastStore

/// Composers, with the limits of their conversations. Imports ask for the same limits.
extension Sender {
  /// The composer of a conversation, with the client's drafts.
  func composer(in conversation: ConversationID) -> DraftComposer {
    DraftComposer(
      conversation, of: drafts, by: context.user, configuration: context.configuration,
      limits: DraftComposer.Limits(
        largestFile: { () throws(ChatError) in try largestFile(in: store.key(of: conversation)) },
        requireReplyTo: { () throws(ChatError) in try requireReplyTo(in: store.key(of: conversation)) }
      ))
  }

  private func requireReplyTo(in conversation: ConversationKey) throws(ChatError) {
    guard !context.transport.capabilities.fields.contains(.reply) else { return }
    try store.read { try context.requireCarried([.reply], in: conversation, $0) }
  }

  /// The size of the largest file that a draft of the conversation may get, in bytes.
  private func largestFile(in conversation: ConversationKey) throws(ChatError) -> Int64 {
    return try store.read { db in
      let largest = try context.requireAttachments(in: conversation, db)
      guard conversation.isWellFormed, try db.conversations.head(conversation) != nil else {
        throw ChatError.unknownConversation
      }
      return largest
    }
  }

  func attach(
    _ source: @autoclosure () throws(ChatError) -> AttachmentSource, mediaType: String?,
    to conversation: ConversationKey
  ) throws(ChatError) -> ChatAttachment {
    try drafts.attach(
      DraftKey(conversation: conversation), try source(), mediaType: mediaType,
      atMost: context.configuration.attachments.perDraft
    ) { () throws(ChatError) in try largestFile(in: conversation) }
  }

  /// The largest file that a draft of the conversation may have, in bytes. Nil when its transport carries no files.
  package func largestAttachment(in conversation: ConversationID) throws(ChatError) -> Int64? {
    do throws(ChatError) {
      return try store.read { try context.requireAttachments(in: $0.key(of: conversation), $0) }
    } catch {
      guard error.code == .attachmentsUnsupported else { throw error }
      return nil
    }
  }

  /// Whether the server keeps every field that the content has.
  package func carries(
    _ content: MessageContent, in conversation: ConversationKey, _ reading: Reading
  ) throws -> Bool {
    try context.dropped(of: content.fields, in: conversation, reading) == nil
  }

  /// The text of a message as it is sent, without the white space around it.
  package func validated(
    _ text: MessageContent.FormattedText, in conversation: ConversationKey, _ transaction: Transaction
  ) throws -> MessageContent.FormattedText {
    try validated(text, isAlone: true, in: conversation, transaction)
  }
}
