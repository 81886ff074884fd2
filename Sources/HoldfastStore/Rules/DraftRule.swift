/// The rules of drafts, as SQL conditions on its rows.
enum DraftRule {
  /// A draft `d` of the conversation `c` is restorable. The draft of a new message is not if it is older than the
  /// last sent message: it was sent.
  static let isRestorable = "(d.slot = 'edit' OR d.revision > c.sentRevision)"
}
