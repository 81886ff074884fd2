import Foundation
import GRDB
import HoldfastCore

private enum ExtrasColumn: String, QueryColumn {
  case conversationID, images, videos, readBy, importedStatus

  static let message = select("FROM message WHERE id = ?")
}

extension MessageExtras {
  fileprivate init(_ row: QueryRow<ExtrasColumn>) {
    self.init(
      images: Reading.references(row[.images]), videos: Reading.references(row[.videos]),
      readBy: Reading.references(row[.readBy]).map(UserID.init(rawValue:)),
      importedStatus: row[.importedStatus])
  }
}

extension Reading {
  /// The parts of a message that only an import brings, and its conversation.
  package func messageExtras(of id: MessageID) throws -> (
    conversation: ConversationID, extras: MessageExtras
  )? {
    guard id.isWellFormed else { return nil }
    return try row(ExtrasColumn.message, [id.rawValue]) { ($0[.conversationID], MessageExtras($0)) }
  }

  /// The texts of a JSON array. Empty when the JSON is not an array of texts: only another program's import could
  /// have stored that.
  static func references(_ json: String?) -> [String] {
    json.flatMap { try? JSONDecoder().decode([String].self, from: Data($0.utf8)) } ?? []
  }
}
