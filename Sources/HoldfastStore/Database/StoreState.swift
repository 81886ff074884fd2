import Foundation
import GRDB
import HoldfastCore

/// Whether the store has its file open (rule S7).
///
/// ```
///          suspend()               erase()
///   open ─────────────► suspended ─────────► erased
///        ◄─────────────     │
///          resume()         └─ resume() that fails: suspended still, and the next one may succeed
/// ```
enum StoreState {
  case open(DatabasePool)
  case suspended
  case erased
}

extension Store {
  static func open(
    _ file: URL, _ gate: CommitGate?, _ lock: FileLock?, _ reserve: Reserve,
    _ protection: StorageProtection
  ) throws(ChatError) -> DatabasePool {
    let open = {
      try exclusively(lock) {
        try gate?.willOpen()
        if isProtected(file) { throw ChatError.locked }
        let folder = file.deletingLastPathComponent()
        try makePrivateFolder(folder)
        let isNew = try !StoreReading.isThere(in: folder)
        // The class is set before there is a file: files made in the folder inherit it.
        if isNew { try protection.apply(to: folder) }
        let pool = try openDurableDatabase(at: file, label: "holdfast") { db in
          try SchemaCheck.refuseWhatIsNotOurs(db)
          // The files beside a foreign database keep their class.
          try protection.apply(to: folder)
        }
        if isNew { try Schema.make(in: pool) }
        let isComplete = try pool.writeWithoutTransaction(Schema.migrator.hasCompletedMigrations)
        if !isComplete { try Schema.migrator.migrate(pool) }
        return pool
      }
    }
    do throws(ChatError) {
      return try reportingLock(file, open)
    } catch {
      guard error.code == .storageFull, reserve.release() else { throw error }
      return try reportingLock(file, open)
    }
  }

  /// Passes the connections to `body`. A call in progress when they are closed is finished first.
  ///
  /// - Throws: ``ChatError`` with code `suspended` or `storageErased` when there are no connections.
  func access<Value>(_ body: (DatabasePool) throws -> Value) throws(ChatError) -> Value {
    let pool = try openPool()
    do throws(ChatError) {
      return try Self.reportingLock(file) { try body(pool) }
    } catch {
      // The pool was closed between lookup and use, and perhaps opened again.
      guard try openPool() === pool else { throw .suspended }
      throw error
    }
  }

  private func openPool() throws(ChatError) -> DatabasePool {
    switch state.withLock({ $0 }) {
    case .open(let pool): return pool
    case .suspended: throw .suspended
    case .erased: throw ChatError(.storageErased, "The store was erased. Open a new one.")
    }
  }

  func requireOpen() throws(ChatError) { _ = try openPool() }

  /// Closes the connections once their users are done. Afterwards neither SQLite nor the engine holds a lock.
  /// Checkpoints the journal if no other process has the store open.
  package func suspend() throws(ChatError) {
    defer { copies.wait() }
    try close(.suspended)
  }

  /// Runs `body`, which copies a file into the store under a lock. If the store is suspended meanwhile, the calls of
  /// `body` throw, and it releases the lock. ``suspend()`` waits for that.
  package func copying<Value>(_ body: () throws(ChatError) -> Value) throws(ChatError) -> Value {
    copies.enter()
    defer { copies.leave() }
    return try body()
  }

  func close(_ end: StoreState) throws(ChatError) {
    let before = state.withLock { state in
      defer { state = end }
      return state
    }
    guard case .open(let pool) = before else { return }
    tail.close()
    try Self.typed { try Self.exclusively(writeLock) { try pool.close() } }
    forgetVersions()
  }

  /// Opens the connections again. If that fails, the store stays suspended, and the next call tries again.
  package func resume() throws(ChatError) {
    switch state.withLock({ $0 }) {
    case .open: return
    case .erased: _ = try openPool()
    case .suspended:
      let pool = try Self.open(file, gate, writeLock, reserve, protection)
      let isTaken = state.withLock { state in
        guard case .suspended = state else { return false }
        state = .open(pool)
        return true
      }
      guard isTaken else { return }
      try readAgain()
    }
  }

  /// Whether the file is protected. A protected file is visible but cannot be opened; on Apple's systems it is
  /// protected until the device is unlocked (rule P4). Missing permission is another error, `EACCES`.
  ///
  /// If there is a journal, the journal is opened for the test. There is one while any connection is open.
  /// Closing a file releases all locks that the process has on that file (POSIX `fcntl`, and
  /// <https://sqlite.org/howtocorrupt.html>, section 2.2). If the database were opened and closed here, its locks
  /// would be lost. The next process that closes the database would then remove the journal that this process is
  /// using. SQLite holds no locks on the journal itself.
  package static func isProtected(_ file: URL) -> Bool {
    let journal = file.deletingLastPathComponent().appendingPathComponent(journalName)
    do throws(POSIXError) {
      _ = try OpenFile(reading: (try? FileStatus(of: journal)) == nil ? file : journal)
      return false
    } catch {
      return error.code == .EPERM
    }
  }

  /// Runs `body` like ``typed(_:)``. A failure while the file is protected is reported as a lock: the device may be
  /// locked between two reads, and SQLite then reports a disk error, or a disk without room for the journal's index.
  package static func reportingLock<Value>(
    _ file: URL, _ body: () throws -> Value
  ) throws(ChatError) -> Value {
    do throws(ChatError) {
      return try typed(body)
    } catch {
      let mayBeLock: Set<ChatError.Code> = [.storageFailed, .storagePermissions, .storageFull]
      throw mayBeLock.contains(error.code) && isProtected(file) ? .locked : error
    }
  }
}

extension ChatError {
  package static let suspended = ChatError(
    .suspended, "The store is suspended. Resume it and try again; what is typed stays in the composer.")

  package static let locked = ChatError(
    .storageLocked, "The store is protected until the device is unlocked. It opens then.")
}
