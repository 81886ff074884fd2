import HoldfastCore

/// The way in which a reply ended, as ``ReplyHandle/write(_:)`` returns it.
public enum ReplyEnding: Sendable, Hashable {
  /// The reply is whole, and is delivered as a message.
  case finished
  /// The reply was interrupted, by its user, by the task that wrote it or by another process of the app. The text so
  /// far is stored, and can be continued or retried. Nothing is stored of a reply in a conversation that was deleted.
  case interrupted
  /// The model failed. The text so far is stored, and the row shows the reason.
  case failed(FailureReason)
}
