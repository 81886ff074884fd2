import Foundation
import GRDB
import HoldfastCore

/// The columns of a message's content, for the queries of messages `m`. They are the only list of these columns: a query
/// has them as its shared ones, and a statement that writes them has ``MessageContent/columns``.
enum ContentColumn: String, QueryColumn {
  case body, reasoning, replyTo, formatting, metadata, images, videos, request

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
  static let assignments = ContentColumn.allCases.map { $0.rawValue + " = ?" }.joined(separator: ", ")

  var arguments: StatementArguments {
    [
      text, reasoning, replyTo?.rawValue, formatting, metadata, ReferenceList.column(images),
      ReferenceList.column(videos), request?.rawValue,
    ]
  }
}

/// The columns of the content that an operation `p` brings, for the queries of operations.
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

  /// The columns that an edit replaces when it replaces all of the content, in the order of ``replacing``.
  static let replacedColumns = ["body", "formatting", "reasoning", "metadata", "images", "videos"]

  /// Assigns the values of ``replacing`` in an `UPDATE` of a message.
  static let replacements = replacedColumns.map { $0 + " = ?" }.joined(separator: ", ")

  var replacing: StatementArguments {
    [
      text, formatting, reasoning, metadata, ReferenceList.column(images), ReferenceList.column(videos),
    ]
  }
}

extension MessageContent.FormattedText {
  /// Assigns the ``arguments`` in an `UPDATE` of a message.
  static let assignments = "body = ?, formatting = ?"

  var arguments: StatementArguments { [string, formatting] }
}
