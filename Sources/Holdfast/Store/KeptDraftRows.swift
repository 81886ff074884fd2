import Foundation
import GRDB

/// All that the store has of a draft.
struct KeptDraft {
  /// Nil: there is none.
  var draft: StoredDraft?
  /// What the message says that it is the edit of.
  var original: DraftContent?
  var versionCount: Int

  /// A composer that shows it.
  var buffer: DraftBuffer {
    guard let stored = draft?.content.restorable else { return DraftBuffer(stored: DraftContent()) }
    return draft?.editing == nil ? DraftBuffer(stored: stored) : DraftBuffer(editOf: original, stored: stored)
  }
}

extension Database {
  func kept(_ key: DraftKey) throws -> KeptDraft {
    let draft = try draft(key)
    let message = try draft?.editing.flatMap { try editableMessage($0) }
    return KeptDraft(
      draft: draft, original: message?.content, versionCount: try versionCount(of: key))
  }
}
