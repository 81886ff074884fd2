import Foundation
import HoldfastCore
import HoldfastStore

extension Drafts {
  /// Newest first. What is about to become one with the next save is stored first.
  package func versions(_ key: DraftKey) throws(ChatError) -> [DraftVersion] {
    try save(key)
    return try store.read { try $0.versions(of: current(key)) }
  }

  /// Puts a version into the composer, in one transaction. What is there becomes a version, so that this too can be
  /// taken back; the version that it was is none any more.
  package func restoreVersion(_ id: Int64, _ key: DraftKey) throws(ChatError) {
    store.lookForRenames()
    let result = table.withLock { table -> Result<DraftContent, ChatError> in
      let key = table.current(key)
      table.load(key)
      guard var entry = table.entries[key], entry.isLoaded, key.slot == .new || entry.editing != nil else {
        return .failure(ChatError(.storageBusy, "The draft has not been loaded yet. Try again."))
      }
      entry.versionCount -= 1
      return table.replace(key, entry) { present, transaction in
        guard let version = try transaction.takeVersion(id, of: key) else {
          throw ChatError(.invalidDraft, "There is no such version of the draft any more.")
        }
        return DraftContent(
          version.text, selection: version.selection, replyTo: present.replyTo,
          attachments: present.attachments
        ).restorable
      }
    }
    announce(key)
    _ = try result.get()
  }
}
