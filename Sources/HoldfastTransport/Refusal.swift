import HoldfastCore

/// The server's refusal of one message, classified by what the sender does about it.
public enum Refusal: Sendable, Hashable {
  /// The message failed this time, perhaps by its own fault. It costs an attempt.
  case failed(after: Duration?)
  /// The server cannot serve now, or asks for patience (429, 503). It costs no attempt.
  case notNow(after: Duration?)
  /// The server will never take the message. The reason is shown to the user.
  case rejected(FailureReason)
  /// The message's predecessor has not been accepted. The server did not look at the message.
  case predecessorMissing
  /// The server does not have the message's attachments. They are uploaded again. It costs an attempt.
  case attachmentsMissing
}
