import Foundation
import HoldfastCore

/// The snapshot behind the list of conversations, read in one transaction.
package struct ConversationListReading {
  /// The conversations, newest first, plus one if there are more.
  package var conversations: [StoredConversation]
  /// The beginning of each draft.
  package var drafts: [ConversationKey: String]
  /// The number of own messages that wait or have failed.
  package var unsent: [ConversationKey: Int]
  package var unread: [ConversationKey: Int]
  /// The hidden conversations that can be brought back.
  package var undoable: [(key: ConversationKey, id: ConversationID, title: String?, members: [UserID])]
}

extension ConversationRows {
  /// Reads the list, or the conversations in it that an app chooses by their metadata.
  package func list(
    limit: Int, where isIncluded: ((Data?) -> Bool)?, undoable: [ConversationKey], of user: UserID
  ) throws -> ConversationListReading {
    let chosen = try isIncluded.map { try stored(limit: limit + 1, where: $0) }
    // One extra row shows whether there are more.
    return ConversationListReading(
      conversations: try chosen.map { try stored($0) } ?? stored(limit: limit + 1),
      drafts: try db.drafts.excerpts(), unsent: try db.outbox.unsentCounts(),
      unread: try chosen.map { try db.readMarks.unreadCounts(of: user, in: $0) }
        ?? db.readMarks.unreadCounts(of: user, limit: limit),
      undoable: try db.deletions.titles(of: undoable))
  }
}
