import HoldfastCore

extension ProcessingRequest {
  /// The outcome of a request that was under way when the app ended (rule P1).
  public enum Outcome: Sendable, Hashable {
    /// The server has finished the request. Its reply is here, or comes as a message, or the request needed none. The
    /// request is no longer shown as under way.
    case finished
    /// The server still works on the request. It is shown as under way, and the engine asks again on the next
    /// connection.
    case running
    /// The server does not know the request, or has given it up. The user decides whether to ask again.
    case unknown
  }
}
