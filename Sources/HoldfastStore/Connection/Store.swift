import Foundation
import GRDB
import Synchronization
import HoldfastCore

/// The SQLite file that is the engine's state. Every intent is one call of ``write(_:)``: one transaction,
/// on disk when it returns. All calls are synchronous and may come from any thread.
package final class Store: Sendable {
  package let changes = ChangeHub()
  /// IDs that conversations had before.
  package let aliases = ConversationAliases()
  /// What was deleted on this device.
  package let deletions = SharedLocalDeletions()
  package let folder: URL
  package let attachments: AttachmentFolder
  /// Held for each transaction and each checkpoint, where several processes write. Nil: one does.
  package let writeLock: FileLock?
  package let file: URL
  /// Given up when the disk is full, so that the last draft still fits.
  let reserve: Reserve
  /// The store's connections to its file, or why there are none.
  package let connection: Mutex<Connection>
  /// Files that are being copied in.
  package let copies = DispatchGroup()
  /// Raised while the journal may have something that was deleted: at first, and when it could not be emptied.
  package let journalSignal = Signal()
  package let protection: StorageProtection
  package let gate: (any CommitGate)?
  /// What SQLite answered last when it was asked whether others have written.
  private let seenVersion = Mutex<Int64?>(nil)
  /// What it answered when the conversations' earlier IDs were read, and what was deleted.
  private let aliasesVersion = Mutex<Int64?>(nil)

  /// Opens the store in `folder`, and makes it when there is none. One that was shared once is shared.
  package init(
    folder: URL, owner: UserID, gate: (any CommitGate)? = nil, isShared: Bool = false,
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
    try Self.typed { try StoreRefilling.finishExchange(folder) }
    let lock = try Self.writeLock(in: folder, isShared: isShared)
    writeLock = lock
    let pool = try Self.open(file, gate, lock, reserve, protection)
    connection = Mutex(.open(pool))
    try write { try $0.claim(for: owner) }
    let (earlierIDs, deleted) = try read { (try $0.conversationAliases(), try $0.localDeletions()) }
    aliases.set(earlierIDs)
    deletions.set(deleted)
    if lock != nil { _ = try hasOthersCommits() }
    journalSignal.raise()
  }

  deinit {
    // The last connection writes the journal back when it is closed.
    guard let writeLock, case .open(let pool) = connection.withLock({ $0 }) else { return }
    try? writeLock.hold { try pool.close() }
  }

  package static let fileName = "store.sqlite"

  package var isShared: Bool { writeLock != nil }

  private static func writeLock(in folder: URL, isShared: Bool) throws(ChatError) -> FileLock? {
    let file = folder.appendingPathComponent(FileLock.write)
    guard isShared || FileManager.default.fileExists(atPath: file.path) else { return nil }
    try typed { try makePrivateFolder(folder) }
    return try FileLock(file)
  }

  /// Runs `body` in one transaction. When it returns, the commit is on disk, and whoever observes what it
  /// changed has been told.
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

  /// As ``write(_:)``, for a draft: a full disk gets the reserve, and `body` a second call (SPEC S4).
  package func writeDraft<Value>(_ body: (Transaction) throws -> Value) throws(ChatError) -> Value {
    do throws(ChatError) {
      return try write(body)
    } catch {
      guard error.code == .storageFull, reserve.release() else { throw error }
      return try write(body)
    }
  }

  /// As ``write(_:)``, for what must outlive a crash of the process, but not of the power: it costs no sync.
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
  package func read<Value>(_ body: (Database) throws -> Value) throws(ChatError) -> Value {
    try access { pool in try pool.read(body) }
  }

  /// Whether another connection, which is another process's or another client's, has committed since this was asked
  /// last.
  package func hasOthersCommits() throws(ChatError) -> Bool {
    let version: Int64? = try access { pool in
      try pool.writeWithoutTransaction { db in
        try readAliases(db)
        return try db.dataVersion()
      }
    }
    return seenVersion.withLock { seen in
      defer { seen = version }
      return seen != version
    }
  }

  /// Another process may have renamed a conversation. An intent looks before it begins; its transaction looks again.
  package func lookForRenames() {
    guard isShared else { return }
    // What cannot be read now is read by the transaction, which says why it cannot.
    try? access { pool in try pool.writeWithoutTransaction { try readAliases($0) } }
  }

  private func readAliases(_ db: Database) throws {
    guard isShared else { return }
    let version = try db.dataVersion()
    guard aliasesVersion.withLock({ $0 }) != version else { return }
    aliases.set(try db.conversationAliases())
    deletions.set(try db.localDeletions())
    aliasesVersion.withLock { $0 = version }
  }

  /// Two connections that write or checkpoint at the same instant may damage the file, in SQLite before 3.51.3
  /// (SPEC S2): where there are two, a lock keeps them apart.
  static func exclusively<Value>(_ lock: FileLock?, _ body: () throws -> Value) throws -> Value {
    guard let lock else { return try body() }
    return try lock.hold(body)
  }

  private func announce(_ changes: Changes) {
    self.changes.publish(changes)
    // What cannot be taken away now is at the next launch.
    if changes.unusedAttachments { try? sweepAttachments() }
    // A reader that takes long keeps the journal: it is emptied later then.
    if changes.deletedTexts { try? emptyJournal() }
    reserve.makeAgain()
  }

  /// What was seen through connections that are closed says nothing of the next ones.
  func forgetVersions() {
    seenVersion.withLock { $0 = nil }
    aliasesVersion.withLock { $0 = nil }
  }

  package func commit<Value>(
    _ db: Database, _ body: (Transaction) throws -> Value
  ) throws -> (value: Value, changes: Changes) {
    let transaction = Transaction(db, aliases)
    var value: Value?
    try db.inTransaction(.immediate) {
      try readAliases(db)
      transaction.deletions = deletions.value
      transaction.changesDeletions = false
      value = try body(transaction)
      if transaction.changes.deletedTexts || transaction.changes.remnants { try transaction.noteRemnants() }
      try gate?.willCommit()
      return .commit
    }
    if transaction.changesDeletions { deletions.set(transaction.deletions) }
    // Whoever writes next must find the conversation under its new ID.
    if let renamed = transaction.aliasesAfterwards { aliases.set(renamed) }
    return (value!, transaction.changes)
  }
}

extension Database {
  /// Another one than before: another connection has committed since.
  fileprivate func dataVersion() throws -> Int64? { try row("PRAGMA data_version")?[0] }
}
