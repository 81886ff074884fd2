import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay
import HoldfastStore

/// The server's database file. It has everything that survives a crash except the attachment files. All transactions
/// begin and end here.
struct ServerDatabase: Sendable {
  /// The commit gate threw: the simulated machine has lost power, and the server sends nothing from then on.
  struct PowerLost: Error {}

  static let fileName = "server.sqlite"

  private let pool: DatabasePool
  private let gate: CommitGate?
  /// Held until the file is closed, or the process ends. Nil when the folder is not locked.
  private let lock: FileLock?

  /// Opens the file, and migrates its tables to the present version. Throws ``ServerError``.
  ///
  /// - Parameter locksFolder: throws when another server has the folder, before anything in it is changed.
  init(folder: URL, gate: CommitGate?, locksFolder: Bool) throws {
    self.gate = gate
    do {
      lock = locksFolder ? try Self.lock(folder) : nil
      pool = try openDurableDatabase(
        at: folder.appending(path: Self.fileName), label: "chat-server",
        examining: { _ = try Self.version(of: $0) })
      let version = try pool.read(Self.version)
      try migrate(from: version)
    } catch is PowerLost {
      throw ServerError.stopped
    } catch let error as ChatError {
      throw ServerError(.storageFailed, error.message)
    } catch let error as DatabaseError {
      throw ServerError(storage: error)
    } catch let error as POSIXError {
      throw ServerError(.storageFailed, "The folder cannot be used (POSIX \(error.code.rawValue)).")
    } catch let error as CocoaError {
      throw ServerError(.storageFailed, "The folder cannot be made (Cocoa \(error.code.rawValue)).")
    }
  }

  /// Throws ``ServerError`` when a server is running on the folder. Changes and creates nothing.
  static func refuseWhatIsServed(_ folder: URL) throws {
    let file = folder.appending(path: lockName)
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    guard try FileLock(file).acquire() else { throw ServerError.folderInUse }
  }

  private static let lockName = "server.lock"

  /// Acquires the lock of the folder, and makes its file if it is missing. The file stays.
  private static func lock(_ folder: URL) throws -> FileLock {
    try makePrivateFolder(folder)
    let lock = try FileLock(folder.appending(path: lockName))
    guard try lock.acquire() else { throw ServerError.folderInUse }
    return lock
  }

  /// The version of the schema. Throws when the database belongs to another program, or to a newer server.
  static func version(of db: Database) throws -> Int {
    let owner = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    guard owner == ServerSchema.applicationID || (owner == 0 && version == 0) else {
      throw ServerError(
        .storageForeign, "server.sqlite belongs to another application. Choose another folder.")
    }
    guard 0...ServerSchema.version ~= version else {
      throw ServerError(.storageForeign, "A newer server wrote server.sqlite. Update this one.")
    }
    return version
  }

  /// The migration is one transaction, so that a crash leaves the previous version.
  private func migrate(from version: Int) throws {
    guard version < ServerSchema.version else { return }
    try write { db in
      for statements in ServerSchema.versions[version...] { try db.execute(sql: statements) }
      if version < ServerSchema.firstWithWords { try SearchIndex(db: db).noteAll() }
      try db.execute(sql: "PRAGMA application_id = \(ServerSchema.applicationID)")
      try db.execute(sql: "PRAGMA user_version = \(ServerSchema.version)")
    }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try pool.read(body)
  }

  /// Runs one transaction. It is on disk when this returns.
  func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
    let value = try pool.write { db in
      let value = try body(db)
      try throughGate { try $0.willCommit() }
      return value
    }
    try throughGate { try $0.didCommit() }
    return value
  }

  /// Checkpoints the journal into the file and truncates it, because it still has deleted data.
  func emptyJournal() throws {
    _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
  }

  /// The bytes of the database, and of its write-ahead log.
  var sizes: (database: Int64, journal: Int64) {
    func byteCount(_ path: String) -> Int64 { (try? FileStatus(of: URL(filePath: path)).byteCount) ?? 0 }
    return (byteCount(pool.path), byteCount(pool.path + "-wal"))
  }

  /// Checkpoints the journal, closes the file and releases the folder. Every later access fails.
  func close() throws {
    // The pool closes its readers last, and readers cannot checkpoint the writer's journal.
    try emptyJournal()
    try pool.close()
    lock?.release()
  }

  private func throughGate(_ pass: (CommitGate) throws -> Void) throws {
    guard let gate else { return }
    do {
      try pass(gate)
    } catch let error as CocoaError {
      // A failed write to the disk is not a power loss.
      throw error
    } catch {
      throw PowerLost()
    }
  }
}

extension ServerError {
  fileprivate static let folderInUse = ServerError(
    .folderInUse, "Another server is running on this folder: stop it first, or choose another folder.")

  /// SQLite's own message may quote values, so only its code is kept.
  init(storage error: DatabaseError) {
    self.init(
      .storageFailed,
      "The database failed (SQLite \(error.extendedResultCode.rawValue)). Check the disk, and try again.")
  }
}
