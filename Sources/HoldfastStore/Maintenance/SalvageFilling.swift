import Foundation
import GRDB
import HoldfastCore

/// The amounts of data that were recovered from a damaged store, and that were lost.
package struct SalvageTally: Equatable, Sendable {
  package var drafts = 0
  /// Messages that the server has not confirmed.
  package var unsent = 0
  package var messages = 0
  package var conversations = 0
  package var attachments = 0
  /// Pages that could not be read, by table.
  package var lostPages: [String: Int] = [:]
  /// Rows that could not be read, or do not fit together with the others, by table.
  package var lostRows: [String: Int] = [:]
  /// Files that are missing, or do not match their checksum.
  package var lostAttachments = 0
  /// Messages that may or may not have been sent.
  package var doubtful = 0
}

/// A row that refers to a missing one, as `PRAGMA foreign_key_check` lists them.
private enum MisfitColumn: String, QueryColumn {
  case table = "\"table\""
  /// NULL in a table without row IDs.
  case rowid

  static let all = select("FROM pragma_foreign_key_check")
}

/// Fills a new store with the rows of a damaged one, and makes the rows consistent again.
package struct SalvageFilling {
  package private(set) var report = SalvageTally()
  private let user: UserID?
  package var owner: String?
  private let progress: (_ completed: Int64, _ total: Int64) -> Void

  /// - Parameter progress: called with the number of bytes of the pages that have rows.
  package init(user: UserID?, progress: @escaping (_ completed: Int64, _ total: Int64) -> Void) {
    (self.user, self.progress) = (user, progress)
  }

  /// The tables in the order of reading. Data that only the user has comes first.
  private static let tables = [
    "setting", "conversation", "draft", "draftVersion", "outbox", "operation", "message", "attachment",
    "attachmentUse", "conversationName", "joinedConversation", "deletion", "outboxAside", "horizon",
    "history",
    "forgottenMessage", "stream",
    "chunk", "reaction", "reactionTurn", "waitingOperation", "work", "scene", "cursor", "metric",
    "importedItem", "forgottenStream", "delivery",
    "messageVersion", "answerCost",
  ]

  mutating func fill(_ db: Database, from source: ([TableShape]) -> some SalvageSource) throws {
    // An earlier version has fewer tables.
    let shapes = try Self.tables.filter { try db.tableExists($0) }.map { try TableShape($0, Reading(db)) }
    let tables = source(shapes)
    for (table, count) in tables.unreadablePages where Self.tables.contains(table) {
      report.lostPages[table] = count
    }
    let (pageBytes, total) = (Int64(tables.pageSize), Int64(tables.pageTotal))
    let progress = progress
    var read: Int64 = 0
    for shape in shapes {
      try db.inTransaction {
        try insertRows(of: shape, from: tables, db) {
          read += 1
          if read % 256 == 0 || read == total { progress(read * pageBytes, total * pageBytes) }
        }
        return .commit
      }
      // If the first page of a table cannot be read, its rows are not reachable through the table. They are
      // recognized by their shape.
      if tables.isMissing(shape.name) { report.lostPages[shape.name, default: 0] += 1 }
    }
    try db.inTransaction {
      try mend(db)
      return .commit
    }
  }

  private mutating func insertRows(
    of shape: TableShape, from tables: some SalvageSource, _ db: Database, eachPage: () -> Void
  ) throws {
    var lost = 0
    try tables.forEachRow(of: shape, eachPage: eachPage) { row, isStray in
      guard let row else {
        lost += 1
        return
      }
      do {
        // A damaged row may have the row ID of an intact row. The intact row then gets a new row ID, after the last
        // one.
        let isTaken = try !insert(row, numbered: row.rowid, into: shape, db)
        guard isTaken, !isStray else { return }
        let isNumbered = shape.columns.contains(where: \.isRowID)
        if try !isNumbered || !insert(row, numbered: nil, into: shape, db) { lost += 1 }
      } catch let error as DatabaseError where Self.refusals.contains(error.resultCode) {
        if !isStray { lost += 1 }
      }
    }
    if lost > 0 { report.lostRows[shape.name, default: 0] += lost }
  }

  /// The codes with which SQLite refuses a row. SQLITE_MISMATCH means that no row ID is left after the last one.
  private static let refusals: [ResultCode] = [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH]

  /// Inserts a row. Returns false when another row has its place.
  ///
  /// - Parameter number: the row ID, for a table whose rows have one. Nil for the one after the last.
  private func insert(
    _ row: SalvagedRow, numbered number: Int64?, into shape: TableShape, _ db: Database
  ) throws -> Bool {
    let columns = shape.columns.prefix(row.values.count)
    let verb = shape.name == "setting" ? "INSERT OR REPLACE" : "INSERT OR IGNORE"
    let values = zip(columns, row.values).map { column, value in
      column.isRowID ? number.databaseValue : value.databaseValue
    }
    let places = columns.map { column in
      column.isRowID ? "coalesce(?, (SELECT max(\(column.name)) + 1 FROM \(shape.name)))" : "?"
    }
    let sql = """
      \(verb) INTO \(shape.name) (\(columns.map(\.name).joined(separator: ", ")))
      VALUES (\(places.joined(separator: ", ")))
      """
    try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
    return db.changesCount > 0
  }

  /// Repairs references to missing rows. A missing row is recreated where possible. Otherwise the row that refers to
  /// it is deleted.
  private mutating func mend(_ db: Database) throws {
    try mendOwner(db)
    try mendConversations(db)
    // The messages are indexed again, because the new store's search index is empty.
    try db.execute(
      sql: "UPDATE setting SET value = 0 WHERE name IN (?, ?, ?)",
      arguments: [Setting.indexedUpTo.name, Setting.outdatedUpTo.name, Setting.indexRests.name])
    if try db.tableExists("unindexed") { try db.execute(sql: "DELETE FROM unindexed") }
    for (table, condition) in Self.strays where try db.tableExists(table) {
      try db.execute(sql: "DELETE FROM \(table) WHERE \(condition)")
      if db.changesCount > 0 { report.lostRows[table, default: 0] += db.changesCount }
    }
    if try db.columns(in: "outbox").contains(where: { $0.name == "operationID" }) {
      try db.execute(
        sql:
          "DELETE FROM outbox WHERE operationID IS NOT NULL AND operationID NOT IN (SELECT id FROM operation)"
      )
      if db.changesCount > 0 { report.lostRows["operation", default: 0] += db.changesCount }
    }
    // Some damaged IDs refer to rows that cannot be recreated.
    let misfits = try Reading(db).rows(MisfitColumn.all) { row in
      (table: row[.table] as String, rowid: row[.rowid] as Int64?)
    }
    for (table, rowid) in misfits {
      guard let rowid else { continue }
      try db.execute(sql: "DELETE FROM \(table) WHERE rowid = ?", arguments: [rowid])
      report.lostRows[table, default: 0] += db.changesCount
    }
    if report.lostPages["outbox"] != nil || report.lostRows["outbox"] != nil { try doubt(db) }
    // The revision decides which of two items is newer, so it must exceed every stored revision.
    let newestDelivery = try db.tableExists("delivery") ? "(SELECT max(number) FROM delivery)" : "0"
    try db.execute(
      sql: """
        INSERT INTO setting (name, value) SELECT ?1, max(
          coalesce((SELECT CAST(value AS INTEGER) FROM setting WHERE name = ?1), 0),
          coalesce((SELECT max(revision) FROM draft), 0), coalesce((SELECT max(revision) FROM draftVersion), 0),
          coalesce((SELECT max(max(listRevision, sentRevision)) FROM conversation), 0),
          coalesce(\(newestDelivery), 0)) + 1
        WHERE true ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """, arguments: [Setting.revision.name])
    if report.lostPages["message"] != nil || report.lostRows["message"] != nil
      || report.lostPages["conversation"] != nil || report.lostRows["conversation"] != nil
    {
      // The server has the missing data. Without a cursor, it sends everything again.
      try db.execute(sql: "DELETE FROM cursor")
    }
  }

  private mutating func mendOwner(_ db: Database) throws {
    owner = try Reading(db).settings.owner()?.rawValue
    if let owner, let user, owner != user.rawValue {
      throw ChatError(.storageForeign, "The store belongs to another account. Nothing was changed.")
    }
    if owner == nil, let user {
      owner = user.rawValue
      try db.execute(
        sql: "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)",
        arguments: [Setting.owner.name, user.rawValue])
    }
  }

  private mutating func mendConversations(_ db: Database) throws {
    let members = owner.flatMap { try? JSONEncoder().encode([$0]) }.map {
      String(decoding: $0, as: UTF8.self)
    }
    for table in ["draft", "draftVersion", "outbox", "message"] {
      try db.execute(
        sql: """
          INSERT OR IGNORE INTO conversation (id, members, isConfirmed, createdAt, updatedAt, listRevision)
          SELECT conversationID, ?,
            EXISTS (SELECT 1 FROM message m WHERE m.conversationID = t.conversationID AND m.serverOrder IS NOT NULL),
            0, 0, 1
          FROM (
            SELECT DISTINCT conversationID FROM \(table)
            WHERE conversationID <> '' AND conversationID NOT IN (SELECT id FROM conversation)) t
          """, arguments: [members ?? "[]"])
      if db.changesCount > 0 { report.lostRows["conversation", default: 0] += db.changesCount }
    }
  }

  /// Marks messages as failed when their outbox rows are lost. It is unknown whether they were sent; the user
  /// decides.
  private mutating func doubt(_ db: Database) throws {
    let before = db.totalChangesCount
    // Messages that the user deleted with their conversation stay deleted.
    let notAside =
      try db.tableExists("outboxAside")
      ? "AND NOT EXISTS (SELECT 1 FROM outboxAside a WHERE a.messageID = message.id)" : ""
    try db.execute(
      sql: """
        INSERT INTO outbox (position, messageID, conversationID, mayHaveArrived, parkedCode, parkedExplanation,
          enqueuedAt)
        SELECT (SELECT coalesce(max(position), 0) FROM outbox) + row_number() OVER (ORDER BY position), id,
          conversationID, 1, ?, ?, createdAt
        FROM message WHERE sender = ? AND place = ? AND serverOrder IS NULL
          AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.messageID = message.id)
          AND NOT EXISTS (SELECT 1 FROM stream s WHERE s.messageID = message.id) \(notAside)
        """,
      arguments: [
        FailureReason.Code.outcomeUnknown.rawValue,
        "The store was damaged: whether this message was sent is not known.", owner, TimelinePlace.underWay,
      ])
    report.doubtful = db.totalChangesCount - before
  }

  /// Conditions for rows that refer to a missing row, by table.
  private static let strays = [
    ("outbox", "messageID IS NOT NULL AND messageID NOT IN (SELECT id FROM message)"),
    ("operation", "messageID NOT IN (SELECT id FROM message)"),
    ("stream", "messageID NOT IN (SELECT id FROM message)"),
    ("chunk", "messageID NOT IN (SELECT messageID FROM stream)"),
    ("messageVersion", "messageID NOT IN (SELECT id FROM message)"),
    ("answerCost", "conversationID NOT IN (SELECT id FROM conversation)"),
    ("reaction", "messageID NOT IN (SELECT id FROM message)"),
    ("attachmentUse", "checksum NOT IN (SELECT checksum FROM attachment)"),
    ("attachmentUse", "messageID IS NOT NULL AND messageID NOT IN (SELECT id FROM message)"),
    ("attachmentUse", "draftID IS NOT NULL AND draftID NOT IN (SELECT id FROM draft)"),
    ("work", "conversationID NOT IN (SELECT id FROM conversation)"),
    ("deletion", "conversationID NOT IN (SELECT id FROM conversation)"),
    ("outboxAside", "messageID IS NOT NULL AND messageID NOT IN (SELECT id FROM message)"),
  ]

  /// Copies the files that the new store refers to. Each is compared with its checksum.
  mutating func takeAttachments(_ db: Database, from old: URL, into new: URL) throws {
    let (source, target) = (AttachmentFolder(in: old), AttachmentFolder(in: new))
    for (checksum, isHere) in try Reading(db).attachments.here() where isHere {
      guard checksum.isWellFormed, try source.copy(checksum, to: target) else {
        report.lostAttachments += 1
        try db.execute(
          sql: "UPDATE attachment SET isHere = 0 WHERE checksum = ?", arguments: [checksum.rawValue])
        continue
      }
      report.attachments += 1
    }
    if report.attachments > 0 { try target.sync() }
  }

  mutating func count(_ db: Database) throws {
    let reading = Reading(db)
    guard try reading.value("PRAGMA integrity_check") == "ok" else {
      throw ChatError(.storageDamaged, "What could be read does not fit together. Nothing was changed.")
    }
    report.drafts = try reading.value("SELECT count(*) FROM draft") ?? 0
    report.unsent = try reading.value("SELECT count(*) FROM outbox WHERE messageID IS NOT NULL") ?? 0
    report.messages = try reading.value("SELECT count(*) FROM message") ?? 0
    report.conversations = try reading.value("SELECT count(*) FROM conversation") ?? 0
  }
}
