import HoldfastCore

extension TransportCapabilities {
  /// The time for which a server remembers the ID of a message that it has accepted. A message that is sent again
  /// under a remembered ID exists once, and is acknowledged again (rule O6).
  ///
  /// ```swift
  /// TransportCapabilities(idempotency: .window(.seconds(24 * 3600), scope: .account))
  /// ```
  ///
  /// Every guarantee includes one promise: a definitive ``Refusal`` means that the server does not have the message.
  /// A refused message is therefore sent again, edited or deleted without a question. An answer that may come from an
  /// intermediary, such as a proxy's 502, is ``Refusal/outcomeUnknown(after:)`` or a ``ConnectionFailure``.
  ///
  /// A message that was transmitted and not answered may have arrived. Where the guarantee covers it, the message is
  /// sent again. Otherwise the engine asks the server (``TransportConnection/outcomes(of:in:)``), and asks the user if
  /// the server does not know.
  public enum Idempotency: Sendable, Hashable {
    /// The server remembers an ID as long as the server exists.
    case forever
    /// The server remembers an ID for at least this long after the message arrived, within the scope.
    case window(Duration, scope: Scope)
    /// The server ignores IDs.
    case none

    /// The connections on which the server recognizes a second copy.
    public enum Scope: String, Sendable, Hashable, Codable {
      /// All connections of the account. A server that ties IDs to a login or a device belongs here too, if its
      /// transport keeps that login from launch to launch.
      case account
      /// The same connection only. Messages that were in flight when a connection ended are never covered.
      case connection
    }

    /// Whether a message may be sent on a new connection although an earlier copy may have arrived.
    ///
    /// - Parameters:
    ///   - age: the time since the first unanswered copy was sent. Nil when it is unknown.
    ///   - travelTime: the time that the new copy may take.
    package func covers(age: Duration?, travelTime: Duration) -> Bool {
      switch self {
      case .forever: true
      case .window(let window, .account): age.map { $0 + travelTime <= window } ?? false
      case .window(_, .connection), .none: false
      }
    }
  }
}
