import GRDB
import HoldfastCore

/// The columns of a query, in the order in which it selects them. A case names a column in Swift. Its raw value is
/// the column in SQL.
///
/// ```swift
/// enum QuoteColumn: String, QueryColumn {
///   case sender
///   case body = "substr(body, 1, 400)"
///
///   static let quoted = select("FROM message WHERE id = ?")
/// }
///
/// try reading.row(QuoteColumn.quoted, [id.rawValue]) { QuotedMessage(sender: $0[.sender], text: $0[.body]) }
/// ```
protocol QueryColumn: CaseIterable, RawRepresentable<String> {
  /// The columns that the query selects.
  static var list: String { get }
  /// The number of columns before these in a row.
  static var countBefore: Int { get }
}

/// The columns of a query, after the columns of a value that other queries read too. ``QueryRow/shared`` reads that
/// value's columns.
///
/// ```swift
/// enum TimelineColumn: String, ExtendingColumn {
///   typealias Shared = ContentColumn
///   case id = "m.id"
///
///   static let newest = select("FROM message m WHERE m.conversation = ?")
/// }
///
/// try reading.rows(TimelineColumn.newest, [conversation.rawValue]) { row in
///   (id: row[.id] as String, content: MessageContent(row.shared))
/// }
/// ```
protocol ExtendingColumn: QueryColumn {
  associatedtype Shared: QueryColumn
}

extension ExtendingColumn {
  static var list: String { Shared.list + ", " + ownList }
  static var countBefore: Int { Shared.countBefore + Shared.allCases.count }
}

extension QueryColumn {
  static var list: String { ownList }
  static var countBefore: Int { 0 }

  /// A query that selects the columns. `rest` begins after them, with `FROM`.
  static func select(_ rest: String) -> Query<Self> { Query { "SELECT \($0) \(rest)" } }

  /// The position of the column in a row. In memory, a case without a payload is its position among the cases;
  /// ``Query`` checks that once. Searching `allCases` would cost more than reading the column.
  fileprivate var position: Int {
    // A single case takes no memory.
    @inline(__always) get { MemoryLayout<Self>.size == 0 ? 0 : Int(unsafeBitCast(self, to: UInt8.self)) }
  }

  fileprivate static var ownList: String {
    for (position, column) in allCases.enumerated() { precondition(column.position == position) }
    return allCases.map(\.rawValue).joined(separator: ", ")
  }
}

/// A query whose rows are read by the names of its columns. Its text is made once: statements are cached by their
/// text, and making the text for each call would cost more than many a query.
struct Query<Column: QueryColumn>: Sendable {
  let sql: String
  /// The number of columns before this query's own columns.
  fileprivate let countBefore: Int

  /// - Parameter sql: receives the list of the columns, and returns the text of the query.
  init(_ sql: (_ columns: String) -> String) {
    self.sql = sql(Column.list)
    countBefore = Column.countBefore
  }
}

/// A row on which SQLite is positioned. It is valid until the next row.
///
/// The type of a value is inferred from its use. A column that may be NULL needs an optional type. In a comparison
/// Swift would infer the non-optional one: name the type there, as in `row[.title] as String?`.
struct QueryRow<Column: QueryColumn> {
  fileprivate let row: Row
  fileprivate let countBefore: Int

  subscript<Value: ColumnValue>(_ column: Column) -> Value {
    @inline(__always) get { Value(stored: row[countBefore + column.position]) }
  }

  /// Nil when the column is NULL.
  subscript<Value: ColumnValue>(_ column: Column) -> Value? {
    @inline(__always) get { (row[countBefore + column.position] as Value.Stored?).map(Value.init(stored:)) }
  }

  /// The reason why something has failed, which is a code and an explanation. Nil when there is no code.
  func failure(_ code: Column, _ explanation: Column) -> FailureReason? {
    (self[code] as String?).map { FailureReason(.init(rawValue: $0), self[explanation] ?? "") }
  }
}

extension QueryRow where Column: ExtendingColumn {
  /// The columns of the value that other queries read too.
  var shared: QueryRow<Column.Shared> {
    @inline(__always) get { QueryRow<Column.Shared>(row: row, countBefore: Column.Shared.countBefore) }
  }
}

extension Reading {
  /// All rows of a query. Each row becomes a value while SQLite is positioned on it: copying the row would cost
  /// more than reading it.
  func rows<Column, Value>(
    _ query: Query<Column>, _ arguments: StatementArguments = StatementArguments(),
    _ value: (QueryRow<Column>) throws -> Value
  ) throws -> [Value] {
    let cursor = try Row.fetchCursor(database.cachedStatement(sql: query.sql), arguments: arguments)
    var values: [Value] = []
    while let row = try cursor.next() {
      values.append(try value(QueryRow(row: row, countBefore: query.countBefore)))
    }
    return values
  }

  /// The first row of a query. Nil when no row was found.
  func row<Column, Value>(
    _ query: Query<Column>, _ arguments: StatementArguments = StatementArguments(),
    _ value: (QueryRow<Column>) throws -> Value
  ) throws -> Value? {
    let cursor = try Row.fetchCursor(database.cachedStatement(sql: query.sql), arguments: arguments)
    return try cursor.next().map { try value(QueryRow(row: $0, countBefore: query.countBefore)) }
  }

  /// Gives `body` the rows of a query, one at a time, until it returns false.
  func forEachRow<Column>(
    of query: Query<Column>, _ arguments: StatementArguments = StatementArguments(),
    _ body: (QueryRow<Column>) throws -> Bool
  ) throws {
    let cursor = try Row.fetchCursor(database.cachedStatement(sql: query.sql), arguments: arguments)
    while let row = try cursor.next(), try body(QueryRow(row: row, countBefore: query.countBefore)) {}
  }

  /// The values of a query that has one column.
  func values<Value: ColumnValue>(
    _ sql: String, _ arguments: StatementArguments = StatementArguments()
  ) throws -> [Value] {
    let cursor = try Value.Stored.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
    var values: [Value] = []
    while let stored = try cursor.next() { values.append(Value(stored: stored)) }
    return values
  }

  /// The value of a query that has one column and at most one row. Nil when there is no row, or NULL in it.
  func value<Value: ColumnValue>(
    _ sql: String, _ arguments: StatementArguments = StatementArguments()
  ) throws -> Value? {
    try Value.Stored.fetchOne(database.cachedStatement(sql: sql), arguments: arguments).map(
      Value.init(stored:))
  }

  /// Whether a query has a row.
  func exists(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Bool {
    try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments).next() != nil
  }
}

extension Transaction {
  /// Runs one statement. The prepared statement is cached.
  func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
    try database.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// The number of rows that the last statement changed.
  var changedRows: Int { database.changesCount }
}
