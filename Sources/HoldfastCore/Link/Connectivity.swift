/// The state of the connection to the server (rule N1).
public enum Connectivity: String, Sendable, Codable, Hashable {
  /// The device has no network.
  case offline
  /// The device has a network, but the server does not answer yet, or no longer.
  case reconnecting
  /// The server answers.
  case online
  /// Another process of the app has the connection, and sends what is stored here. Content from the server appears
  /// as that process stores it.
  case otherProcess
}
