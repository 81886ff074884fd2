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
    try changing(key) { table, key, entry throws(ChatError) in
      guard key.slot == .new || entry.editing != nil else { throw .draftNotLoaded }
      var entry = entry
      entry.versionCount -= 1
      try table.replace(key, entry) { present, transaction in
        guard let version = try transaction.takeVersion(id, of: key) else {
          throw ChatError(.invalidDraft, "The version of the draft does not exist. Read the versions again.")
        }
        return DraftContent(
          version.text, selection: version.selection, replyTo: present.replyTo,
          attachments: present.attachments
        ).restorable
      }
    }
  }
}
