import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// iOS ends an app that is suspended while it holds a lock in a shared folder (0xdead10cc). ``ChatClient/suspend()``
/// therefore releases every lock (rule S7).
extension ChatClient {
  /// Opens the store as ``init(storage:transport:user:configuration:)`` does. While the store is protected because the
  /// device is locked, the call waits (rule P4).
  ///
  /// ```swift
  /// let client = try await ChatClient.open(
  ///   storage: .applicationSupport("alice"), transport: transport, user: "alice",
  ///   configuration: ChatConfiguration(protectedData: protectedData))
  /// ```
  ///
  /// The call tries at once, and again after each change of ``ChatConfiguration/protectedData``. Nothing polls.
  ///
  /// - Throws: ``ChatError`` with a storage code, except `storageLocked`; `CancellationError`.
  public static func open(
    storage: StorageLocation, transport: any Transport, user: UserID, configuration: ChatConfiguration
  ) async throws -> ChatClient {
    try await open(with: configuration.protectedData, configuration.environment) {
      try ChatClient(storage: storage, transport: transport, user: user, configuration: configuration)
    }
  }

  /// Opens the client that `make` returns, and waits while its store is locked.
  package static func open(
    with protectedData: ProtectedData, _ environment: ChatEnvironment,
    _ make: @Sendable () throws -> ChatClient
  ) async throws -> ChatClient {
    // The subscription comes before the first try, so that no change is missed.
    let signal = Signal()
    let subscription = protectedData.subscribe(signal)
    defer { protectedData.unsubscribe(subscription) }
    while true {
      do {
        return try make()
      } catch let error as ChatError where error.code == .storageLocked {
        environment.logger.info("store is locked; waiting")
      }
      await signal.wait()
      try Task.checkCancellation()
    }
  }

  /// Tries failed work again whenever protected files become available.
  func followProtectedData() async {
    let protectedData = configuration.protectedData
    let signal = Signal()
    let subscription = protectedData.subscribe(signal)
    defer { protectedData.unsubscribe(subscription) }
    while !Task.isCancelled {
      await signal.wait()
      guard !Task.isCancelled, protectedData.isAvailable else { continue }
      retryFailedWork()
    }
  }

  /// Tries failed work again at once, because the store can be used again.
  package func retryFailedWork() {
    drafts.retryNow()
    parts.link.nudge()
    parts.replies.tryAgain()
    sharedStates.fetches.ring()
    // Values that could not be read before are read now.
    var changes = Changes()
    changes.isForeign = true
    store.changes.publish(changes)
  }

  /// Flushes the content of every composer and the scene of every window. When the call returns, all of it is on
  /// disk. Call it when the app resigns active or enters the background (rules D4, R8). It takes one short
  /// transaction for each unsaved draft and one for all windows, and none when nothing has changed.
  ///
  /// - Throws: ``ChatError`` with the code of a draft that cannot be saved, such as `draftTooLong`, with a storage
  ///   code, or with one that begins with `scene`. A draft's error comes before that of a window. Content that could
  ///   not be stored stays in its composer or window, and everything else is stored.
  public nonisolated func hardSave() throws(ChatError) {
    let texts = Result { () throws(ChatError) in try drafts.saveAll() }
    let places = Result { () throws(ChatError) in try scenes.saveAll() }
    // The error of a text is thrown before that of a window.
    try texts.get()
    try places.get()
  }

  /// Removes the scene of a window that was closed permanently. Nothing brings the scene back (rule R2). When the call
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
  /// - Throws: ``ChatError`` with a storage code. The scene then still exists.
  public nonisolated func closeScene(_ id: SceneID) throws(ChatError) { try scenes.close(id) }

  /// Removes all scenes and drafts (rule R9): the scene of each window, and the content of every composer, with its
  /// versions, its files, and the drafts that were discarded a moment ago. Conversations, messages and the outbox stay.
  ///
  /// ```swift
  /// Button("Reset windows and drafts", role: .destructive) { try? client.resetWindowsAndDrafts() }
  /// ```
  ///
  /// Costs one transaction, and the emptying of the journal after it. Copies of rows that SQLite has moved may be left
  /// in the database until ``enterBackground()`` compacts it. Open windows start empty, and are still stored.
  ///
  /// - Throws: ``ChatError`` with a storage code. Nothing is removed then.
  public nonisolated func resetWindowsAndDrafts() throws(ChatError) {
    try scenes.clear { () throws(ChatError) in
      try drafts.clearAll {
        try $0.scenes.deleteAll()
        try $0.conversations.setActive(nil)
      }
    }
    // The windows are notified only now that their scenes are empty.
    store.changes.publish(Changes(scenes: true))
    store.emptyJournal(environment.logger)
  }

  /// The time that the tasks of ``run()`` may take to end before the store is closed beneath them.
  private static let grace: Duration = .seconds(1)

  /// Prepares for the background: the one call that is needed there. Typed content and the scenes of all windows are
  /// stored, and the files are tidied up. On systems that suspend apps (iOS, iPadOS, tvOS, visionOS and watchOS), the
  /// client is then suspended, as ``suspend()`` does. Elsewhere it keeps sending and receiving.
  ///
  /// ```swift
  /// .onChange(of: phase) {
  ///   Task {
  ///     switch phase {
  ///     case .background: try await client.enterBackground()
  ///     case .active: try await client.resume()
  ///     default: break
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// Tidying up writes the journal back, truncates it, and gives the space of deleted messages back to the disk (rule
  /// S6). A store of up to 16 MB from which something was deleted is compacted: SQLite rewrites it, and no copy of a
  /// deleted text is left (rule S9). An app with a ``ChatSession`` does not call this: the session saves by itself, and
  /// suspends its client where the system suspends apps, once nothing is in flight.
  ///
  /// - Throws: ``ChatError`` when typed content could not be stored: it stays in its composer. Otherwise as
  ///   ``suspend()``.
  public func enterBackground() async throws(ChatError) {
    if configuration.suspendsApps { return try await suspend() }
    try saveAndTidyUp()
  }

  package nonisolated func saveAndTidyUp() throws(ChatError) {
    try hardSave()
    store.tidyUp(logger)
  }

  /// Stores typed content and the scenes of all windows, ends the connection to the server, tidies up the files and
  /// closes them. When the call returns, no lock is held, no transaction is open, and another process may send.
  /// ``enterBackground()`` calls it where the system suspends apps. An app calls it to hand its store to another
  /// process.
  ///
  /// ```swift
  /// try await client.suspend()
  /// // Another process opens the store, and closes it.
  /// try await client.resume()
  /// ```
  ///
  /// Until ``resume()``, every call that reads or stores throws ``ChatError`` with code `suspended`. Composers still
  /// accept text and keep their content; snapshots stay as they are. ``run()`` continues after ``resume()``.
  ///
  /// Costs a transaction for each unsaved draft, one for the windows, and the writing back of the journal, at most
  /// about 4 MB. A transport that does not end within a second is not waited for. After a crash, the content that was
  /// stored before is left.
  ///
  /// - Throws: ``ChatError`` when typed content could not be stored: it stays in its composer, and the client is
  ///   suspended anyway. Code `storageFailed` when the files could not be closed.
  public func suspend() async throws(ChatError) {
    guard !isSuspended else { return }
    isSuspended = true
    logger.info("suspending")
    let unsaved = Self.error { () throws(ChatError) in try hardSave() }
    do { try parts.replies.storeDue(all: true) } catch {
      logger.error("tokens not stored", metadata: ["error": "\(error)"])
    }
    await stopWorking()
    // The client was resumed meanwhile.
    guard isSuspended else { return }
    store.tidyUp(logger)
    let unclosed = Self.error { () throws(ChatError) in try store.suspend() }
    if let error = unclosed ?? unsaved { throw error }
  }

  /// Ends the tasks of ``run()``, and releases the drain lock.
  func stopWorking() async {
    if isWorking {
      suspendSignal.raise()
      let deadline = environment.uptime() + Self.grace
      while isWorking, environment.uptime() < deadline {
        await restSignal.wait(until: deadline, in: environment)
      }
    }
    parts.drainLock.release()
  }

  /// Opens the store again and continues after ``suspend()``: shown content is read again, and a ``run()`` that is
  /// under way connects. Does nothing when the client is not suspended.
  ///
  /// - Throws: ``ChatError`` with a storage code. The client stays suspended, and the next call
  ///   tries again. After `storageLocked`, that call is due once the device is unlocked.
  public func resume() throws(ChatError) {
    guard isSuspended else { return }
    try store.resume()
    isSuspended = false
    // Another process may have sent and received meanwhile.
    parts.drainLock.distrust()
    parts.others.notice()
    retryFailedWork()
    resumeSignal.raise()
    logger.info("resumed")
  }

  private static func error(_ body: () throws(ChatError) -> Void) -> ChatError? {
    do throws(ChatError) {
      try body()
      return nil
    } catch {
      return error
    }
  }
}
