import HoldfastCore
import HoldfastStore

extension MessageRow {
  /// What a tap on a message's row offers, so that no view decides (SPEC O8, O9, O16, H3).
  ///
  /// ```swift
  /// .contextMenu {
  ///   ForEach(row.actions, id: \.self) { action in Button(title(of: action)) { perform(action, on: row.id) } }
  /// }
  /// ```
  ///
  /// An offer is no promise: a message may have left by the time of the tap. The call says so then, with a
  /// ``ChatError`` whose code is `tooLate` and whose sentence is fit to be shown.
  public enum Action: String, Sendable, Codable, Hashable, CaseIterable {
    /// Back into the queue, and at once: ``MessageHandle/retry()``.
    case retry
    /// The question about what has waited for long: ``OutboxHandle/answerHeld(_:)``.
    case decide
    /// The text of a message that has not gone goes back into the composer: ``MessageHandle/takeBack()``. That of a
    /// delivered one is changed where it stands: ``ComposerModel/beginEdit(_:)``.
    case edit
    /// Out of queue and timeline before it has gone: ``MessageHandle/cancel()``.
    case cancel
    /// A failed message is deleted, with its text: ``MessageHandle/cancel()``. A delivered one is deleted for everybody:
    /// ``MessageHandle/delete()``.
    case delete
    /// Why it has not gone, and when it is tried next: ``ExplanationModel``.
    case info
    /// A delivered message gets an emoji of this user, or loses it: ``MessageHandle/react(_:)`` and
    /// ``MessageHandle/unreact(_:)``.
    case react
    /// A reply that was cut off on this device is written on: ``MessageHandle/continueReply()``.
    case continueReply
    /// It is written anew: ``MessageHandle/retryReply()``.
    case retryReply

    /// In the order in which a menu shows them. A message that is on its way offers what a queued one does: whether it
    /// is too late is known when its user asks for it, and not before.
    ///
    /// - Parameter operations: what the server can do to a message that it has.
    static func offered(
      for row: MessageRow, operations: Set<MessageOperation.Kind>
    ) -> [Action] {
      switch row.delivery {
      case .delivered:
        if row.completeness == .interrupted, row.isWrittenHere { return [.continueReply, .retryReply] }
        guard !row.isDeleted, row.completeness == .complete else { return [] }
        let reaction: [Action] = operations.isSuperset(of: [.react, .unreact]) ? [.react] : []
        let edit: [Action] = row.isMine && operations.contains(.edit) ? [.edit] : []
        return reaction + edit + (row.isMine && operations.contains(.delete) ? [.delete] : [])
      case .queued, .sending: return [.info, .edit, .cancel]
      case .held: return [.decide]
      case .failed: return [.retry, .edit, .delete]
      }
    }
  }
}
