import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport

/// What an error of a request means, by what the transport does about it.
enum MatrixVerdict: Equatable {
  /// The server will never take the request as it is.
  case invalid
  /// The message is larger than an event may be.
  case tooLarge
  /// This account may not do that, or what it concerns does not exist for it.
  case denied
  /// The server asks for patience. It asks before it looks at the ID, so this is no word about an earlier copy.
  case notNow(after: Duration?)
  /// The login has ended.
  case unauthorized
  /// No answer to this request, while the server may have carried it out.
  case outcomeUnknown(after: Duration? = nil)
  /// The request did not leave.
  case unreached(ConnectionFailure.Reason)

  init(_ error: any Error) {
    switch error {
    case let refusal as MatrixRefusal: self.init(refusal)
    case let failure as HTTPFailure: self.init(failure)
    default: self = .outcomeUnknown()
    }
  }

  private init(_ refusal: MatrixRefusal) {
    self =
      switch (refusal.status, refusal.code) {
      case (429, _), (_, "M_LIMIT_EXCEEDED"): .notNow(after: refusal.retryAfter)
      case (401, _), (_, "M_UNKNOWN_TOKEN"), (_, "M_MISSING_TOKEN"): .unauthorized
      case (413, _), (_, "M_TOO_LARGE"): .tooLarge
      // Without a code it is a proxy's answer.
      case (_, ""), (500..., _): .outcomeUnknown(after: refusal.retryAfter)
      case (403, _), (404, _): .denied
      default: .invalid
      }
  }

  /// The numbers are `URLError`'s for a host that was not found or not reached, and for a device without a network.
  private init(_ failure: HTTPFailure) {
    switch failure.kind {
    case .untrusted: self = .unreached(.insecure)
    case .unknownHost: self = .unreached(.unreachable)
    case .unreachable where [-1004, -1009, -1018, -1019, -1020].contains(failure.code):
      self = .unreached(.unreachable)
    case .unreachable, .overrun: self = .outcomeUnknown()
    }
  }
}

extension MatrixRefusal {
  /// The answer to a question. Nil when what it asks about does not exist for this account, which may have been banned
  /// meanwhile.
  static func ifAllowed<Answer>(_ ask: () async throws -> Answer?) async throws -> Answer? {
    do { return try await ask() } catch let refusal as MatrixRefusal where MatrixVerdict(refusal) == .denied {
      return nil
    }
  }
}

extension ConnectionFailure {
  /// The failure of the connection that an error of its own requests is.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  init(matrix error: any Error) throws {
    try Task.checkCancellation()
    switch error {
    case let failure as ConnectionFailure: self = failure
    case let refusal as MatrixRefusal: self.init(refusal)
    case is MatrixSilence: self.init(.timedOut, detail: "the homeserver is silent")
    case let failure as HTTPFailure:
      let reason: Reason =
        switch failure.kind {
        case .untrusted: .insecure
        case .overrun: .incompatible
        case .unknownHost, .unreachable: .unreachable
        }
      self.init(reason, detail: "\(failure.kind) \(failure.code)")
    // An error may quote what it was about.
    default: self.init(.unreachable, detail: "\(type(of: error))")
    }
  }

  private init(_ refusal: MatrixRefusal) {
    let reason: Reason =
      switch MatrixVerdict(refusal) {
      case .unauthorized: .unauthorized
      case .notNow, .outcomeUnknown, .unreached: .unavailable
      case .invalid, .tooLarge, .denied: .incompatible
      }
    self.init(reason, retryAfter: refusal.retryAfter, detail: "the homeserver answered \(refusal.shownCode)")
  }
}
