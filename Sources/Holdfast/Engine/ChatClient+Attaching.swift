import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// The composer of a conversation, with the client's drafts.
  nonisolated func composer(in conversation: ConversationID) -> DraftComposer {
    DraftComposer(
      conversation, of: drafts, by: user, configuration: configuration,
      limits: DraftComposer.Limits(
        largestFile: { [self] () throws(ChatError) in try largestFile(in: store.key(of: conversation)) },
        requireReplies: { [self] () throws(ChatError) in try requireReplies(in: store.key(of: conversation)) }
      ))
  }

  private nonisolated func requireReplies(in conversation: ConversationKey) throws(ChatError) {
    guard !transport.capabilities.fields.contains(.reply) else { return }
    try store.read { try context.requireCarried([.reply], in: conversation, $0) }
  }

  /// The size of the largest file that a draft of the conversation may get, in bytes.
  private nonisolated func largestFile(in conversation: ConversationKey) throws(ChatError) -> Int64 {
    return try store.read { db in
      let largest = try context.requireAttachments(in: conversation, db)
      guard conversation.isWellFormed, try db.conversations.head(conversation) != nil else {
        throw ChatError.unknownConversation
      }
      return largest
    }
  }

  nonisolated func attach(
    _ source: @autoclosure () throws(ChatError) -> AttachmentSource, mediaType: String?,
    to conversation: ConversationKey
  ) throws(ChatError) -> ChatAttachment {
    try drafts.attach(
      DraftKey(conversation: conversation), try source(), mediaType: mediaType,
      atMost: configuration.attachments.perDraft
    ) { () throws(ChatError) in try largestFile(in: conversation) }
  }

  /// The URL of an attachment's file. Nil while the file is not on this device. The app may read the file, and must not
  /// change it. The file may belong to several messages, and is deleted with the last of them. Costs one small read.
  public nonisolated func attachmentFile(_ checksum: ChatAttachment.Checksum) -> URL? {
    store.fileHere(checksum)
  }

  /// Downloads an attachment that is too large to be downloaded automatically, as soon as there is a connection. The
  /// row of its message shows the progress. Does nothing when the file is on this device.
  ///
  /// ```swift
  /// try await client.download(attachment.checksum)
  /// ```
  ///
  /// When the call returns, the request is on disk. Bytes that have arrived stay: after a crash, the download continues
  /// behind them. In a shared store, the process that is connected downloads the file.
  ///
  /// - Throws: ``ChatError`` with code `unknownAttachment`, or one that starts with `storage`.
  public func download(_ checksum: ChatAttachment.Checksum) throws(ChatError) {
    guard checksum.isWellFormed, let stored = try store.read({ try $0.attachments.stored(checksum) }) else {
      throw ChatError(.unknownAttachment, "No message here has this attachment.")
    }
    guard !stored.isHere else { return }
    try store.write { try $0.attachments.want(checksum) }
    fetches.want(checksum)
  }

  /// The largest file that a draft of the conversation may have, in bytes. Nil when its transport carries no files.
  package nonisolated func largestAttachment(in conversation: ConversationID) throws(ChatError) -> Int64? {
    do throws(ChatError) {
      return try store.read { try context.requireAttachments(in: $0.key(of: conversation), $0) }
    } catch {
      guard error.code == .attachmentsUnsupported else { throw error }
      return nil
    }
  }

  /// Removes, at launch, the files that an earlier process left.
  nonisolated func sweepAttachmentFolder() {
    do throws(ChatError) {
      try store.sweepAttachmentFolder()
    } catch {
      logger.notice("attachments not swept", metadata: ["code": "\(error.code)"])
    }
  }
}
