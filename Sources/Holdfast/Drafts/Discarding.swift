import Foundation

extension Drafts {
  /// Empties a composer and deletes its draft, in one transaction; then takes the text out of the journal too, so
  /// that it is nowhere in the files (SPEC D10, S9). Gives what was there.
  func discard(_ key: DraftKey) throws(ChatError) -> DraftContent {
    let content = try take(key) { content, _ in content }
    do throws(ChatError) {
      if !content.attachments.isEmpty { try store.sweepAttachments() }
      try store.emptyJournal()
    } catch {
      // It is deleted all the same; the next checkpoint overwrites what is left of it in the journal.
      environment.logger.notice("journal not emptied", metadata: ["code": "\(error.code)"])
    }
    return content
  }

  /// Opens the files of a draft that is about to be discarded. Once it is, they have no name on the disk any more, and
  /// are gone with whoever holds this.
  func opened(_ attachments: [Attachment]) -> [Attachment.ID: OpenFile] {
    let files = attachments.compactMap { attachment in
      (try? OpenFile(reading: store.attachments.file(of: attachment.checksum))).map { (attachment.id, $0) }
    }
    return Dictionary(files, uniquingKeysWith: { first, _ in first })
  }

  /// Puts back an attachment that was discarded, and stores it.
  func restore(_ key: DraftKey, _ attachment: Attachment, from file: OpenFile) throws(ChatError) {
    let copy = try Store.typed {
      try store.attachments.copy(named: environment.makeID(), atMost: .max) {
        try file.read(OpenFile.pieceBytes, at: $0)
      }
    }
    _ = try attach(key, copy, name: attachment.name, mediaType: attachment.mediaType, atMost: .max)
  }

  /// Puts back what was discarded, in front of what was typed since, and stores it. Its attachments come one by one.
  func restore(_ key: DraftKey, _ content: DraftContent) throws(ChatError) {
    let typed = open(key).buffer.content
    edit(key, typed.isEmpty ? content : Self.merge(content, typed))
    try save(key)
  }
}
