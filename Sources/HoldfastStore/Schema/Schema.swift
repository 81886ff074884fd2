import GRDB
import HoldfastCore

/// The store's schema. A version that has shipped is frozen: it is plain SQL, names no Swift type, and is never
/// edited. A later version is a new migration. It converts unsent rows and drafts, and deletes none.
enum Schema {
  /// "Hold" in ASCII. It distinguishes a store of this engine from any other SQLite file.
  static let applicationID: Int32 = 0x486F_6C64

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { try $0.execute(sql: version1) }
    migrator.registerMigration("2") { try $0.execute(sql: version2) }
    migrator.registerMigration("3") { try $0.execute(sql: version3) }
    migrator.registerMigration("4") { try $0.execute(sql: version4) }
    migrator.registerMigration("5") { try $0.execute(sql: version5) }
    migrator.registerMigration("6") { try $0.execute(sql: version6) }
    migrator.registerMigration("7") { try $0.execute(sql: version7) }
    migrator.registerMigration("8") { try $0.execute(sql: version8) }
    migrator.registerMigration("9") { try $0.execute(sql: version9) }
    migrator.registerMigration("10") { try $0.execute(sql: version10) }
    migrator.registerMigration("11") { try $0.execute(sql: version11) }
    migrator.registerMigration("12") { try $0.execute(sql: version12) }
    migrator.registerMigration("13") { try $0.execute(sql: version13) }
    migrator.registerMigration("14") { try $0.execute(sql: version14) }
    migrator.registerMigration("15") { try $0.execute(sql: version15) }
    return migrator
  }

  /// Makes a new store in one step and one commit. This is a fifth of the work of running all migrations in
  /// sequence, with a commit each.
  static func make(in pool: DatabasePool) throws {
    try pool.write { db in
      // Another process may have been first.
      guard try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0 else { return }
      try db.execute(sql: whole)
    }
  }
}
