import Foundation

/// An HTTP client: the system's, or a test's.
package protocol HTTPClient: Sendable {
  /// Sends a request. Its response is read from the task.
  func send(_ request: HTTPRequest) -> any HTTPTask
}

/// A request in flight, and its response as it arrives. One Swift task reads it.
package protocol HTTPTask: Sendable {
  /// The head of the response.
  ///
  /// - Throws: ``HTTPFailure``, or `CancellationError` when the task is cancelled.
  func head() async throws -> HTTPHead

  /// The next piece of the body. Nil at its end.
  ///
  /// - Throws: ``HTTPFailure`` when the body ends before its end, or `CancellationError` when the task is cancelled.
  func next() async throws -> Data?

  /// Ends the request, and closes its connection. Does nothing when it is over.
  func cancel()
}

/// A request without a response, or with a partial one.
package struct HTTPFailure: Error, Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// The connection failed, or it ended.
    case unreachable
    /// The server's name is unknown.
    case unknownHost
    /// The server could not prove its identity.
    case untrusted
    /// The response exceeded the bytes that the reader consumed in time.
    case overrun
  }
  package var kind: Kind
  /// The system's error number, for a log.
  package var code: Int

  package init(_ kind: Kind, code: Int = 0) { (self.kind, self.code) = (kind, code) }
}
