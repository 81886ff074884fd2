import Foundation
import GRDB
import HoldfastCore

/// Opens a SQLite file with the durability that the promises need (rules S1, S2), for the engine's store and for the
/// server's. A commit is on disk when the call returns. One connection writes and checkpoints, and all others are
/// read-only.
///
/// - Parameter examine: inspects an existing database before anything is written to it. If it throws, the database
///   is unchanged.
package func openDurableDatabase(
  at file: URL, label: String, examining examine: @escaping @Sendable (Database) throws -> Void = { _ in }
) throws -> DatabasePool {
  let folder = file.deletingLastPathComponent()
  let size = try? FileStatus(of: file).byteCount
  // A process that ended right after making the file left it empty.
  let isNew = (size ?? 0) == 0
  try makePrivateFolder(folder)
  if size == nil { try makePrivateFile(file) }
  try refuseWhatOthersCanWrite(folder, file)

  var configuration = Configuration()
  configuration.label = label
  configuration.maximumReaderCount = 3
  configuration.busyMode = .timeout(5)
  configuration.prepareDatabase { db in
    if !db.configuration.readonly, !isNew { try examine(db) }
    // Deleted text must be gone from the file, not merely unlinked (rule S9).
    try db.execute(sql: "PRAGMA secure_delete = ON")
    // The next checkpoint truncates a journal that grew in one long transaction (rule S6).
    try db.execute(sql: "PRAGMA journal_size_limit = \(journalLimit)")
    #if canImport(Darwin)
      // On Apple's systems fsync leaves the data in the drive's cache.
      try db.execute(sql: "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
    #endif
    if !db.configuration.readonly, isNew {
      // This is possible only before the first table, and before the journal is in use.
      try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
    }
  }
  let pool = try DatabasePool(path: file.path, configuration: configuration)
  try pool.writeWithoutTransaction { db in
    // DatabasePool sets NORMAL when it opens. With NORMAL, a power failure may lose a commit.
    try db.execute(sql: "PRAGMA synchronous = FULL")
  }
  if isNew { try syncFolder(folder) }
  return pool
}

/// The limit in bytes. It is about the length at which SQLite writes the journal back by itself, a thousand
/// pages.
private let journalLimit = 4 << 20

/// Refuses files and folders that other users can write: they could change what the user said (rule P3).
private func refuseWhatOthersCanWrite(_ places: URL...) throws {
  for place in places {
    guard try FileStatus(of: place).permissions & 0o022 == 0 else {
      throw ChatError(
        .storagePermissions, "Others can write to the store. Take that permission away: chmod go-w.")
    }
  }
}
