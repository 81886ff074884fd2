import GRDB
import HoldfastCore

private enum DeletionColumn: String, QueryColumn {
  case conversationID
  /// The position of a mark, or the server's order of a horizon.
  case number = "position"
  /// Whether a mark is final, or a horizon comes from an eviction.
  case flag = "isFinal"
  /// NULL for a horizon.
  case emptied
  case isHorizon = "0"
  /// NULL for a mark.
  case deletedOrder = "NULL"

  static let all = select(
    "FROM deletion UNION ALL SELECT conversationID, serverOrder, isEvicted, NULL, 1, deletedOrder FROM horizon"
  )
}

extension DeletionRows {
  func stored() throws -> LocalDeletions {
    var deletions = LocalDeletions()
    try forEachRow(of: DeletionColumn.all) { row in
      if row[.isHorizon] {
        deletions.horizons[row[.conversationID]] = .init(
          serverOrder: row[.number], isEvicted: row[.flag], deletedOrder: row[.deletedOrder])
      } else {
        deletions.marks[row[.conversationID]] = .init(
          position: row[.number], isFinal: row[.flag], emptied: row[.emptied])
      }
      return true
    }
    return deletions
  }
}
