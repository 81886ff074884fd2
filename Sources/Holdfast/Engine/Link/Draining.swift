import Foundation
import HoldfastCore
import HoldfastStore

/// Exactly one drains (SPEC O15): of all clients on one store, in this process and in others, the one that holds the
/// drain lock sends and receives. The others store what they are given, and stand by.
///
/// ```
///   run() ── is about to connect ──► drain lock free ──► sends and receives ──► run() ends, the process dies: let go
///                     ▲                   taken │
///                     └── the holder let go ◄── stands by
/// ```
extension ChatClient {
  /// Whether this client may connect. When another one drains, it has stood by until that ended, or until the task was
  /// cancelled, and is to look again.
  func mayDrain() async throws -> Bool {
    let lock = try drainLock ?? FileLock(store.folder.appendingPathComponent(FileLock.drain))
    drainLock = lock
    if try lock.take() {
      try tidyUpAfterOthers()
      return true
    }
    isTidy = false
    try await standBy(for: lock)
    return false
  }

  /// Ends the waiting of another client, if one stands by. Costs nothing when nothing was drained.
  func stopDraining() {
    drainLock?.release()
    drainLock = nil
  }

  private func standBy(for lock: FileLock) async throws {
    logger.info("another process sends; standing by")
    linkState.standBy()
    publishLink()
    defer { linkState.takeOver() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [environment, drainSignal] in
        try await environment.watcher.watch(lock.file, raising: drainSignal)
      }
      group.addTask { try await self.awaitEnd(of: lock) }
      group.addTask { try await self.watchPath() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Returns once its holder has let go, and it is held here.
  private func awaitEnd(of lock: FileLock) async throws {
    var patience = Patience()
    while !Task.isCancelled, try !lock.take() {
      await drainSignal.wait(until: patience.next(now: environment.uptime()), in: environment)
    }
  }

  /// What a launch would have done, had nobody been draining then: whoever was writing has gone since.
  private func tidyUpAfterOthers() throws {
    guard !isTidy else { return }
    let own = Array(buffers.keys)
    let mark = waitingClock.mark(date: environment.now(), at: environment.uptime())
    try store.writeUnsynced {
      try $0.interruptStreams(except: own)
      try $0.interruptWork(except: session)
      try $0.setWaitingMark(mark)
      $0.changes.isForeign = true
    }
    // In a store that is shared, the next run() may come after another client's.
    isTidy = !store.isShared
  }
}

/// When to look again at a lock whose file was closed and that is still held. Pure.
///
/// The kernel tells of a dead process's closing a moment before it lets go of its locks: a look in between is followed
/// by some more, over a second, each twice as far away. Then nothing is looked at until the file is closed again.
struct Patience: Equatable, Sendable {
  private static let first: Duration = .milliseconds(1)
  static let last: Duration = .milliseconds(512)

  private var pause = first
  private var due: ChatEnvironment.Instant?

  /// Called after each look. Nil: when the file is closed.
  mutating func next(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant? {
    // Woken before its time, it was told.
    if let due, due <= now { pause *= 2 } else { pause = Self.first }
    due = pause > Self.last ? nil : now + pause
    return due
  }
}
