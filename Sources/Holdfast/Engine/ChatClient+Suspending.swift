import Foundation
import HoldfastCore
import HoldfastStore

/// iOS ends an app that is suspended while it holds a lock in a shared folder (0xdead10cc). ``ChatClient/suspend()``
/// therefore releases every lock (SPEC S7).
extension ChatClient {
  /// The time that the tasks of ``run()`` may take to end before the store is closed beneath them.
  private static let grace: Duration = .seconds(1)

  /// Prepares for the background: the one call that is needed there. Typed content and the scenes of all windows are
  /// stored, and the files are tidied up. On systems that suspend apps (iOS, iPadOS, tvOS, visionOS and watchOS), the
  /// client is then suspended, as ``suspend()`` does. Elsewhere it goes on sending and receiving.
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
  /// Tidying up writes the journal back, truncates it, and gives the space of deleted messages back to the disk (SPEC
  /// S6). A store of up to 16 MB from which something was deleted is compacted: SQLite writes it anew, and no copy of a
  /// deleted text is left (SPEC S9). An app with a ``ChatSession`` does not call this: the session saves by itself, and
  /// suspends its client where the system suspends apps, once nothing is on its way.
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
  /// ``enterBackground()`` calls it where the system suspends apps. An app calls it to hand its store to another process.
  ///
  /// ```swift
  /// try await client.suspend()
  /// // Another process opens the store, and closes it.
  /// try await client.resume()
  /// ```
  ///
  /// Until ``resume()``, every call that reads or stores throws ``ChatError`` with code `suspended`. Composers still
  /// accept text and keep their content; snapshots stay as they are. ``run()`` goes on after ``resume()``.
  ///
  /// Costs a transaction for each unsaved draft, one for the windows, and the writing back of the journal, at most
  /// about 4 MB. A transport that does not end within a second is not waited for. After a crash, the content that was
  /// stored before is left.
  ///
  /// - Throws: ``ChatError`` when typed content could not be stored: it stays in its composer, and the client is
  ///   suspended all the same. Code `storageFailed` when the files could not be closed.
  public func suspend() async throws(ChatError) {
    guard !isSuspended else { return }
    isSuspended = true
    logger.info("suspending")
    let unsaved = Self.error { () throws(ChatError) in try hardSave() }
    do { try replies.storeDue(all: true) } catch {
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
    drainLock.release()
  }

  /// Opens the store again and continues after ``suspend()``: shown content is read again, and a ``run()`` that is
  /// under way connects. Does nothing when the client is not suspended.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The client stays suspended, and the next call
  ///   tries again. After `storageLocked`, that call is due once the device is unlocked.
  public func resume() throws(ChatError) {
    guard isSuspended else { return }
    try store.resume()
    isSuspended = false
    // Another process may have sent and received meanwhile.
    drainLock.distrust()
    noticeOthers()
    goOn()
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
