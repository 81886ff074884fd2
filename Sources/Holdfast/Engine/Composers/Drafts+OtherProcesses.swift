import Foundation
import HoldfastCore
import HoldfastStore

/// Composers in a store that another process writes to as well (SPEC O15, D13). Which of two texts is newer is decided
/// by the store-wide revision, and what was typed on either side is lost on none.
///
/// ```
///                            the other process stores, sends or discards the draft
///   nothing unsaved here ─────────────────────────────────────────────────────────► follows
///   typed, and not saved ──► stays as it is; the save puts it behind the other's text
///                        ──► or is sent alone, and the other's text stays a draft
///   an edit, and the other process edits another message ──► is stored once that one is finished
///   files ── are stored when they are picked: those of the store are the draft's, whoever picked them
/// ```
extension Drafts {
  /// Another process has written: composers with nothing unsaved take over what it stored.
  func followOthers() {
    for key in takeOver() { announce(key) }
  }

  private func takeOver() -> [DraftKey] {
    table.withLock { table in
      table.adoptRenames()
      let resting = table.entries.filter {
        $0.value.isLoaded && !$0.value.buffer.isTyped && $0.value.buffer.setAside.isEmpty
      }
      let keys = Self.ordered(resting.keys)
      guard !keys.isEmpty else { return [] }
      do throws(ChatError) {
        // All from one snapshot, and the lock keeps every save of our own in front of it or behind it.
        let drafts = try storage.kept(keys)
        return zip(keys, drafts).compactMap { key, kept in
          guard let entry = table.entries[key] else { return nil }
          if kept.draft?.edition != entry.edition {
            table.entries[key]?.follow(kept)
          } else if kept.versionCount != entry.versionCount {
            // Written and emptied there: only a version is left of it.
            table.entries[key]?.versionCount = kept.versionCount
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
  }
}
