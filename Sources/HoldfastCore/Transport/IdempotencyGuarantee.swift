/// How long a backend remembers the ID of a message that it has taken: sent again under the same ID, the message is
/// then there once, and its receipt comes again (SPEC O6).
///
/// ```swift
/// TransportGuarantees(idempotency: .window(.seconds(24 * 3600), scope: .account))
/// ```
///
/// One promise goes with each of them: a ``Refusal``, of whatever kind, says that the backend does not have the message.
/// A refused message is therefore sent again, edited or deleted without a question. An answer that may come from
/// somebody in between, such as a proxy's 503, is a ``LinkFailure`` and no refusal.
///
/// What left and was not answered may be there. Where the guarantee covers it, it is simply sent again. Where it does
/// not, the backend is asked (``TransportConnection/lookUp(_:in:)``), and if it cannot tell, the user is.
public enum IdempotencyGuarantee: Sendable, Hashable {
  /// An ID is remembered as long as the backend exists.
  case forever
  /// An ID is remembered for at least this long after the message came, within the scope.
  case window(Duration, scope: Scope)
  /// The backend does not look at IDs.
  case none

  /// Whose second copy is recognised.
  public enum Scope: String, Sendable, Hashable, Codable {
    /// Any connection's of the account. A backend that ties IDs to a login or a device belongs here too, as long as
    /// its transport keeps that login over relaunches.
    case account
    /// The same connection's alone. What was on its way when a connection ended is never covered by it.
    case connection
  }

  /// Whether a message may be sent on a new connection although an earlier copy may have arrived.
  ///
  /// - Parameters:
  ///   - age: how long ago the first copy left that was not answered. Nil: nobody knows.
  ///   - travelTime: how long the new copy may take.
  package func covers(age: Duration?, travelTime: Duration) -> Bool {
    switch self {
    case .forever: true
    case .window(let window, .account): age.map { $0 + travelTime <= window } ?? false
    case .window(_, .connection), .none: false
    }
  }
}

/// What became of a message that left and was not answered.
public enum MessageFate: Sendable, Hashable {
  /// The backend has it.
  case accepted(Receipt)
  /// The backend does not have it, and a copy that is still on its way will not be taken either: it leaves again.
  case absent
  /// The backend cannot tell: the user is asked.
  case unknown
}
