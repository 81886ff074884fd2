import HoldfastCore

/// The banner below the navigation bar (rule N2).
public struct ConnectionBanner: Sendable, Codable, Hashable {
  /// The kind of a banner, which decides its look and its colour. `connected` is green.
  public enum Kind: String, Sendable, Codable, Hashable {
    /// The device has no network.
    case offline
    /// There is a network, but the server does not answer yet.
    case reconnecting
    /// The server refuses the credentials: see ``ConnectionModel/needsCredentials``. An app offers its login here.
    case signedOut
    /// The connection has come back a moment ago.
    case connected
  }
  /// The kind of the banner.
  public var kind: Kind
  /// The number of messages that are queued while the device is offline, for an app that writes the banner's text
  /// itself. Otherwise 0.
  public var queued: Int
  /// The text in English, or by ``ChatConfiguration/texts``: "Offline - 3 messages queued", "Reconnecting...",
  /// "Signed out - Messages will send when signed in", "Connected".
  public var text: String

  /// A banner of this kind, with its English text.
  public init(kind: Kind, queued: Int = 0) {
    self.kind = kind
    self.queued = kind == .offline ? queued : 0
    text = ""
    localizeInEnglish()
  }
}
