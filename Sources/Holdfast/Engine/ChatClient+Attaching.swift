import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Adds a file to what the conversation's composer holds: it is copied into the store, so that the original may
  /// change or go. When this returns, copy and draft are on disk (SPEC D16). The same file under the same name is
  /// added once.
  ///
  /// ```swift
  /// let picture = try client.attach(url, in: conversation)
  /// try client.sendDraft(in: conversation)
  /// ```
  ///
  /// It reads and writes all of the file, in pieces of 256 KB, on the caller's thread: for large files that should
  /// not be the main one, which is why `ComposerModel.attach(_:name:mediaType:)` is asynchronous. A crash in the middle
  /// leaves the draft as it was, and a copy that the next launch takes away.
  ///
  /// - Parameters:
  ///   - file: on Apple's systems, access to a file that the user picked must have been asked for before.
  ///   - name: what it is called for others; without a folder, and cut to 255 bytes. Nil: as the file.
  ///   - mediaType: as `image/png`. Nil: guessed from the name.
  /// - Throws: ``ChatError`` with code `attachmentUnreadable`, `attachmentTooLarge`, `tooManyAttachments`,
  ///   `malformedMediaType`, `attachmentsUnsupported`, `unknownConversation`, or one that starts with `storage`.
  ///   The draft is as it was then.
  @discardableResult
  public nonisolated func attach(
    _ file: URL, name: String? = nil, mediaType: String? = nil, in conversation: ConversationID
  ) throws(ChatError) -> ChatAttachment {
    let source: OpenFile
    do {
      guard file.isFileURL else { throw POSIXError(.EINVAL) }
      source = try OpenFile(reading: file)
    } catch {
      throw .unreadable
    }
    return try attach(name: name ?? file.lastPathComponent, mediaType: mediaType, in: conversation) {
      offset in
      do { return try source.read(OpenFile.pieceBytes, at: offset) } catch { throw ChatError.unreadable }
    }
  }

  /// Adds bytes to what the conversation's composer holds, as a file of this name.
  ///
  /// - Throws: as ``attach(_:name:mediaType:in:)-(URL,_,_,_)``.
  @discardableResult
  public nonisolated func attach(
    _ data: Data, name: String, mediaType: String? = nil, in conversation: ConversationID
  ) throws(ChatError) -> ChatAttachment {
    try attach(name: name, mediaType: mediaType, in: conversation) { offset in
      let start = data.startIndex + Int(offset)
      return data[start..<min(start + OpenFile.pieceBytes, data.endIndex)]
    }
  }

  /// Takes a file out of what the conversation's composer holds. Does nothing when it is not in it. The file is gone
  /// from the store when this returns, unless something else refers to it.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The draft is as it was then.
  public nonisolated func removeAttachment(
    _ id: ChatAttachment.ID, in conversation: ConversationID
  ) throws(ChatError) {
    try drafts.detach(DraftKey(conversation: conversation), id)
  }

  /// Where the attachment's file is. Nil while it is not here. Read it and leave it as it is: it may serve other
  /// messages, and goes with the last of them.
  public nonisolated func attachmentFile(_ checksum: ChatAttachment.Checksum) -> URL? {
    guard checksum.isWellFormed, let stored = try? store.read({ try $0.attachment(checksum) }), stored.isHere
    else { return nil }
    return store.attachments.file(of: checksum)
  }

  /// Fetches an attachment that is too large to be fetched unasked, as soon as there is a connection. How far it is
  /// stands in the row of its message. The wish is on disk when this returns, and what has been fetched stays: after a
  /// crash it goes on behind that. In a shared store the process that is connected fetches it. Does nothing when the
  /// file is here.
  ///
  /// ```swift
  /// try await client.download(attachment.checksum)
  /// ```
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
    name: String, mediaType: String?, in conversation: ConversationID, _ read: (Int64) throws -> Data
  ) throws(ChatError) -> ChatAttachment {
    let key = DraftKey(conversation: conversation)
    do throws(ChatError) {
      let name = AttachmentName.sanitized(name)
      guard let mediaType = MediaType.normalized(mediaType ?? MediaType.guessed(from: name)) else {
        throw ChatError(.malformedMediaType, "A media type is written like image/png.")
      }
      let maximum = try context.requireAttachments()
      // Asked before a large file is copied for nothing; the transaction asks again.
      store.lookForRenames()
      let current = store.aliases.current(conversation)
      guard current.isWellFormed, try store.read({ try $0.conversationHead(current) }) != nil else {
        throw ChatError(.unknownConversation, "There is no such conversation. Create it first.")
      }
      return try store.copying { () throws(ChatError) in
        let copy = try store.copyAttachment(named: environment.makeID(), atMost: maximum, read)
        return try drafts.attach(
          key, copy, name: name, mediaType: mediaType, atMost: context.configuration.attachments.perDraft)
      }
    } catch {
      drafts.note(error, in: key)
      throw error
    }
  }

  /// At launch: takes away what an earlier process left.
  nonisolated func sweepAttachmentFolder() {
    do throws(ChatError) {
      try store.sweepAttachmentFolder()
    } catch {
      logger.notice("attachments not swept", metadata: ["code": "\(error.code)"])
    }
  }
}

extension ChatError {
  fileprivate static let unreadable = ChatError(
    .attachmentUnreadable, "The file is gone or cannot be read. Choose another one.")
}
