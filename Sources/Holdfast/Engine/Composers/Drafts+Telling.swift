import HoldfastCore
import HoldfastStore

/// The banner of a restored draft is shown once in a launch of the app, in one composer (SPEC D10, D11).
extension Drafts {
  /// Whether no banner has told of the draft yet, and its user was not asked about it and keeps it.
  func isToBeTold(_ key: DraftKey) -> Bool {
    table.withLock { table in
      let key = table.current(key)
      return !table.told.contains(key) && table[key]?.isKept != true
    }
  }

  /// Notes that a composer on the screen tells of the draft. Returns whether it is the first one.
  func tell(_ key: DraftKey) -> Bool {
    table.withLock { table in table.told.insert(table.current(key)).inserted }
  }

  /// Stores that the user keeps an old draft. It is asked about again once its text has changed.
  func keep(_ key: DraftKey) throws(ChatError) {
    store.lookForRenames()
    try locked { table throws(ChatError) in
      let key = table.current(key)
      table.told.insert(key)
      table.load(key)
      try table.write(key)
      try store.write { transaction in
        let conversation = transaction.current(key.conversation)
        try transaction.keepDraft(DraftKey(conversation: conversation, slot: key.slot))
      }
      table[key]?.isKept = true
    }
  }
}
