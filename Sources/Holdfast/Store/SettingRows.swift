import GRDB

extension Transaction {
  /// Writes the owner into a new store; refuses the store of somebody else (SPEC S8).
  func claim(for owner: UserID) throws {
    guard owner.isWellFormed else {
      throw ChatError(.malformedID, "A user's ID is 1 to 255 bytes without control characters.")
    }
    let known = try db.row("SELECT value FROM setting WHERE name = 'owner'")?[0] as String?
    switch known {
    case owner.rawValue?: return
    case nil: try run("INSERT INTO setting (name, value) VALUES ('owner', ?)", [owner.rawValue])
    default:
      throw ChatError(
        .storageForeign, "The store belongs to another account. Use one folder for each account.")
    }
  }

  /// The next store-wide revision: which of two things is newer is decided by it, and by no clock.
  func nextRevision() throws -> Int64 {
    try db.row("UPDATE setting SET value = value + 1 WHERE name = 'revision' RETURNING value")![0]
  }

  func setCursor(_ cursor: SyncCursor) throws {
    try run(
      "INSERT INTO cursor (name, value) VALUES ('sync', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [cursor.rawValue])
  }

  func count(_ metric: String, bucket: Int = 0) throws {
    try run(
      "INSERT INTO metric (name, bucket, count) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1",
      [metric, bucket])
  }
}

extension Database {
  func syncCursor() throws -> SyncCursor? {
    try row("SELECT value FROM cursor WHERE name = 'sync'").map { SyncCursor(rawValue: $0[0]) }
  }
}
