import Foundation
import GRDB

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Stands at every commit. The simulator puts a crash before or after one; the shipped engine has none.
package protocol CommitGate: Sendable {
  /// Called before the file is opened, and each time that it is opened again.
  func willOpen() throws
  /// Called inside the transaction, last: to throw rolls it back.
  func willCommit() throws
  /// Called once the commit is on disk, before the caller learns of it.
  func didCommit() throws
}

extension CommitGate {
  package func willOpen() throws {}
}

/// Opens a SQLite file the way every promise needs it (SPEC S1, S2), for the engine's store and for the
/// server's: a commit is on disk when the call returns, one connection writes and checkpoints, and all
/// others are read-only.
package func openDurableDatabase(at file: URL, label: String) throws -> DatabasePool {
  let folder = file.deletingLastPathComponent()
  let size = try? FileStatus(of: file).byteCount
  // A process that ended right after making the file left an empty one.
  let isNew = (size ?? 0) == 0
  try makePrivateFolder(folder)
  if size == nil { try makePrivateFile(file) }
  try refuseWhatOthersCanWrite(folder, file)

  var configuration = Configuration()
  configuration.label = label
  configuration.maximumReaderCount = 3
  configuration.busyMode = .timeout(5)
  configuration.prepareDatabase { db in
    // Deleted text must be gone from the file, not merely unlinked (SPEC S9).
    try db.execute(sql: "PRAGMA secure_delete = ON")
    // A journal that one long transaction has made long is cut by the next checkpoint (SPEC S6).
    try db.execute(sql: "PRAGMA journal_size_limit = \(journalLimit)")
    #if canImport(Darwin)
      // On Apple's systems fsync leaves the data in the drive's cache.
      try db.execute(sql: "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
    #endif
    if !db.configuration.readonly, isNew {
      // Only possible before the first table, and before the journal is in use.
      try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
    }
  }
  let pool = try DatabasePool(path: file.path, configuration: configuration)
  try pool.writeWithoutTransaction { db in
    // DatabasePool sets NORMAL when it opens, with which a commit may be lost with the power.
    try db.execute(sql: "PRAGMA synchronous = FULL")
  }
  if isNew { try syncFolder(folder) }
  return pool
}

/// About as long as the journal grows before SQLite writes it back by itself, a thousand pages.
private let journalLimit = 4 << 20

/// A folder that only its owner can read (SPEC P3), durable together with its name.
package func makePrivateFolder(_ folder: URL) throws {
  guard !FileManager.default.fileExists(atPath: folder.path) else { return }
  try FileManager.default.createDirectory(
    at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  try syncFolder(folder.deletingLastPathComponent())
}

/// An empty file with mode 0600, made before SQLite would make one with the process's mask. SQLite gives
/// the journal the mode of the database.
func makePrivateFile(_ file: URL) throws {
  let descriptor = open(file.path, O_CREAT | O_EXCL | O_RDWR, 0o600)
  guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  close(descriptor)
}

/// Whoever can write the files, or put others in their place, decides what the user said (SPEC P3).
private func refuseWhatOthersCanWrite(_ places: URL...) throws {
  for place in places {
    guard try FileStatus(of: place).permissions & 0o022 == 0 else {
      throw ChatError(
        .storagePermissions, "Others can write to the store. Take that permission away: chmod go-w.")
    }
  }
}

/// A new file's name is durable only once its folder is (SPEC S1).
package func syncFolder(_ folder: URL) throws {
  let descriptor = open(folder.path, O_RDONLY)
  guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  defer { close(descriptor) }
  guard fsync(descriptor) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
}
