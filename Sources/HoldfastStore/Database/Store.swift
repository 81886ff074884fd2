import Foundation
import GRDB
import HoldfastCore
import Synchronization

/// The SQLite file that holds the engine's state. Every intent is one call of ``write(_:)``: one transaction, on
/// disk when it returns. All calls are synchronous and may come from any thread.
package final class Store: Sendable {
  package let changes = ChangeHub()
  package let names = ConversationNames()
  /// The data that was deleted on this device.
  package let deletions = SharedLocalDeletions()
  /// Whether operations may wait for their messages (rule B2). With a server that sends states, none wait, and the
  /// lookup for each message is skipped.
  private let mayHaveWaiting = Mutex(true)
  package let folder: URL
  package let attachments: AttachmentFolder
  /// The lock that is held for each transaction and each checkpoint, when several processes write. Nil when only
  /// one process writes.
  package let writeLock: FileLock?
  package let file: URL
  /// The file that is deleted when the disk is full, so that the last draft still fits.
  let reserve: Reserve
  /// The stream log: text of replies that the database does not have yet.
  package let tail: StreamLog
  /// The store's connections to its file, or the reason why there are none.
  let state: Mutex<StoreState>
  /// The copies into the store that are in progress.
  package let copies = DispatchGroup()
  package let protection: StorageProtection
  package let gate: CommitGate?
  /// The version that SQLite returned when it was last asked whether other connections have committed.
  private let seenVersion = Mutex<Int64?>(nil)
  /// The version that SQLite returned when the names and the deletions were last read.
  private let namesVersion = Mutex<Int64?>(nil)

  /// Opens the store in `folder`, and makes it if it is missing. A store that was shared once stays shared, even if
  /// `isShared` is false.
  package init(
    folder: URL, owner: UserID, gate: CommitGate? = nil, isShared: Bool = false,
    protection: StorageProtection = StorageProtection()
  ) throws(ChatError) {
    self.folder = folder
    self.protection = protection
    attachments = AttachmentFolder(in: folder)
    self.gate = gate
    let file = folder.appendingPathComponent(Self.fileName)
    self.file = file
    let reserve = Reserve(in: folder)
    self.reserve = reserve
    try Self.typed { try StoreExchange.finish(folder) }
    tail = StreamLog(in: folder)
    let lock = try Self.reportingLock(file) { try Self.writeLock(in: folder, isShared: isShared) }
    writeLock = lock
    let pool = try Self.open(file, gate, lock, reserve, protection)
    state = Mutex(.open(pool))
    try write { try $0.settings.claim(for: owner) }
    // An earlier process may have been killed. If the disk is full, the text stays in the stream log.
    try? foldTail()
    try readAgain()
    if lock != nil { _ = try hasOthersCommits() }
  }

  deinit {
    // Closing the last connection checkpoints the journal.
    guard let writeLock, case .open(let pool) = state.withLock({ $0 }) else { return }
    try? writeLock.hold { try pool.close() }
  }

  package static let fileName = "store.sqlite"

  package var isShared: Bool { writeLock != nil }

  /// Opens the lock of the process that sends and receives, without locking it.
  package func openDrainLock() throws(ChatError) -> FileLock {
    try Self.reportingLock(file) { try FileLock(folder.appendingPathComponent(FileLock.drain)) }
  }

  private static func writeLock(in folder: URL, isShared: Bool) throws(ChatError) -> FileLock? {
    let file = folder.appendingPathComponent(FileLock.write)
    guard isShared || FileManager.default.fileExists(atPath: file.path) else { return nil }
    try typed { try makePrivateFolder(folder) }
    return try FileLock(file)
  }

  /// Runs `body` in one transaction. When it returns, the commit is on disk, and the observers of its changes are
  /// notified.
  package func write<Value>(_ body: (Transaction) throws -> Value) throws(ChatError) -> Value {
    try access { pool in
      let transaction = try pool.writeWithoutTransaction { db in
        try Self.exclusively(writeLock) { try commit(db, body) }
      }
      try gate?.didCommit()
      announce(transaction.changes)
      return transaction.value
    }
  }

  /// Like ``write(_:)``, for a draft. If the disk is full, the reserve is deleted and `body` is called a second time
  /// (rule S4).
  package func writeDraft<Value>(_ body: (Transaction) throws -> Value) throws(ChatError) -> Value {
    do throws(ChatError) {
      return try write(body)
    } catch {
      guard error.code == .storageFull, reserve.release() else { throw error }
      return try write(body)
    }
  }

  /// Like ``write(_:)``, for data that must survive a crash of the process but not a power failure. Costs no sync.
  package func writeUnsynced<Value>(_ body: (Transaction) throws -> Value) throws(ChatError) -> Value {
    try access { pool in
      let transaction = try pool.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA synchronous = NORMAL")
        defer { try? db.execute(sql: "PRAGMA synchronous = FULL") }
        return try Self.exclusively(writeLock) { try commit(db, body) }
      }
      try gate?.didCommit()
      announce(transaction.changes)
      return transaction.value
    }
  }

  /// Runs `body` on one consistent snapshot of the last commit. It blocks no writer and waits for none.
  package func read<Value>(_ body: (Reading) throws -> Value) throws(ChatError) -> Value {
    try access { pool in try pool.read { try body(Reading($0, isShared ? nil : names)) } }
  }

  /// Reads again the data that is cached in memory.
  func readAgain() throws(ChatError) {
    let (known, deleted, waits) = try read {
      (try $0.conversations.storedNames(), try $0.deletions.stored(), try $0.operations.hasWaiting())
    }
    names.set(known)
    mayHaveWaiting.withLock { $0 = waits }
    deletions.set(deleted)
  }

  /// Whether another connection has committed since the last call. That connection belongs to another process or
  /// to another client.
  package func hasOthersCommits() throws(ChatError) -> Bool {
    let version: Int64? = try access { pool in
      try pool.writeWithoutTransaction { db in
        let reading = Reading(db)
        try readNames(reading)
        return try reading.dataVersion()
      }
    }
    return seenVersion.withLock { seen in
      defer { seen = version }
      return seen != version
    }
  }

  /// The key of the conversation that has this name, or had it last. If several processes use the store, another
  /// process may have just assigned the name.
  package func key(of name: ConversationID) -> ConversationKey {
    followNames()
    return names.key(of: name)
  }

  /// Reads the names that other processes have assigned. Call it before keys are looked up. A transaction reads the
  /// names again.
  package func followNames() {
    guard isShared else { return }
    // If the read fails here, the transaction reads again and reports why.
    try? access { pool in try pool.writeWithoutTransaction { try readNames(Reading($0)) } }
  }

  private func readNames(_ reading: Reading) throws {
    guard isShared else { return }
    let version = try reading.dataVersion()
    guard namesVersion.withLock({ $0 }) != version else { return }
    names.set(try reading.conversations.storedNames())
    deletions.set(try reading.deletions.stored())
    let waits = try reading.operations.hasWaiting()
    mayHaveWaiting.withLock { $0 = waits }
    namesVersion.withLock { $0 = version }
  }

  /// Runs `body` under the lock, if there is one. In SQLite before 3.51.3, two connections that write or
  /// checkpoint at the same instant may damage the file (rule S2). The lock keeps them apart.
  static func exclusively<Value>(_ lock: FileLock?, _ body: () throws -> Value) throws -> Value {
    guard let lock else { return try body() }
    return try lock.hold(body)
  }

  private func announce(_ changes: Changes) {
    self.changes.publish(changes)
    // If the sweep fails, the next launch sweeps.
    if changes.unusedAttachments { try? sweepAttachments() }
    // A long read keeps the journal in use. The journal is then emptied later.
    if changes.deletedTexts { try? emptyJournal() }
    reserve.makeAgain()
  }

  /// Forgets the versions seen through closed connections. They say nothing about the next connections.
  func forgetVersions() {
    seenVersion.withLock { $0 = nil }
    namesVersion.withLock { $0 = nil }
  }

  func commit<Value>(
    _ db: Database, _ body: (Transaction) throws -> Value
  ) throws -> (value: Value, changes: Changes) {
    var transaction: Transaction!
    var value: Value?
    try db.inTransaction(.immediate) {
      try readNames(Reading(db))
      transaction = Transaction(db, names)
      transaction.localDeletions = deletions.value
      transaction.changesDeletions = false
      transaction.mayHaveWaiting = mayHaveWaiting.withLock { $0 }
      value = try body(transaction)
      if transaction.changes.deletedTexts || transaction.changes.remnants {
        try transaction.compaction.noteRemnants()
      }
      try gate?.willCommit()
      return .commit
    }
    if transaction.mayHaveWaiting { mayHaveWaiting.withLock { $0 = true } }
    if transaction.changesDeletions { deletions.set(transaction.localDeletions) }
    // The next write must find the conversation under its new name.
    if transaction.changesNames { names.set(transaction.names, isChanged: true) }
    return (value!, transaction.changes)
  }
}

extension Reading {
  /// A number that differs from the last one when another connection has committed in between.
  fileprivate func dataVersion() throws -> Int64? { try value("PRAGMA data_version") }
}
