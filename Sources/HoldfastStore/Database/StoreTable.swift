import GRDB
import HoldfastCore

/// A ``Reading`` or a ``Transaction``: the entry point to the store's tables, as in `reading.outbox.queuedCount()`.
/// Each table adds itself in an extension. Functions that write exist only on the tables of a transaction, as in
/// `transaction.outbox.enqueue(id, in: conversation, at: now)`.
package protocol StoreTables {}

extension Reading: StoreTables {}

/// The functions on one kind of rows, such as those of the outbox. A table has its own folder. It reaches the other
/// tables through ``db``, as in `db.outbox.remove(id, in: conversation)`.
protocol StoreTable {
  associatedtype Access: Reading
  /// The snapshot or the transaction.
  var db: Access { get }
}

// These calls are inlined because a table is generic. Other modules call one compiled form of a generic function,
// and that form would call generic statements.
extension StoreTable {
  @inline(__always) func rows<Column, Value>(
    _ query: Query<Column>, _ arguments: StatementArguments = StatementArguments(),
    _ value: (QueryRow<Column>) throws -> Value
  ) throws -> [Value] {
    try (db as Reading).rows(query, arguments, value)
  }

  @inline(__always) func row<Column, Value>(
    _ query: Query<Column>, _ arguments: StatementArguments = StatementArguments(),
    _ value: (QueryRow<Column>) throws -> Value
  ) throws -> Value? {
    try (db as Reading).row(query, arguments, value)
  }

  @inline(__always) func forEachRow<Column>(
    of query: Query<Column>, _ arguments: StatementArguments = StatementArguments(),
    _ body: (QueryRow<Column>) throws -> Bool
  ) throws {
    try (db as Reading).forEachRow(of: query, arguments, body)
  }

  @inline(__always) func values<Value: ColumnValue>(
    _ sql: String, _ arguments: StatementArguments = StatementArguments()
  ) throws -> [Value] {
    try (db as Reading).values(sql, arguments)
  }

  @inline(__always) func value<Value: ColumnValue>(
    _ sql: String, _ arguments: StatementArguments = StatementArguments()
  ) throws -> Value? {
    try (db as Reading).value(sql, arguments)
  }

  @inline(__always) func exists(
    _ sql: String, _ arguments: StatementArguments = StatementArguments()
  ) throws -> Bool {
    try (db as Reading).exists(sql, arguments)
  }

  func key(of name: ConversationID) throws -> ConversationKey { try db.key(of: name) }

  func name(of key: ConversationKey) throws -> ConversationID { try db.name(of: key) }
}

extension StoreTable where Access == Transaction {
  func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
    try db.run(sql, arguments)
  }

  /// The number of rows that the last statement changed.
  var changedRows: Int { db.changedRows }

  var changes: Changes {
    get { db.changes }
    nonmutating _modify { yield &db.changes }
  }

  /// The deletions on this device, as this transaction sees them.
  var localDeletions: LocalDeletions {
    get { db.localDeletions }
    nonmutating _modify { yield &db.localDeletions }
  }

  func key(of name: ConversationID) -> ConversationKey { db.key(of: name) }

  func name(of key: ConversationKey) -> ConversationID { db.name(of: key) }

  func whole(of key: ConversationKey) -> ConversationKey { db.whole(of: key) }
}
