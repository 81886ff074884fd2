import HoldfastCore

extension OutgoingMessage {
  /// The server's own names (rule B1) of the messages and the reaction that a message or an operation refers to, from
  /// the server's events and acknowledgements. Each is nil when the server has none, or has not sent it yet.
  ///
  /// ```swift
  /// func path(toDelete message: OutgoingMessage) -> String? {
  ///   message.serverIDs.target.map { "events/\($0)" }
  /// }
  /// ```
  public struct ServerIDs: Sendable, Hashable {
    /// The name of the message that an operation changes.
    public var target: String?
    /// The name of the message that this message answers: ``MessageContent/replyTo``.
    public var replyTo: String?
    /// The name of the reaction that an operation takes back.
    public var reaction: String?

    /// Names with these values.
    public init(target: String? = nil, replyTo: String? = nil, reaction: String? = nil) {
      self.target = target
      self.replyTo = replyTo
      self.reaction = reaction
    }
  }
}
