import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Removes the scene of a window that was closed for good. Nothing brings the scene back (SPEC R2). When the call
  /// returns, the removal is on disk. Does nothing for an unknown window. The window's drafts belong to their
  /// conversations, and stay.
  ///
  /// ```swift
  /// func application(_ application: UIApplication, didDiscardSceneSessions sessions: Set<UISceneSession>) {
  ///   for session in sessions { try? client.closeScene(SceneID(rawValue: session.persistentIdentifier)) }
  /// }
  /// ```
  ///
  /// A window that only went into the background is not closed. If an app never closes windows, the scenes of the
  /// hundred windows that changed last are kept.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The scene then still exists.
  public nonisolated func closeScene(_ id: SceneID) throws(ChatError) { try scenes.close(id) }

  /// Removes all scenes and drafts (SPEC R9): the scene of each window, and the content of every composer, with its
  /// versions, its files, and the drafts that were discarded a moment ago. Conversations, messages and the outbox stay.
  ///
  /// ```swift
  /// Button("Reset windows and drafts", role: .destructive) { try? client.resetWindowsAndDrafts() }
  /// ```
  ///
  /// Costs one transaction, and the emptying of the journal after it. Copies of rows that SQLite has moved may be left
  /// in the database until ``enterBackground()`` compacts it. Open windows start anew, and are still stored.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. Nothing is removed then.
  public nonisolated func resetWindowsAndDrafts() throws(ChatError) {
    try scenes.clear { () throws(ChatError) in
      try drafts.clearAll {
        try $0.scenes.deleteAll()
        try $0.conversations.setActive(nil)
      }
    }
    // The windows learn only now that their scenes are empty.
    store.changes.publish(Changes(scenes: true))
    store.emptyJournal(environment.logger)
  }
}
