import Foundation

/// What carries requests to servers: the system's client, or a test.
package protocol HTTPCarrier: Sendable {
  /// Sends a request. Its answer is read from the exchange.
  func send(_ request: HTTPRequest) -> any HTTPExchange
}

/// A request on its way, and the response to it as it comes. One task reads it.
package protocol HTTPExchange: Sendable {
  /// The head of the response.
  ///
  /// - Throws: ``HTTPFailure``, or `CancellationError` when the task is cancelled.
  func head() async throws -> HTTPHead

  /// The next piece of the body. Nil at its end.
  ///
  /// - Throws: ``HTTPFailure`` when the body ends before its end, or `CancellationError` when the task is cancelled.
  func next() async throws -> Data?

  /// Ends the exchange, and closes its connection. Does nothing when it is over.
  func cancel()
}

/// A request that got no response, or a part of one.
package struct HTTPFailure: Error, Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// No connection came about, or it ended.
    case unreachable
    /// The server's name is unknown.
    case unknownHost
    /// The server could not prove who it is.
    case untrusted
    /// The response was larger than the reader took in time.
    case overrun
  }
  package var kind: Kind
  /// The system's number for it, for a log.
  package var code: Int

  package init(_ kind: Kind, code: Int = 0) { (self.kind, self.code) = (kind, code) }
}
