/// What a tap on a message's row offers, so that no view decides (SPEC O8, O9, O16).
///
/// ```swift
/// .contextMenu {
///   ForEach(row.actions, id: \.self) { action in Button(title(of: action)) { perform(action, on: row.id) } }
/// }
/// ```
///
/// An offer is no promise: a message may have left by the time of the tap. The call says so then, with a
/// ``ChatError`` whose code is `tooLate` and whose sentence is fit to be shown.
public enum MessageAction: String, Sendable, Codable, Hashable, CaseIterable {
  /// Back into the queue, and at once: ``ChatClient/retry(_:)``.
  case retry
  /// The question about what has waited for long: ``ChatClient/answerHeld(_:)``.
  case decide
  /// Its text goes back into the composer: ``ChatClient/takeBack(_:)``.
  case edit
  /// Out of queue and timeline before it has gone: ``ChatClient/cancel(_:)``.
  case cancel
  /// A failed message is deleted, with its text: ``ChatClient/cancel(_:)``.
  case delete
  /// Why it has not gone, and when it is tried next: ``ExplanationModel``.
  case info

  /// In the order in which a menu shows them. A message that is on its way offers what a queued one does: whether it
  /// is too late is known when its user asks for it, and not before.
  static func offered(for delivery: Delivery) -> [MessageAction] {
    switch delivery {
    case .delivered: []
    case .queued, .sending: [.info, .edit, .cancel]
    case .held: [.decide]
    case .failed: [.retry, .edit, .delete]
    }
  }
}
