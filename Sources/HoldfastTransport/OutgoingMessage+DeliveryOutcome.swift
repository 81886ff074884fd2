import HoldfastCore

extension OutgoingMessage {
  /// The delivery outcome of a message that was transmitted and not answered.
  public enum DeliveryOutcome: Sendable, Hashable {
    /// The server has the message.
    case accepted(Receipt)
    /// The server does not have the message, and will not accept a copy that is still in flight. The message is sent
    /// again.
    case absent
    /// The server does not know. The user is asked.
    case unknown
  }
}
