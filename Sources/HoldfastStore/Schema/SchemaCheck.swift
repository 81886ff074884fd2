import Foundation
import GRDB
import HoldfastCore

/// Compares the schema of a file with those that this engine makes, before anything else in the file is read or
/// written.
///
/// A database brings code along: a trigger changes written data, a view poses as a table, and a default or a
/// generated column makes values. A store that came from somebody else may contain all of them ([SQLite, "Defense
/// Against The Dark Arts"](https://www.sqlite.org/security.html)).
enum SchemaCheck {
  /// The schemas of all versions, by their checksums. `SchemaTests` says what belongs here.
  static let known: Set = [
    "881ad31f705a395871a40b0b0ea32fba7ca06c92ea3687d0ca14a0cab8c8934a",
    "3ba5860825281f8f55238376ca5403429cdcf4b76546b0049c7103d5400d3a1c",
    "61896c9c75279ac45362d1c605b8851974e8d60a48e0cfa20efb827a59363ce3",
    "de25b738e19998a1fe173cd48b9a9905d3f1f5486a0fd7ab9c77ac6599e92be7",
    "bc8350a8e68dd1f54ff379f724f2b690c1bb7a3e4d6d4903d9c2c5a036ce8faa",
    "8670015beb979571bb54645d329a3ed0599578bf7ca1973c9e1255db9a8284ed",
    "343c8dbe421fc9cf1109c8e278bb0599e96060a2f964f959a296a69844a34d38",
    "032ee72f31e96820cf960b0cada3e70c461ce056fc728c2e700fc4ca3571cdd7",
    "9d9b43a496008636ba9d0820e3231ed69f24e2027487d6f64834f308814c62e3",
    "28a79f38d89cc64498d81342b531ebddab2a60be0f1a55e99e6dd593bae23a62",
    "00cc575d48d86036b939c8baa8abddc7f9f6e94e1f2a68cad75cf2643dd5dc44",
    "a56aace73b377b8c1be122475f9845351080d774c83f7f59eafa6bb2598f7004",
    "395c29176851cc5d9cdce6ef794df80b4e4c1b557124659707a86e66f9e893a6",
    "1da9ed3a85258ae1570764f807f3921054d80e07d3414cecb8b4a50dfaa0f0fb",
    "c17dea82a87749cc3f0581379f58e1035c9b8660dd470554df318270ac121335",
  ]

  /// Refuses a file of another program or of a newer version, and a store with tables, triggers or views that the
  /// engine did not make. A connection checks this before it writes: opening alone would change a foreign file's
  /// journal mode (rule S3).
  static func refuseWhatIsNotOurs(_ db: Database) throws {
    let objects = try objects(db)
    // If a process ended while it made the file, the file may have only the migrator's own table.
    let isEmpty = objects.allSatisfy { $0.isOurMigrations || $0.isMadeBySQLite }
    let applicationID = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    guard applicationID == Schema.applicationID || isEmpty else {
      throw ChatError.ofSomethingElse
    }
    guard try !objects.contains(where: \.isOurMigrations) || !Schema.migrator.hasBeenSuperseded(db) else {
      throw ChatError.newer
    }
    // Two tables on one page would be read as each other.
    let pages = objects.map(\.page).filter { $0 > 0 }
    let isOurs = known.contains(sum(of: objects)) && Set(pages).count == pages.count
    guard !isEmpty, !isOurs else { return }
    throw ChatError(
      .storageDamaged,
      """
      The store is damaged, or another program has changed it: its tables are not those of the engine. It was left as it is; \
      run holdfast doctor --salvage on it.
      """)
  }

  static func objects(_ db: Database) throws -> [SchemaObject] {
    try Row.fetchAll(db, sql: "SELECT type, name, rootpage, sql FROM sqlite_schema ORDER BY type, name").map {
      SchemaObject(
        type: $0["type"] ?? "", name: $0["name"] ?? "", page: $0["rootpage"] ?? 0, sql: $0["sql"] ?? "")
    }
  }

  static func sum(of objects: [SchemaObject]) -> String {
    var hasher = SHA256Hasher()
    let tables = objects.filter { $0.type == "table" }.map(\.name)
    for object in objects where !object.isMadeBySQLite {
      hasher.update(Data("\(object.type) \(object.name) ".utf8))
      hasher.update(object.plainSQL(unquoting: tables))
    }
    return hasher.finish().text
  }
}

/// A row of SQLite's own table of the schema.
struct SchemaObject {
  var type: String
  var name: String
  /// The root page of the object. 0 for an object without a page of its own.
  var page: Int64
  var sql: String

  /// The stored SQL, without the quotes that SQLite puts around a table's name when it is renamed.
  func plainSQL(unquoting tables: [String] = []) -> Data {
    guard sql.contains("\"") else { return Data(sql.utf8) }
    return Data(tables.reduce(sql) { $0.replacingOccurrences(of: "\"\($1)\"", with: $1) }.utf8)
  }

  var isOurMigrations: Bool {
    type == "table" && name == "grdb_migrations"
      && plainSQL() == Data("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)".utf8)
  }

  /// Whether SQLite made the object: the index of a key, or a table of the search or of statistics, whose SQL
  /// depends on SQLite's version.
  var isMadeBySQLite: Bool {
    if type == "index" { return sql.isEmpty && name.hasPrefix("sqlite_autoindex_") }
    guard type == "table", Self.tablesOfSQLite.contains(name) else { return false }
    let words = sql.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
    return words.allSatisfy { Self.wordsOfSQLite.contains($0) || Self.tablesOfSQLite.contains(String($0)) }
  }

  private static let tablesOfSQLite = Set(
    ["data", "idx", "content", "docsize", "config"].map { "messageText_" + $0 } + [
      "sqlite_stat1", "sqlite_stat4",
    ])
  /// The only words allowed in the SQL of these tables. None of them adds a value or a constraint to a column.
  private static let wordsOfSQLite: Set<Substring> = [
    "CREATE", "TABLE", "INTEGER", "PRIMARY", "KEY", "BLOB", "WITHOUT", "ROWID", "id", "block", "segid",
    "term", "pgno", "c0",
    "sz", "k", "v", "origin", "tbl", "idx", "stat", "neq", "nlt", "ndlt", "sample",
  ]
}
