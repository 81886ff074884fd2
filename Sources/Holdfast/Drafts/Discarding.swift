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

  /// Puts back what was discarded, in front of what was typed since, and stores it.
  func restore(_ key: DraftKey, _ content: DraftContent) throws(ChatError) {
    let typed = open(key).buffer.content
    edit(key, typed.isEmpty ? content : Self.merge(content, typed))
    try save(key)
  }
}
