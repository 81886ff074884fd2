import Foundation
import GRDB
import HoldfastCore

/// Makes a new store of what can be read of a damaged one (SPEC S3).
package enum StoreRefilling {
  /// Makes a store in the folder `new`, with the rows of `source` and the attachments in the folder `old`.
  ///
  /// - Parameter migrations: the identifiers of those that the damaged store had. Empty: they cannot be read.
  package static func makeStore(
    in new: URL, beside old: URL, migrations: Set<String>, _ filling: SalvageFilling,
    from source: ([TableShape]) -> some SalvageSource
  ) throws -> SalvageTally {
    var filling = filling
    let version = try version(migrations)
    try makePrivateFolder(new)
    let pool = try openDurableDatabase(
      at: new.appendingPathComponent(Store.fileName), label: "holdfast.salvage")
    try Schema.migrator.migrate(pool, upTo: version)
    try pool.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      defer { try? db.execute(sql: "PRAGMA foreign_keys = ON") }
      try filling.fill(db, from: source)
    }
    try Schema.migrator.migrate(pool)
    try pool.writeWithoutTransaction { db in
      try filling.takeAttachments(db, from: old, into: new)
      try filling.count(db)
      _ = try db.checkpoint(.truncate)
    }
    try pool.close()
    if FileManager.default.fileExists(atPath: old.appendingPathComponent(FileLock.write).path) {
      // It was shared, and is from now on.
      _ = try FileLock(new.appendingPathComponent(FileLock.write))
    }
    return filling.report
  }

  /// The version of the schema that the rows have. Where that cannot be read it is taken for the present one, into which
  /// rows of nearly every earlier one fit.
  private static func version(_ migrations: Set<String>) throws(ChatError) -> String {
    let known = Schema.migrator.migrations
    let present = known[known.count - 1]
    guard migrations.isSubset(of: known) else {
      // One that is not known, while another is missing, is a name of which a letter has changed.
      guard !Set(known).isSubset(of: migrations) else {
        throw ChatError(
          .storageNewer,
          "The store was written by a newer version. Update, and try again; nothing was changed.")
      }
      return present
    }
    let applied = known.prefix { migrations.contains($0) }
    return applied.count == migrations.count ? applied.last ?? present : present
  }

  /// Where a salvaged store is made.
  package static func unfinished(_ folder: URL) -> URL {
    folder.deletingLastPathComponent().appendingPathComponent(folder.lastPathComponent + ".salvaging")
  }

  /// A process that ended between the two renames of the exchange has set the old store aside, and left none in its place:
  /// the new one, which was whole by then, gets it now. Without this the next launch would begin with an empty one.
  static func finishExchange(_ folder: URL) throws {
    let (files, new) = (FileManager.default, unfinished(folder))
    guard !files.fileExists(atPath: folder.path), files.fileExists(atPath: new.path) else { return }
    try files.moveItem(at: new, to: folder)
    try syncFolder(folder.deletingLastPathComponent())
  }
}
