import Foundation
import HoldfastHTTP

extension ModelError {
  static let cutOff = ModelError(.cutOff, "The answer was cut off.")

  /// The error of a server that said nothing for so long.
  static func silence(of limit: Duration) -> ModelError {
    ModelError(.silent, "The model said nothing for \(limit.components.seconds) seconds.")
  }

  /// The error that a server's answer is, by its status and its word for the reason.
  init(status: Int, reason: String, detail: String?, model: String) {
    let known = Code(status: status, reason: reason)
    let sentence =
      switch known {
      case .unauthorized: "The model's server does not accept the key."
      case .unknownModel: "The server knows no model “\(model)” at this address."
      case .promptTooLong: "The conversation is longer than the model takes."
      case .quotaExceeded: "The account at the model's server has nothing left."
      case .overloaded: "The model's server has too much to do. Try again in a minute."
      case .malformed: "What came is no answer of a model. Check the address."
      case .rejected: "The model's server refused the request (\(reason))."
      default: "The model's server failed (\(reason))."
      }
    self.init(known, sentence, detail: detail)
  }

  /// The error of a request that got no answer.
  init(_ failure: HTTPFailure, on url: URL) {
    let host = url.host(percentEncoded: false) ?? ""
    switch failure.kind {
    case .unreachable: self.init(.unreachable, "The model's server at \(host) cannot be reached.")
    case .unknownHost: self.init(.unreachable, "There is no server with the name \(host).")
    case .untrusted: self.init(.untrusted, "The server at \(host) cannot prove that it is \(host).")
    case .overrun: self.init(.malformed, "The model's server sent more than could be read.")
    }
    mayPass = failure.kind == .unreachable
  }
}

extension ModelError.Code {
  fileprivate init(status: Int, reason: String) {
    self =
      switch (status, reason) {
      case (_, "insufficient_quota"), (402, _): .quotaExceeded
      case (_, "context_length_exceeded"), (_, "exceed_context_size_error"), (413, _): .promptTooLong
      case (_, "model_not_found"), (404, _): .unknownModel
      case (401, _), (403, _), (_, "authentication_error"), (_, "invalid_api_key"): .unauthorized
      case (429, _), (503, _), (529, _), (_, "overloaded_error"), (_, "rate_limit_exceeded"),
        (_, "rate_limit_error"):
        .overloaded
      case (200, "malformed"), (_, "not an event stream"), (_, "too large"), (_, "tool calls too large"):
        .malformed
      case (500..., _), (408, _), (200, _): .serverFailed
      default: .rejected
      }
  }
}
