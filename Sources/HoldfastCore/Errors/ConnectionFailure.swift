import Foundation

/// A failure of the connection to the server, or of the server itself. No message is to blame for it, so it
/// costs no message an attempt (rule O7).
public struct ConnectionFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason for the failure, by what helps against it.
  public enum Reason: String, Sendable, Hashable, Codable {
    /// The connection was refused, reset or closed, the host is unreachable, or its name was not found.
    case unreachable
    /// The server did not answer in time.
    case timedOut
    /// TLS failed, often because of a captive portal or a wrong date.
    case insecure
    /// The server answers that it cannot serve (502, 503, 504).
    case unavailable
    /// The credentials are expired, wrong, or those of another account. The app must give new ones.
    case unauthorized
    /// The server does not speak this version, or sent data that no server sends.
    case incompatible
    /// The data that the server sent could not be stored on this device.
    case storage
  }

  /// The kind of failure, by what helps against it.
  public let reason: Reason
  /// The delay that the server asked for, such as in a Retry-After header. Nil when it asked for none.
  public let retryAfter: Duration?
  /// Technical detail for the log, without contents.
  public let detail: String

  /// A failure with a reason.
  public init(_ reason: Reason, retryAfter: Duration? = nil, detail: String = "") {
    self.reason = reason
    self.retryAfter = retryAfter
    self.detail = detail
  }

  public var description: String { "link \(reason.rawValue)\(detail.isEmpty ? "" : ": \(detail)")" }
}
