import GRDB
import HoldfastCore

extension Transaction {
  /// Writes the owner into a new store, and refuses the store of another account (SPEC S8).
  func claim(for owner: UserID) throws {
    guard owner.isWellFormed else {
      throw ChatError(.malformedID, "A user's ID is 1 to 255 bytes without control characters.")
    }
    let known = try row("SELECT value FROM setting WHERE name = 'owner'")?[0] as String?
    switch known {
    case owner.rawValue?: return
    case nil: try run("INSERT INTO setting (name, value) VALUES ('owner', ?)", [owner.rawValue])
    default:
      throw ChatError(
        .storageForeign, "The store belongs to another account. Use one folder for each account.")
    }
  }

  /// Gives the device an ID unless it has one, and returns the ID that it has.
  func nameDevice(_ id: String) throws -> String {
    try run("INSERT INTO setting (name, value) VALUES ('device', ?) ON CONFLICT DO NOTHING", [id])
    return try device() ?? id
  }

  /// The next store-wide revision. It decides which of two things is newer, without any clock.
  func nextRevision() throws -> Int64 {
    try row("UPDATE setting SET value = value + 1 WHERE name = 'revision' RETURNING value")![0]
  }

  package func setCursor(_ cursor: SyncCursor) throws {
    try run(
      "INSERT INTO cursor (name, value) VALUES ('sync', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [cursor.rawValue])
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
    try run(
      """
      INSERT INTO setting (name, value) VALUES ('waitingReading', ?), ('waitingDate', ?)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value
      """, [mark.reading, mark.date])
  }
}

extension Reading {
  package func syncCursor() throws -> SyncCursor? {
    try row("SELECT value FROM cursor WHERE name = 'sync'").map { SyncCursor(rawValue: $0[0]) }
  }

  package func counts(of metric: String) throws -> [Int: Int] {
    Dictionary(
      uniqueKeysWithValues: try rows("SELECT bucket, count FROM metric WHERE name = ?", [metric]) {
        ($0[0] as Int, $0[1] as Int)
      })
  }

  /// The ID of this store's device. Nil before the first launch has made one.
  package func device() throws -> String? {
    try row("SELECT value FROM setting WHERE name = 'device'")?[0]
  }

  /// The mark of the ``WaitingClock``. Nil before the first launch has stored one, and when the stored values are
  /// not a mark.
  package func waitingMark() throws -> WaitingClock.Mark? {
    try row(
      """
      SELECT r.value, d.value FROM setting r, setting d
      WHERE r.name = 'waitingReading' AND d.name = 'waitingDate'
        AND typeof(r.value) = 'integer' AND typeof(d.value) = 'integer'
      """
    ).map { WaitingClock.Mark(reading: $0[0], date: $0[1]) }
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
