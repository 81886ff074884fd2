#if Firestore
  import GRPCCore
  import HoldfastCore
  import SwiftProtobuf

  /// The meaning of a server's error, by the transport's reaction to it.
  enum FirestoreVerdict: Equatable {
    /// The document exists. It is read.
    case alreadyThere
    /// The document does not exist, or the requested change is not permitted.
    case denied
    /// The server will never accept the request.
    case invalid
    /// No response to this request. The server may have carried it out.
    case outcomeUnknown
    case notNow(after: Duration?)
    case unauthorized
    /// The connection is lost. Requests may have been carried out.
    case lost

    /// See [gRPC's codes](https://grpc.io/docs/guides/status-codes/).
    init(_ error: any Error) {
      guard let error = error as? RPCError else {
        self = .outcomeUnknown
        return
      }
      self =
        switch error.code {
        case .alreadyExists: .alreadyThere
        case .permissionDenied, .notFound: .denied
        case .invalidArgument, .failedPrecondition, .outOfRange, .unimplemented: .invalid
        case .resourceExhausted: .notNow(after: error.retryDelay)
        case .unauthenticated: .unauthorized
        case .unavailable: .lost
        default: .outcomeUnknown
        }
    }
  }

  extension RPCError {
    /// The delay that the server asks for, as `google.rpc.RetryInfo` in the details.
    fileprivate var retryDelay: Duration? {
      for bytes in metadata[binaryValues: "grpc-status-details-bin"] {
        guard let status = try? FSStatus(serializedBytes: bytes) else { continue }
        for detail in status.details where detail.typeURL.hasSuffix("/google.rpc.RetryInfo") {
          guard let delay = try? FSRetryInfo(serializedBytes: detail.value).retryDelay else { continue }
          return .seconds(delay.seconds) + .nanoseconds(Int64(delay.nanos))
        }
      }
      return nil
    }
  }

  extension ConnectionFailure {
    /// The failure of the stream of incoming changes. The server's text may quote a document, so only the code is
    /// kept.
    init(listening error: any Error) {
      if let failure = error as? ConnectionFailure {
        self = failure
        return
      }
      guard let error = error as? RPCError else {
        self.init(.unreachable, detail: "\(type(of: error))")
        return
      }
      let reason: Reason =
        switch FirestoreVerdict(error) {
        case .unauthorized: .unauthorized
        case .denied, .invalid: .incompatible
        case .notNow: .unavailable
        case .outcomeUnknown: error.code == .deadlineExceeded ? .timedOut : .unreachable
        case .alreadyThere, .lost: .unreachable
        }
      var delay: Duration?
      if case .notNow(let after) = FirestoreVerdict(error) { delay = after }
      self.init(reason, retryAfter: delay, detail: "Firestore answered \(error.code)")
    }
  }
#endif
