import GRDB
import HoldfastCore

extension Transaction {
  /// Writes the owner into a new store, and refuses the store of another account (SPEC S8).
  func claim(for owner: UserID) throws {
    guard owner.isWellFormed else {
      throw ChatError(.malformedID, "A user's ID is 1 to 255 bytes without control characters.")
    }
    // A damaged store may have an owner that is not a text. Such a store is foreign too.
    guard try setting(.owner)?.rawValue == owner.rawValue || setFirst(.owner, to: owner) else {
      throw ChatError(
        .storageForeign, "The store belongs to another account. Use one folder for each account.")
    }
  }

  /// Gives the device an ID unless it has one, and returns the ID that it has.
  func nameDevice(_ id: String) throws -> String {
    try setFirst(.device, to: id) ? id : device() ?? id
  }

  /// The next store-wide revision. It decides which of two things is newer, without any clock.
  func nextRevision() throws -> Int64 {
    try increment(.revision)
  }

  package func setCursor(_ cursor: SyncCursor) throws {
    try run(
      "INSERT INTO cursor (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [SyncCursor.name, cursor.rawValue])
  }

  /// Adds to the counts of a metric, by bucket.
  package func count(_ metric: String, _ counts: [Int: Int]) throws {
    for (bucket, count) in counts.sorted(by: { $0.key < $1.key }) {
      try run(
        """
        INSERT INTO metric (name, bucket, count) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET count = count + excluded.count
        """, [metric, bucket, count])
    }
  }

  package func setWaitingMark(_ mark: WaitingClock.Mark) throws {
    try set(.waitingReading, to: mark.reading)
    try set(.waitingDate, to: mark.date)
  }
}

private enum MetricColumn: String, QueryColumn {
  case bucket, count

  static let buckets = select("FROM metric WHERE name = ?")
}

extension Reading {
  package func syncCursor() throws -> SyncCursor? {
    try value("SELECT value FROM cursor WHERE name = ?", [SyncCursor.name])
  }

  package func counts(of metric: String) throws -> [Int: Int] {
    let counts = try rows(MetricColumn.buckets, [metric]) { row in (row[.bucket] as Int, row[.count] as Int) }
    return Dictionary(uniqueKeysWithValues: counts)
  }

  /// The ID of this store's device. Nil before the first launch has made one.
  package func device() throws -> String? {
    try setting(.device)
  }

  /// The mark of the ``WaitingClock``. Nil before the first launch has stored one, and when the stored values are
  /// not a mark.
  package func waitingMark() throws -> WaitingClock.Mark? {
    guard let reading = try setting(.waitingReading), let date = try setting(.waitingDate) else { return nil }
    return WaitingClock.Mark(reading: reading, date: date)
  }
}

extension Store {
  /// The ID of this store's device, made once and kept.
  package func device(else makeID: () -> String) throws(ChatError) -> String {
    if let device = try read({ try $0.device() }) { return device }
    let device = makeID()
    return try write { try $0.nameDevice(device) }
  }
}
