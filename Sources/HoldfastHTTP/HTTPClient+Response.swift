import Foundation
import HoldfastCore

/// A response with its whole body.
package struct HTTPResponse: Sendable {
  package var head: HTTPHead
  package var body: [UInt8]

  package init(_ head: HTTPHead, _ body: [UInt8]) { (self.head, self.body) = (head, body) }
}

extension HTTPClient {
  /// Sends a request, and reads the whole response.
  ///
  /// - Parameters:
  ///   - limit: the time limit for the request and its response.
  ///   - mostBytes: the largest body.
  /// - Returns: nil when it takes longer.
  /// - Throws: ``HTTPFailure``, or `CancellationError` when the task is cancelled.
  package func response(
    to request: HTTPRequest, within limit: Duration, mostBytes: Int = 64 << 20,
    in environment: ChatEnvironment
  ) async throws -> HTTPResponse? {
    let task = send(request)
    defer { task.cancel() }
    return try await environment.within(limit) {
      let head = try await task.head()
      var body: [UInt8] = []
      while let piece = try await task.next() {
        body += piece
        guard body.count <= mostBytes else { throw HTTPFailure(.overrun) }
      }
      return HTTPResponse(head, body)
    }
  }
}

extension ChatEnvironment {
  /// Calls `read`, and returns its value. Nil when that takes longer than `limit`.
  package func within<Value: Sendable>(
    _ limit: Duration, _ read: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    try await value(until: uptime() + limit, late: { nil }, of: read)
  }
}
