import Foundation
import GRDB
import HoldfastCore

/// The columns of a message's content, for the queries of messages `m`. This is the only list of these columns: a
/// query has them as its shared columns, and a statement that writes them uses ``MessageContent/columns``.
enum ContentColumn: String, QueryColumn {
  case body, reasoning, replyTo, formatting, metadata, images, videos, request

  /// The columns that an edit of all of the content replaces. The message's `replyTo` is kept.
  static let replaced: [ContentColumn] = [.body, .formatting, .reasoning, .metadata, .images, .videos]

  /// Assigns columns in an `UPDATE`.
  static func assignments(of columns: some Sequence<ContentColumn>) -> String {
    columns.map { $0.rawValue + " = ?" }.joined(separator: ", ")
  }

  static var list: String { allCases.map { "m." + $0.rawValue }.joined(separator: ", ") }
}

extension MessageContent {
  init(_ row: QueryRow<ContentColumn>) {
    self.init(
      row[.body], formatting: row[.formatting], reasoning: row[.reasoning], replyTo: row[.replyTo],
      request: row[.request], metadata: row[.metadata], images: ReferenceList.references(row[.images]),
      videos: ReferenceList.references(row[.videos]))
  }

  /// The columns for a statement that writes them, in the order of the ``arguments``.
  static let columns = ContentColumn.allCases.map(\.rawValue).joined(separator: ", ")

  /// A placeholder for each of the ``columns``.
  static let placeholders = ContentColumn.allCases.map { _ in "?" }.joined(separator: ", ")

  /// Assigns the ``arguments`` in an `UPDATE`.
  static let assignments = ContentColumn.assignments(of: ContentColumn.allCases)

  var arguments: StatementArguments { arguments(of: ContentColumn.allCases) }

  /// The values of some columns, in their order.
  func arguments(of columns: some Sequence<ContentColumn>) -> StatementArguments {
    StatementArguments(columns.map(value))
  }

  private func value(of column: ContentColumn) -> (any DatabaseValueConvertible)? {
    switch column {
    case .body: text
    case .reasoning: reasoning
    case .replyTo: replyTo?.rawValue
    case .formatting: formatting
    case .metadata: metadata
    case .images: ReferenceList.column(images)
    case .videos: ReferenceList.column(videos)
    case .request: request?.rawValue
    }
  }
}

/// The columns of the content that an operation `p` carries, for the queries of operations.
enum OperationContentColumn: String, QueryColumn {
  /// NULL for a deletion.
  case payload = "p.payload"
  case formatting = "p.formatting"
  /// The other columns have a value only for an edit that replaces all of the content.
  case isWhole = "p.isWhole"
  case reasoning = "p.reasoning"
  case metadata = "p.metadata"
  case images = "p.images"
  case videos = "p.videos"
}

extension MessageContent {
  init(_ row: QueryRow<OperationContentColumn>) {
    self.init(
      row[.payload] ?? "", formatting: row[.formatting], reasoning: row[.reasoning],
      metadata: row[.metadata], images: ReferenceList.references(row[.images]),
      videos: ReferenceList.references(row[.videos]))
  }

  /// The names of the columns that an edit replaces, in the order of ``replacing``.
  static let replacedColumns = ContentColumn.replaced.map(\.rawValue)

  /// Assigns the values of ``replacing`` in an `UPDATE` of a message.
  static let replacements = ContentColumn.assignments(of: ContentColumn.replaced)

  var replacing: StatementArguments { arguments(of: ContentColumn.replaced) }
}

extension MessageContent.FormattedText {
  /// Assigns the ``arguments`` in an `UPDATE` of a message.
  static let assignments = "body = ?, formatting = ?"

  var arguments: StatementArguments { [string, formatting] }
}
