/// The rules of deletions, as SQL conditions.
enum DeletionRule {
  /// A condition on a conversation's ID: it was not deleted on this device.
  static let notDeleted = "NOT IN (SELECT conversationID FROM deletion)"
}
