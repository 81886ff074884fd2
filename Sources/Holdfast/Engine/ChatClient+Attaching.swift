import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  nonisolated func attach(
    _ file: URL, name: String?, mediaType: String?, to conversation: ConversationID
  ) throws(ChatError) -> ChatAttachment {
    let source: AttachmentSource
    do throws(ChatError) {
      source = try AttachmentSource(file, name: name)
    } catch {
      drafts.note(error, in: DraftKey(conversation: conversation))
      throw error
    }
    return try attach(source, mediaType: mediaType, to: conversation)
  }

  nonisolated func attach(
    _ data: Data, name: String, mediaType: String?, to conversation: ConversationID
  ) throws(ChatError) -> ChatAttachment {
    try attach(AttachmentSource(data, name: name), mediaType: mediaType, to: conversation)
  }

  /// The URL of an attachment's file. Nil while the file is not on this device. The app may read the file, and must not
  /// change it. The file may belong to several messages, and is deleted with the last of them. Costs one small read.
  public nonisolated func attachmentFile(_ checksum: ChatAttachment.Checksum) -> URL? {
    guard checksum.isWellFormed, let stored = try? store.read({ try $0.attachment(checksum) }), stored.isHere
    else { return nil }
    return store.attachments.file(of: checksum)
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
    guard checksum.isWellFormed, let stored = try store.read({ try $0.attachment(checksum) }) else {
      throw ChatError(.unknownAttachment, "No message here has this attachment.")
    }
    guard !stored.isHere else { return }
    try store.write { try $0.want(checksum) }
    fetches.want(checksum)
  }

  private nonisolated func attach(
    _ source: AttachmentSource, mediaType: String?, to conversation: ConversationID
  ) throws(ChatError) -> ChatAttachment {
    let key = DraftKey(conversation: conversation)
    do throws(ChatError) {
      let mediaType = try source.mediaType(mediaType)
      // Checked before a large file is copied in vain. The transaction checks again.
      store.lookForRenames()
      let current = store.aliases.current(conversation)
      let maximum = try store.read { db in
        let maximum = try context.requireAttachments(in: current, db)
        guard current.isWellFormed, try db.conversationHead(current) != nil else {
          throw ChatError.unknownConversation
        }
        return maximum
      }
      return try store.copying { () throws(ChatError) in
        let copy = try store.copyAttachment(named: environment.makeID(), atMost: maximum, source.read)
        return try drafts.attach(
          key, copy, name: source.name, mediaType: mediaType,
          atMost: context.configuration.attachments.perDraft)
      }
    } catch {
      drafts.note(error, in: key)
      throw error
    }
  }

  /// The largest file that a draft of the conversation may have, in bytes. Nil when its transport carries no files.
  package nonisolated func largestAttachment(in conversation: ConversationID) throws(ChatError) -> Int64? {
    do throws(ChatError) {
      return try store.read { try context.requireAttachments(in: store.aliases.current(conversation), $0) }
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
