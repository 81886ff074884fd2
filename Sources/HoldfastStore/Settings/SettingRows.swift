import GRDB
import HoldfastCore
import HoldfastTransport

/// The settings of the store, its revisions and its cursor.
package struct SettingRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var settings: SettingRows<Self> { SettingRows(db: self) }
}

extension SettingRows where Access == Transaction {
  /// Writes the owner into a new store, and refuses the store of another account (rule S8).
  func claim(for owner: UserID) throws {
    guard owner.isWellFormed else {
      throw ChatError(.malformedID, "A user's ID is 1 to 255 bytes without control characters.")
    }
    // A damaged store may have an owner that is not a text. Such a store is foreign too.
    guard try value(.owner) == owner || setFirst(.owner, to: owner) else {
      throw ChatError(
        .storageForeign, "The store belongs to another account. Use one folder for each account.")
    }
  }

  /// Sets the device's ID unless it has one, and returns its ID.
  func nameDevice(_ id: String) throws -> String {
    try setFirst(.device, to: id) ? id : device() ?? id
  }

  /// The next store-wide revision. It decides which of two items is newer, without a clock.
  func nextRevision() throws -> Int64 { try increment(.revision) }

  package func setCursor(_ cursor: SyncCursor) throws {
    try run(
      "INSERT INTO cursor (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [SyncCursor.name, cursor.rawValue])
  }
}

extension SettingRows {
  /// The account that the store belongs to. Nil when no account has opened it yet.
  package func owner() throws -> UserID? {
    guard try db.database.tableExists("setting") else { return nil }
    return try value(.owner)
  }

  /// The ID of this store's device. Nil before the first launch has made one.
  package func device() throws -> String? { try value(.device) }

  package func cursor() throws -> SyncCursor? {
    try value("SELECT value FROM cursor WHERE name = ?", [SyncCursor.name])
  }
}

extension Store {
  /// The ID of this store's device. It is made once and kept.
  package func device(else makeID: () -> String) throws(ChatError) -> String {
    if let device = try read({ try $0.settings.device() }) { return device }
    let device = makeID()
    return try write { try $0.settings.nameDevice(device) }
  }
}
