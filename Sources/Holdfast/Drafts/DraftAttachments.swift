import Foundation

extension Drafts {
  /// Adds a file to a draft, in the transaction that gives it its name. What was typed is stored with it. When it
  /// fails, the draft is as it was and the copy is gone.
  func attach(
    _ key: DraftKey, _ copy: AttachmentFolder.Import, name: String, mediaType: String, atMost limit: Int
  ) throws(ChatError) -> Attachment {
    let attachment = Attachment(
      checksum: copy.checksum, name: name, mediaType: mediaType, byteCount: copy.byteCount)
    do throws(ChatError) {
      try change(key) { content, transaction in
        let isNew = !content.attachments.contains { $0.id == attachment.id }
        guard !isNew || content.attachments.count < limit else {
          throw ChatError(.tooManyAttachments, "A message has at most \(limit) attachments.")
        }
        try store.attachments.settle(copy)
        try transaction.insertAttachment(attachment, isHere: true, now: environment.now())
        if isNew { content.attachments.append(attachment) }
      }
      return attachment
    } catch {
      store.attachments.abandon(copy)
      // It may have had its name already when the commit failed.
      try? store.removeFiles(of: [copy.checksum])
      throw error
    }
  }

  /// Takes a file out of a draft. Does nothing when it is not in it.
  func detach(_ key: DraftKey, _ id: Attachment.ID) throws(ChatError) {
    try change(key) { content, _ in content.attachments.removeAll { $0.id == id } }
  }

  /// Changes the attachments of a draft, and stores all of it in one transaction.
  private func change(
    _ key: DraftKey, _ body: (inout DraftContent, Transaction) throws -> Void
  ) throws(ChatError) {
    let result = entries.withLock { entries -> Result<Void, ChatError> in
      load(key, in: &entries)
      guard var entry = entries[key], entry.isLoaded else {
        return .failure(ChatError(.storageBusy, "The draft has not been loaded yet. Try again."))
      }
      do throws(ChatError) {
        let content = try store.write { transaction in
          var content = entry.buffer.content
          try body(&content, transaction)
          try save(key, content, in: transaction)
          try transaction.setAttachments(content.attachments, of: .draft(key))
          return content
        }
        entry.buffer.replace(with: content)
        entry.isRecovered = false
        entry.writtenAt = content.isEmpty ? nil : environment.now()
        entry.problem = nil
        entries[key] = entry
        return .success(())
      } catch {
        entry.problem = error
        entries[key] = entry
        return .failure(error)
      }
    }
    announce(key)
    try result.get()
  }

  /// What could not be attached is told where the draft is shown.
  func note(_ problem: ChatError, in key: DraftKey) {
    entries.withLock { $0[key]?.problem = problem }
    announce(key)
  }
}
