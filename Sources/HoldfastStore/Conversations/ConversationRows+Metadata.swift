import Foundation
import GRDB
import HoldfastCore

/// The app's own data about conversations (rule L10).
extension ConversationRows where Access == Transaction {
  /// Replaces the metadata of a conversation. Nil removes it.
  package func setMetadata(_ metadata: Data?, of id: ConversationKey) throws {
    let id = try require(id)
    try run(
      "UPDATE conversation SET metadata = ?1 WHERE id = ?2 AND metadata IS NOT ?1", [metadata, id.rawValue])
    if changedRows > 0 { changes.noteConversation(id) }
  }
}

private enum MetadataColumn: String, QueryColumn {
  case id, metadata

  static let listed = select(
    """
    FROM conversation
    WHERE id \(DeletionRule.notDeleted) ORDER BY listRevision DESC
    """)
  static let one = select("FROM conversation WHERE id = ?")
}

extension ConversationRows {
  /// The metadata of a conversation. Nil when it has no metadata.
  package func metadata(of id: ConversationKey) throws -> Data? {
    try row(MetadataColumn.one, [id.rawValue]) { $0[.metadata] as Data? } ?? nil
  }

  /// The first conversations of the list whose metadata the app accepts. Reads metadata from the top of the list
  /// until `limit` are found.
  package func stored(limit: Int, where isIncluded: (Data?) -> Bool) throws -> [ConversationKey] {
    var chosen: [ConversationKey] = []
    try forEachRow(of: MetadataColumn.listed) { row in
      if isIncluded(row[.metadata]) { chosen.append(row[.id]) }
      return chosen.count < limit
    }
    return chosen
  }
}
