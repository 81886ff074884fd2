import Foundation
import GRDB
import HoldfastCore

/// Compares the schema of a file with those that this engine makes, before anything else of the file is read or written.
///
/// A database brings code along: a trigger changes what is written, a view answers for a table, and a default or a
/// generated column makes values. A store that somebody else had may hold all of them
/// ([SQLite, "Defense Against The Dark Arts"](https://www.sqlite.org/security.html)).
enum SchemaCheck {
  /// The schemas of all versions, by their sums. `SchemaTests` says what belongs here.
  static let known: Set = [
    "c1386f814f8cc230e724536c67e373d15637b1420916dada27bdf6fb9cfb56b0",
    "cd499726c39e340b8c317ecb5a455df8dcf3d3140e10b60ded18f7d9c3dac5c1",
    "7c564777d8c4363ec69d2ac8df78b5c61ca47e5b85cb2c4d32c6428d3f80f232",
    "57560e2fccf0c0fa366f9ad68461dabc2ba28ce25a79e33291563085f7bf92c3",
    "149703575d29cea2ce3c1433c158521bafdc621f31f375152f96cd40d82030a1",
    "053f73f033773e57ac2305b649250645d00b06c3e3a9e4a10de3b43157a4a903",
    "ea32f89f9872a078aac0f25dd07fb6d64d1f9a51bedc69ad89aa77b68bfc6c6b",
    "3bdd8ff9e73bd75c941e6a5af36e9922e501df174efb872eadf2f943b6dcb603",
    "468a4dbea0db0e2cc13520644ddca5708a5a9beb523a7abe7c373f15b54022b3",
    "f6c5f4dfc229c78f65db3369302eae2c1c0825f8500ebc719aa19b6cac844a2f",
    "121fe304010e8d1c8251340634f48300742765ae2b657f5f861c1e7606abb38d",
    "0d0a95d8f970e102003cefe95309237e65af190bbdbb88d3726b5e4ccba9ccf2",
    "c930cf6ce844b4659893cb44646fcbc3b5a008c8650297bddf7468b75d3ecddc",
    "a14d64436fc35bb50f130565de1367cc2a63ab905b8a3d17bf4fe5502b974b24",
    "031ad907cf7ac8b2b1e12e8e8f035d50b11899e9cc0c4f216849bbb5e9c37825",
  ]

  /// Refuses a file of another program or of a newer version, and a store with tables, triggers or views that the
  /// engine did not make. A connection asks before it writes: opening alone would change a foreign file's journal mode (SPEC
  /// S3).
  static func refuseWhatIsNotOurs(_ db: Database) throws {
    let objects = try objects(db)
    // If a process ended while it made the file, the file may have only the migrator's own table.
    let isEmpty = objects.allSatisfy { $0.isOurMigrations || $0.isMadeBySQLite }
    let applicationID = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    guard applicationID == Schema.applicationID || isEmpty else {
      throw ChatError(.storageForeign, "The file is a database of something else. It was left as it is.")
    }
    guard try !objects.contains(where: \.isOurMigrations) || !Schema.migrator.hasBeenSuperseded(db) else {
      throw ChatError(
        .storageNewer, "The store was written by a newer version. Update the app; nothing was changed.")
    }
    guard !isEmpty, !known.contains(sum(of: objects)) else { return }
    throw ChatError(
      .storageDamaged,
      """
      The store is damaged, or another program has changed it: its tables are not those of the engine. It was left as it is; \
      run doctor on it.
      """)
  }

  static func objects(_ db: Database) throws -> [SchemaObject] {
    try Row.fetchAll(db, sql: "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").map {
      SchemaObject(type: $0["type"] ?? "", name: $0["name"] ?? "", sql: $0["sql"] ?? "")
    }
  }

  static func sum(of objects: [SchemaObject]) -> String {
    var hasher = SHA256Hasher()
    for object in objects where !object.isMadeBySQLite {
      hasher.update(Data("\(object.type) \(object.name) ".utf8))
      hasher.update(object.plainSQL)
    }
    return hasher.finish().text
  }
}

/// A row of SQLite's own table of the schema.
struct SchemaObject {
  var type: String
  var name: String
  var sql: String

  /// The SQL without white space and quotes: SQLite's versions set them differently when a table is renamed.
  var plainSQL: Data { Data(sql.utf8.filter { $0 > 0x20 && $0 != 0x22 }) }

  var isOurMigrations: Bool {
    type == "table" && name == "grdb_migrations"
      && plainSQL == Data("CREATETABLEgrdb_migrations(identifierTEXTNOTNULLPRIMARYKEY)".utf8)
  }

  /// The index of a key, and tables whose SQL is that of SQLite's version: of the search, and of statistics.
  var isMadeBySQLite: Bool {
    if type == "index" { return sql.isEmpty && name.hasPrefix("sqlite_autoindex_") }
    guard type == "table", name.hasPrefix("messageText_") || name.hasPrefix("sqlite_stat") else { return false }
    let words = sql.lowercased()
    return !["generated", "default", "check", "virtual", " as"].contains(where: words.contains)
  }
}
