import Foundation
import HoldfastCore
import HoldfastStore

/// Composers in a store that another process writes to as well (rules O15, D13). The store-wide revision decides which
/// of two texts is newer. Text that was typed in either process is never lost.
///
/// ```
///                            the other process stores, sends or discards the draft
///   nothing unsaved here ─────────────────────────────────────────────────────────► follows
///   typed, and not saved ──► stays as it is; the save puts it behind the other's text
///                        ──► or is sent alone, and the other's text stays a draft
///   an edit, and the other process edits another message ──► is stored once the other edit is finished
///   files ── are stored when they are picked: the draft has the stored files, whichever process picked them
/// ```
extension Drafts {
  /// Follows another process that has written: composers without unsaved content take over the stored drafts.
  func followOthers() {
    let followed = withTable { table -> [DraftKey] in
      let keys = table.resting
      guard !keys.isEmpty else { return [] }
      do throws(ChatError) {
        // All drafts are from one snapshot. The lock puts every save of this process before it or after it.
        return zip(keys, try storage.kept(keys)).compactMap { key, kept in
          guard let entry = table[key] else { return nil }
          if kept.draft?.edition != entry.edition {
            table[key]?.follow(kept)
          } else if kept.versionCount != entry.versionCount {
            // The draft was written and emptied by the other process: only a version of it is left.
            table[key]?.versionCount = kept.versionCount
          } else {
            return nil
          }
          return key
        }
      } catch {
        environment.logger.error("drafts not read", metadata: ["code": "\(error.code)"])
        return []
      }
    }
    for key in followed { announce(key) }
  }

  /// Follows other processes if one has written since the last call.
  func noticeOthers() {
    do throws(ChatError) {
      guard try store.hasOthersCommits() else { return }
      followOthers()
    } catch {
      environment.logger.error("commits of other processes not read", metadata: ["code": "\(error.code)"])
    }
  }
}
