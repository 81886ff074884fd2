import ChatServer
import Foundation

/// A layer between the sockets of a relay and its server, for demos and tests that inject faults.
package protocol RelayInterceptor: Sendable {
  /// The time for which no client is served. Nil when all clients are served.
  var unavailableFor: Duration? { get }

  /// Makes the interceptor of one more connection. Nil: the server hears its frames as they are.
  func connection(to server: ChatServer, _ queue: OutboundQueue) -> (any ConnectionInterceptor)?

  /// Reads a line of the relay's standard input.
  func receive(_ line: Data, on server: ChatServer) async

  /// Runs beside the relay until the task is cancelled. `write` writes a line to the standard output.
  func run(_ write: @Sendable (Data) -> Void) async
}

/// The interceptor of one connection.
package protocol ConnectionInterceptor: Sendable {
  /// Passes the server's output to the client, or drops it.
  func push(_ output: ServerOutput)

  /// Passes a client's frame to the server, or answers it.
  func receive(_ frame: Data, on id: ConnectionID) async
}
