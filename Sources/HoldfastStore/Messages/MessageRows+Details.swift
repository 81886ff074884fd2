import Foundation
import GRDB
import HoldfastCore

private enum ExtrasColumn: String, QueryColumn {
  case conversationID, readBy, importedStatus

  static let message = select("FROM message WHERE id = ?")
}

extension MessageDetails {
  fileprivate init(_ row: QueryRow<ExtrasColumn>) {
    self.init(
      readBy: ReferenceList.references(row[.readBy]).map(UserID.init(rawValue:)),
      importedStatus: row[.importedStatus])
  }
}

extension MessageRows {
  /// The parts of a message that only imports have, and its conversation.
  package func details(of id: MessageID) throws -> (
    conversation: ConversationKey, details: MessageDetails
  )? {
    guard id.isWellFormed else { return nil }
    return try row(ExtrasColumn.message, [id.rawValue]) { ($0[.conversationID], MessageDetails($0)) }
  }
}
