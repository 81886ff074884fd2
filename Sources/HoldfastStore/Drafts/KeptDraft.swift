import Foundation
import GRDB
import HoldfastCore

/// The stored parts of a draft.
package struct KeptDraft {
  /// Nil when there is no draft.
  package var draft: StoredDraft?
  /// The content of the message that the draft edits.
  package var original: DraftContent?
  package var versionCount: Int

  package init(draft: StoredDraft? = nil, original: DraftContent? = nil, versionCount: Int) {
    self.draft = draft
    self.original = original
    self.versionCount = versionCount
  }

  /// The buffer of a composer that shows the draft.
  package func buffer(intervals: ChatConfiguration.SaveIntervals) -> DraftBuffer {
    guard let stored = draft?.content.restorable else {
      return DraftBuffer(stored: DraftContent(), intervals: intervals)
    }
    guard draft?.editing != nil else { return DraftBuffer(stored: stored, intervals: intervals) }
    return DraftBuffer(editOf: original, stored: stored, intervals: intervals)
  }
}

extension DraftRows {
  package func kept(_ key: DraftKey) throws -> KeptDraft {
    let draft = try restorable(key)
    let message = try draft?.editing.flatMap { try db.messages.editable($0) }
    return KeptDraft(
      draft: draft, original: (message?.content).map { DraftContent($0) },
      versionCount: try versionCount(of: key))
  }
}
