import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// The window was closed for good: its place is removed, and nothing brings it back (SPEC R2). When this returns, that is
  /// on disk. Does nothing to a window that is not known. Its drafts belong to their conversations, and stay.
  ///
  /// ```swift
  /// func application(_ application: UIApplication, didDiscardSceneSessions sessions: Set<UISceneSession>) {
  ///   for session in sessions { try? client.closeScene(SceneID(rawValue: session.persistentIdentifier)) }
  /// }
  /// ```
  ///
  /// A window that only went into the background is not closed. Of windows that nobody closes, the hundred that were
  /// changed last are kept.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The place is there still.
  public nonisolated func closeScene(_ id: SceneID) throws(ChatError) { try scenes.close(id) }

  /// Removes every trace of state and drafts (SPEC R9): where each window was, and what every composer holds, with its
  /// versions, its files, and what was discarded a moment ago. Conversations, messages and the outbox stay.
  ///
  /// ```swift
  /// Button("Reset windows and drafts", role: .destructive) { try? client.clearAll() }
  /// ```
  ///
  /// One transaction; then the journal is emptied. Copies of rows that SQLite has moved may be left in the database until
  /// ``enterBackground()`` compacts it. Windows that are open start anew, and go on being stored.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. Nothing was removed.
  public nonisolated func clearAll() throws(ChatError) {
    store.lookForRenames()
    try scenes.clear { () throws(ChatError) in
      try drafts.clearAll { try $0.deleteAllScenes() }
    }
    // Only now do the windows find that theirs is empty.
    store.changes.publish(Changes(scenes: true))
    store.emptyJournal(environment.logger)
  }
}
