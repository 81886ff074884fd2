/// The rules of deletions, as SQL conditions.
enum DeletionRule {
  /// Behind the ID of a conversation: it was not deleted on this device.
  static let notDeleted = "NOT IN (SELECT conversationID FROM deletion)"
}
