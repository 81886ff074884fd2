import GRDB
import HoldfastCore
import HoldfastTransport

/// The key of one value in the table `setting`. All names of the table are in this file.
struct Setting<Value: ColumnValue>: Sendable {
  let name: String
}

extension SyncCursor {
  /// The name of the only row in the table `cursor`.
  static let name = "sync"
}

extension Setting where Value == UserID {
  /// The account that the store belongs to.
  static var owner: Self { Self(name: "owner") }
}

extension Setting where Value == Bool {
  /// Whether the outcomes of own messages are recorded, for an app that keeps its messages itself.
  static var recordsDeliveries: Self { Self(name: "recordsDeliveries") }
}

extension Setting where Value == String {
  /// The ID of the store's device.
  static var device: Self { Self(name: "device") }
}

extension Setting where Value == ConversationKey {
  /// The conversation that the user selected last. It may be deleted.
  static var activeConversation: Self { Self(name: "activeConversation") }
}

extension Setting where Value == Int64 {
  /// The last store-wide revision.
  static var revision: Self { Self(name: "revision") }
  /// The position of the last message in the search index.
  static var indexedUpTo: Self { Self(name: "indexedUpTo") }
  /// The position of the last message whose words in the search index are from an earlier version of
  /// ``SearchWords``. Nil before this version has indexed anything.
  static var outdatedUpTo: Self { Self(name: "outdatedUpTo\(SearchWords.version)") }
  /// The number of deleted messages whose words are still in the search index. The schema's triggers count them.
  static var indexRests: Self { Self(name: "indexRests") }
  /// The number of transactions that have deleted a text since the store was last compacted.
  static var remnants: Self { Self(name: "remnants") }
  /// The time of the ``WaitingClock`` in its mark.
  static var waitingReading: Self { Self(name: "waitingReading") }
  /// The date of the ``WaitingClock`` in its mark, in microseconds since 1970.
  static var waitingDate: Self { Self(name: "waitingDate") }
}

extension SettingRows {
  /// The value of a setting. Nil when it was never set, and when the stored value has another type.
  func value<Value>(_ key: Setting<Value>) throws -> Value? {
    let statement = try db.database.cachedStatement(sql: "SELECT value FROM setting WHERE name = ?")
    return try DatabaseValue.fetchOne(statement, arguments: [key.name])
      .flatMap(Value.Stored.fromDatabaseValue).map(Value.init(stored:))
  }
}

extension SettingRows where Access == Transaction {
  func set<Value>(_ key: Setting<Value>, to value: Value) throws {
    try run(
      """
      INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
      """, [key.name, value.stored])
  }

  /// Stores the value unless the setting has one. Returns whether it was stored.
  func setFirst<Value>(_ key: Setting<Value>, to value: Value) throws -> Bool {
    try run(
      "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", [key.name, value.stored])
    return changedRows > 0
  }

  /// Replaces one value by another. Does nothing when the stored value differs from `old`.
  func change<Value>(_ key: Setting<Value>, from old: Value, to new: Value) throws {
    try run("UPDATE setting SET value = ? WHERE name = ? AND value = ?", [new.stored, key.name, old.stored])
  }

  /// Adds one to an existing setting, and returns the sum.
  @discardableResult
  func increment(_ key: Setting<Int64>) throws -> Int64 {
    let statement = try db.database.cachedStatement(
      sql: "UPDATE setting SET value = value + 1 WHERE name = ? RETURNING value")
    return try Int64.fetchOne(statement, arguments: [key.name])!
  }

  func remove<Value>(_ key: Setting<Value>) throws {
    try run("DELETE FROM setting WHERE name = ?", [key.name])
  }

  /// Removes a setting that has this value.
  func remove<Value>(_ key: Setting<Value>, of value: Value) throws {
    try run("DELETE FROM setting WHERE name = ? AND value = ?", [key.name, value.stored])
  }
}
