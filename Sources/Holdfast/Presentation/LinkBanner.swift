import HoldfastCore

/// The banner below the navigation bar (SPEC N2).
public struct LinkBanner: Sendable, Codable, Hashable {
  /// Which look and colour it has; connected is green.
  public enum Kind: String, Sendable, Codable, Hashable {
    case offline, reconnecting, connected
  }
  public var kind: Kind
  /// "Offline - 3 messages queued", "Reconnecting...", "Connected".
  public var text: String
}
