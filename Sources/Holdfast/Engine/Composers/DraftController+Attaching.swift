import Foundation
import HoldfastCore
import HoldfastStore

/// The files of a draft.
extension DraftController {
  /// Adds a file to the conversation's draft. The file is copied into the store, so that the original may change or go.
  /// When the call returns, copy and draft are on disk, with the typed text (SPEC D16). The same file under the same
  /// name is added once.
  ///
  /// The call reads and writes the whole file, in pieces of 256 KB, on the caller's thread. A crash leaves the draft as
  /// it was.
  ///
  /// - Parameters:
  ///   - name: the file's name for others; without a folder, and cut to 255 bytes. Nil for the name of the file.
  ///   - mediaType: a type such as `image/png`. Nil to guess it from the name.
  /// - Throws: ``ChatError`` with code `attachmentUnreadable`, `attachmentTooLarge`, `tooManyAttachments`,
  ///   `malformedMediaType`, `editInProgress`, or one that starts with `storage`. The draft is then unchanged.
  @discardableResult
  public func attach(
    _ file: URL, name: String? = nil, mediaType: String? = nil, to conversation: ConversationID
  ) throws(ChatError) -> ChatAttachment {
    try attach(try AttachmentSource(file, name: name), mediaType: mediaType, to: conversation)
  }

  /// Adds bytes to the conversation's draft, as a file with this name.
  ///
  /// - Throws: as ``attach(_:name:mediaType:to:)-(URL,_,_,_)``.
  @discardableResult
  public func attach(
    _ data: Data, name: String, mediaType: String? = nil, to conversation: ConversationID
  ) throws(ChatError) -> ChatAttachment {
    try attach(AttachmentSource(data, name: name), mediaType: mediaType, to: conversation)
  }

  private func attach(
    _ source: AttachmentSource, mediaType: String?, to conversation: ConversationID
  ) throws(ChatError) -> ChatAttachment {
    try session(of: conversation).requireNoEdit()
    let mediaType = try source.mediaType(mediaType)
    return try store.copying { () throws(ChatError) in
      let copy = try store.copyAttachment(
        named: environment.makeID(), atMost: limits.maximumBytes, source.read)
      return try drafts.attach(
        DraftKey(conversation: conversation), copy, name: source.name, mediaType: mediaType,
        atMost: limits.perDraft)
    }
  }

  /// Removes a file from the conversation's draft. Does nothing when the draft does not have it. When the call returns,
  /// the file is gone from the store, unless something else refers to it.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The draft is then unchanged.
  public func removeAttachment(
    _ attachment: ChatAttachment.ID, in conversation: ConversationID
  ) throws(ChatError) {
    try drafts.detach(DraftKey(conversation: conversation), attachment)
  }

  /// The URL of an attachment's file, for the app's own upload. Nil when no draft here has the file. The app may read
  /// the file, and must not change it. It is deleted with the draft.
  public func attachmentFile(_ checksum: ChatAttachment.Checksum) -> URL? {
    guard checksum.isWellFormed, let stored = try? store.read({ try $0.attachment(checksum) }), stored.isHere
    else { return nil }
    return store.attachments.file(of: checksum)
  }
}
