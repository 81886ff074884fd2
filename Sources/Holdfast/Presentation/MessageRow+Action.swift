import HoldfastCore
import HoldfastStore

extension MessageRow {
  /// An action that a tap on a message's row offers. The engine chooses the actions, so that no view decides (rules O8,
  /// O9, O16, H3).
  ///
  /// ```swift
  /// .contextMenu {
  ///   ForEach(row.actions, id: \.self) { action in Button(title(of: action)) { perform(action, on: row.id) } }
  /// }
  /// ```
  ///
  /// An offered action may fail, because a message may have been sent by the time of the tap. The call then throws a
  /// ``ChatError`` whose code is `tooLate` and whose sentence is fit to be shown.
  public enum Action: String, Sendable, Codable, Hashable, CaseIterable {
    /// Puts the message back into the queue, at once: ``MessageHandle/retry()``.
    case retry
    /// Asks the question about messages that have waited for long: ``OutboxHandle/answerHeld(_:)``.
    case decide
    /// Puts the text of an unsent message back into the composer: ``MessageHandle/takeBack()``. Changes the text of a
    /// delivered message in place: ``ComposerModel/beginEdit(_:)``.
    case edit
    /// Takes the message out of queue and timeline before it is sent: ``MessageHandle/cancel()``.
    case cancel
    /// Deletes a failed message with its text: ``MessageHandle/cancel()``. Deletes a delivered message for everybody,
    /// or a reply that failed or was interrupted here: ``MessageHandle/delete()``.
    case delete
    /// Shows why the message was not sent yet, and when it is tried next: ``ExplanationModel``.
    case info
    /// Adds an emoji of this user to a delivered message, or removes it: ``MessageHandle/react(_:)`` and
    /// ``MessageHandle/unreact(_:)``.
    case react
    /// Continues a reply that was interrupted on this device: ``MessageHandle/continueReply()``.
    case continueReply
    /// Retries a reply that was interrupted on this device, from its beginning: ``MessageHandle/retryReply()``.
    case retryReply
    /// Asks for another answer in place of a complete one: ``MessageHandle/regenerateReply()``.
    case regenerateReply
    /// Discards a new answer that was interrupted, and keeps the earlier one: ``MessageHandle/keepEarlierReply()``.
    case keepEarlierReply

    /// A new answer in place of a complete one.
    struct Regeneration {
      /// Whether any of it is stored. The row shows the earlier answer otherwise.
      var hasWords: Bool
    }

    /// The actions for a row, in the order in which a menu shows them. A message in flight offers the actions of a
    /// queued one. The engine checks whether it is too late when the user takes the action, and not before.
    ///
    /// - Parameters:
    ///   - operations: the operations that the server supports on a message that it has.
    ///   - isOurs: whether this user can delete the message: it is of the user or an assistant of the user, or its
    ///     conversation is kept on this device alone.
    ///   - regeneration: the new answer under way in the row's place. Nil: no answer is under way.
    static func offered(
      for row: MessageRow, operations: Set<MessageOperation.Kind>, isOurs: Bool,
      regeneration: Regeneration? = nil
    ) -> [Action] {
      if row.isWrittenHere, !row.status.isComplete, row.status.state != .streaming {
        let hasWords = regeneration?.hasWords ?? !row.text.isEmpty
        return (hasWords ? [.continueReply] : []) + [.retryReply]
          + (regeneration == nil ? [] : [.keepEarlierReply]) + [.delete]
      }
      switch row.status.state {
      case .delivered:
        guard !row.isDeleted else { return [] }
        let reaction: [Action] = operations.isSuperset(of: [.react, .unreact]) ? [.react] : []
        let edit: [Action] = row.isMine && operations.contains(.edit) ? [.edit] : []
        let isReply = isOurs && row.role == .assistant && operations.contains(.edit)
        return reaction + (isReply ? [.regenerateReply] : []) + edit
          + (isOurs && operations.contains(.delete) ? [.delete] : [])
      case .streaming, .interrupted: return []
      case .queued, .sending: return [.info, .edit, .cancel]
      case .held: return [.decide]
      case .failed: return [.retry, .edit, .delete]
      }
    }
  }
}
