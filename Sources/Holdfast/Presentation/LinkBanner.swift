import HoldfastCore

/// The banner below the navigation bar (SPEC N2).
public struct LinkBanner: Sendable, Codable, Hashable {
  /// Which look and colour it has; connected is green.
  public enum Kind: String, Sendable, Codable, Hashable {
    /// The device has no network.
    case offline
    /// There is a network, and the server does not answer yet.
    case reconnecting
    /// The connection has come back a moment ago.
    case connected
  }
  /// The state that the banner shows.
  public var kind: Kind
  /// How many messages are queued while the device is offline, for an app that words the banner itself. 0 otherwise.
  public var queued: Int
  /// In English: "Offline - 3 messages queued", "Reconnecting...", "Connected".
  public var text: String

  /// A banner of this kind, with its English text.
  public init(kind: Kind, queued: Int = 0) {
    self.kind = kind
    self.queued = kind == .offline ? queued : 0
    text =
      switch kind {
      case .offline: ShownTexts.offline(queued: queued)
      case .reconnecting: ShownTexts.reconnecting
      case .connected: ShownTexts.connected
      }
  }
}
