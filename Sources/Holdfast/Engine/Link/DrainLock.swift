import Foundation
import HoldfastCore
import HoldfastStore

/// The right to send and receive, which one client of a store has at a time (rule O15).
final class DrainLock {
  private let context: EngineContext
  private let replies: Replies
  /// Open from the first attempt to connect to the end of `run()`.
  private var lock: FileLock?
  /// Whether no other client has drained since this one marked the incomplete messages.
  private var isTidy: Bool

  private var store: Store { context.store }

  /// Marks the messages that an earlier process left incomplete, unless another client is running.
  init(_ context: EngineContext, replies: Replies) throws(ChatError) {
    (self.context, self.replies, isTidy) = (context, replies, false)
    let lock = try? store.openDrainLock()
    guard (try? lock?.acquire()) == true else { return }
    defer { lock?.release() }
    try tidyUp()
  }

  /// The lock's file, opened.
  func opened() throws -> FileLock {
    let lock = try lock ?? store.openDrainLock()
    self.lock = lock
    return lock
  }

  /// Acquires the lock if no other client has it. Returns whether this client has it now.
  func acquire() throws -> Bool {
    guard try opened().acquire() else {
      isTidy = false
      return false
    }
    try tidyUpAfterOthers()
    return true
  }

  /// Ends the waiting of another client, if there is one. Costs nothing without the lock.
  func release() {
    lock?.release()
    lock = nil
  }

  /// Another client may have drained in the meantime.
  func distrust() { isTidy = false }

  /// Cleans up as at a launch, because the clients that wrote then have ended.
  private func tidyUpAfterOthers() throws(ChatError) {
    guard !isTidy else { return }
    try tidyUp { $0.changes.isForeign = true }
  }

  private func tidyUp(_ also: (Transaction) -> Void = { _ in }) throws(ChatError) {
    let mark = context.waitingClock.mark(
      date: context.environment.now(), at: context.environment.uptime())
    try store.writeUnsynced {
      try $0.streams.interruptAll(except: replies.openMessages)
      try $0.streams.interruptRequests(except: context.session)
      try $0.outbox.setWaitingMark(mark)
      also($0)
    }
    // In a shared store, the next run() may come after another client's.
    isTidy = !store.isShared
  }
}
