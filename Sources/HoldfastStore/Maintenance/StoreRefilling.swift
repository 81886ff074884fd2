import Foundation
import GRDB
import HoldfastCore

/// Makes a new store from the readable part of a damaged one (rule S3).
package enum StoreRefilling {
  /// Makes a store in the folder `new`, with the rows of `source` and the attachments in the folder `old`.
  ///
  /// - Parameter migrations: the identifiers of the damaged store's migrations. Empty when they cannot be read.
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
    try StreamLog.copy(from: old, to: new)
    if FileManager.default.fileExists(atPath: old.appendingPathComponent(FileLock.write).path) {
      // The damaged store was shared, so that the new store is shared too.
      _ = try FileLock(new.appendingPathComponent(FileLock.write))
    }
    return filling.report
  }

  /// The schema version of the rows. If it cannot be read, the present version is assumed: the rows of nearly
  /// every earlier version fit into it.
  private static func version(_ migrations: Set<String>) throws(ChatError) -> String {
    let known = Schema.migrator.migrations
    let present = known[known.count - 1]
    guard migrations.isSubset(of: known) else {
      // If an unknown identifier is found beside a missing one, damage has changed a letter of the missing name.
      guard !Set(known).isSubset(of: migrations) else {
        throw .newer
      }
      return present
    }
    let applied = known.prefix { migrations.contains($0) }
    return applied.count == migrations.count ? applied.last ?? present : present
  }
}
