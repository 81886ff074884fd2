import Foundation
import HoldfastCore
import HoldfastStore

extension Drafts {
  /// Copies a file into the store, and adds it to a draft. If that fails, the draft's composers show the reason.
  ///
  /// - Parameters:
  ///   - mediaType: the file's type. Nil to guess it from the name.
  ///   - limit: the largest number of files of a draft.
  ///   - largest: gives the size of the largest allowed file, in bytes, before a larger one is copied needlessly.
  func attach(
    _ key: DraftKey, _ source: @autoclosure () throws(ChatError) -> AttachmentSource, mediaType: String?,
    atMost limit: Int, largest: () throws(ChatError) -> Int64
  ) throws(ChatError) -> ChatAttachment {
    do throws(ChatError) {
      let source = try source()
      let mediaType = try source.mediaType(mediaType)
      let largest = try largest()
      return try store.copying { () throws(ChatError) in
        let copy = try store.copyAttachment(named: environment.makeID(), atMost: largest, source.read)
        return try attach(key, copy, name: source.name, mediaType: mediaType, atMost: limit)
      }
    } catch {
      note(error, in: key)
      throw error
    }
  }

  /// Adds a file to a draft, in the transaction that gives the file its name. Unsaved text is stored with it. If the
  /// call fails, the draft is unchanged and the copy is removed.
  package func attach(
    _ key: DraftKey, _ copy: AttachmentFolder.Import, name: String, mediaType: String, atMost limit: Int
  ) throws(ChatError) -> ChatAttachment {
    let attachment = ChatAttachment(
      checksum: copy.checksum, name: name, mediaType: mediaType, byteCount: copy.byteCount)
    do throws(ChatError) {
      try change(key) { content, transaction in
        let isNew = !content.attachments.contains { $0.id == attachment.id }
        guard !isNew || content.attachments.count < limit else {
          throw ChatError(
            .tooManyAttachments, "A message has at most \(limit) attachments. Take one out first.")
        }
        try store.attachments.settle(copy)
        try transaction.attachments.insert(attachment, isHere: true, now: environment.now())
        if isNew { content.attachments.append(attachment) }
      }
      return attachment
    } catch {
      store.attachments.abandon(copy)
      // The copy may already have its name when the commit fails.
      try? store.removeFiles(of: [copy.checksum])
      throw error
    }
  }

  /// Removes a file from a draft. Does nothing when the draft does not have the file.
  package func detach(_ key: DraftKey, _ id: ChatAttachment.ID) throws(ChatError) {
    guard open(key).buffer.content.attachments.contains(where: { $0.id == id }) else { return }
    try change(key) { content, _ in
      content.attachments.removeAll { $0.id == id }
    }
  }

  /// Changes the stored attachments of a draft, and stores the whole draft in one transaction.
  private func change(
    _ key: DraftKey, _ body: (inout DraftContent, Transaction) throws -> Void
  ) throws(ChatError) {
    try changing(key) { table, key, entry throws(ChatError) in
      do throws(ChatError) {
        try table.replace(key, entry) { present, transaction in
          var content = present
          try body(&content, transaction)
          return content
        }
        table[key]?.isRecovered = false
        table[key]?.problem = nil
      } catch {
        table[key]?.problem = error
        throw error
      }
    }
  }

  /// Shows a problem with an attachment wherever the draft is shown.
  package func note(_ problem: ChatError, in key: DraftKey) {
    withTable { $0[storage.whole(key)]?.problem = problem }
    announce(key)
  }
}
