/// What became of a request that was under way when the app ended (SPEC P1).
public enum RequestOutcome: Sendable, Hashable {
  /// It was answered: the reply is here, or comes as a message, or there is none. Its mark goes.
  case finished
  /// The backend still works on it. It is shown as under way, and asked about again on the next connection.
  case running
  /// The backend does not know, or has given it up: its user decides whether to ask again.
  case unknown
}
