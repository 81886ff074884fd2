import HoldfastCore

extension OutgoingMessage {
  /// The fate of a message that left and was not answered.
  public enum Fate: Sendable, Hashable {
    /// The server has the message.
    case accepted(Receipt)
    /// The server does not have the message, and will not accept a copy that is still on its way. The message is
    /// sent again.
    case absent
    /// The server cannot tell. The user is asked.
    case unknown
  }
}
