import Foundation

/// The way to the server is broken, or the server is: nothing that a message could be blamed for, so it
/// costs no message an attempt (SPEC O7).
public struct LinkFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, by what helps against it.
  public enum Reason: String, Sendable, Hashable, Codable {
    /// Refused, unreachable, no name, reset, closed.
    case unreachable
    case timedOut
    /// TLS failed; often a captive portal or a wrong date.
    case insecure
    /// The server is there, and says that it cannot serve (502, 503, 504).
    case unavailable
    /// The credentials are expired, wrong, or those of another account: the app must give new ones.
    case unauthorized
    /// The server does not speak this version, or sent what no server sends.
    case incompatible
    /// What the server sent could not be stored here.
    case storage
  }

  public let reason: Reason
  /// How long the server asked to be left alone. Nil when it did not say.
  public let retryAfter: Duration?
  /// Technical detail for the log, without contents.
  public let detail: String

  public init(_ reason: Reason, retryAfter: Duration? = nil, detail: String = "") {
    self.reason = reason
    self.retryAfter = retryAfter
    self.detail = detail
  }

  public var description: String { "link \(reason.rawValue)\(detail.isEmpty ? "" : ": \(detail)")" }
}

/// The server's no to one message, by what the sender will do about it.
public enum Refusal: Sendable, Hashable {
  /// Failed this time, and it may be this message's fault: it costs an attempt.
  case transient(after: Duration?)
  /// The server cannot serve now, or asks for patience (429, 503): it costs no attempt.
  case busy(after: Duration?)
  /// Never: the reason is shown to the user.
  case rejected(FailureReason)
  /// Its predecessor has not been accepted; it was not looked at.
  case gap
  /// The backend does not have its attachments: they are brought again. It costs an attempt.
  case attachmentsMissing
}
