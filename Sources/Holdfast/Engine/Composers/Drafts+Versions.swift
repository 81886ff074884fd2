import Foundation
import HoldfastCore
import HoldfastStore

extension Drafts {
  /// The versions of a draft, newest first. Unsaved content is stored first, so that a version that it leaves behind is
  /// included.
  package func versions(_ key: DraftKey) throws(ChatError) -> [DraftVersion] {
    try save(key)
    return try store.read { try $0.versions(of: current(key)) }
  }

  /// Puts a version into the composer, in one transaction. The composer's present content becomes a version, so that
  /// this can be taken back too. The restored version is deleted from the versions.
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
          throw ChatError(.invalidDraft, "The version of the draft does not exist. Read the versions again.")
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
