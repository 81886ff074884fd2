import Foundation
import GRDB
import HoldfastCore

/// All that the store has of a draft.
package struct KeptDraft {
  /// Nil: there is none.
  package var draft: StoredDraft?
  /// What the message says that it is the edit of.
  package var original: DraftContent?
  package var versionCount: Int

  package init(draft: StoredDraft? = nil, original: DraftContent? = nil, versionCount: Int) {
    self.draft = draft
    self.original = original
    self.versionCount = versionCount
  }

  /// A composer that shows it.
  package var buffer: DraftBuffer {
    guard let stored = draft?.content.restorable else { return DraftBuffer(stored: DraftContent()) }
    return draft?.editing == nil ? DraftBuffer(stored: stored) : DraftBuffer(editOf: original, stored: stored)
  }
}

extension Database {
  package func kept(_ key: DraftKey) throws -> KeptDraft {
    let draft = try draft(key)
    let message = try draft?.editing.flatMap { try editableMessage($0) }
    return KeptDraft(
      draft: draft, original: message?.content, versionCount: try versionCount(of: key))
  }
}
