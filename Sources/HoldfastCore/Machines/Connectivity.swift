/// The state of the way to the server (SPEC N1).
public enum Connectivity: String, Sendable, Codable, Hashable {
  /// The device has no network.
  case offline
  /// There is a network, and the server does not answer yet, or not any more.
  case reconnecting
  /// The server answers.
  case online
  /// Another process of the app has the connection, and sends what is stored here. What the server says is shown as
  /// that process stores it.
  case elsewhere
}
