import HoldfastCore

/// The server's refusal of one message, classified by what the sender does about it.
///
/// A definitive refusal means that the server does not have the message, which may be sent again, edited or taken
/// back. Two are ambiguous, and leave open whether the message arrived: ``notNow(after:mayHaveArrived:)`` and
/// ``outcomeUnknown(after:)``. After these a message is sent again only where ``TransportCapabilities/idempotency`` permits
/// it, and is looked up otherwise (rule B4).
public enum Refusal: Sendable, Hashable {
  /// The message failed this time, perhaps by its own fault. It costs an attempt.
  case failed(after: Duration?)
  /// The server cannot serve now, or asks the client to back off (429, 503). It costs no attempt. By default it is
  /// ambiguous: many servers, and the proxies in front of them, answer it before they look at the message's ID. A
  /// server that never answers it for a message that it has is trusted with `mayHaveArrived: false`.
  case notNow(after: Duration?, mayHaveArrived: Bool = true)
  /// No answer to this message came, while the server answers others: a timeout, a lost answer, a proxy's 502. It
  /// costs an attempt, and is ambiguous. After the last attempt the message fails with code
  /// ``FailureReason/Code/outcomeUnknown``, and its user decides.
  case outcomeUnknown(after: Duration? = nil)
  /// The server will never take the message. The reason is shown to the user.
  case rejected(FailureReason)
  /// The message's predecessor has not been accepted. The server did not look at the message.
  case predecessorMissing
  /// The server does not have the message's attachments. They are uploaded again. It costs an attempt.
  case attachmentsMissing

  /// Whether the server may still have the message.
  package var mayHaveArrived: Bool {
    switch self {
    case .notNow(_, let mayHaveArrived): mayHaveArrived
    case .outcomeUnknown: true
    case .failed, .rejected, .predecessorMissing, .attachmentsMissing: false
    }
  }
}
