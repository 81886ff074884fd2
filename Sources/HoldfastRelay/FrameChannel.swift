import Foundation
import HoldfastCore

/// The interface between the relay's frames and their socket: a WebSocket on NIO or URLSession, or a simulated
/// network. One frame is one UTF-8 JSON object, and arrives whole or not at all.
package protocol FrameChannel: Sendable {
  /// Passes a frame to the connection. Frames of one caller are sent in the order of the calls. Several tasks may
  /// call at once.
  ///
  /// - Throws: ``ConnectionFailure`` when the connection is lost.
  func send(_ frame: Data) async throws
  /// The next frame. Called by one task at a time.
  ///
  /// - Throws: ``ConnectionFailure`` when the connection is lost or closed.
  func receive() async throws -> Data
}

/// Opens channels. A channel is closed when `body` returns, throws or is cancelled.
///
/// Throws ``ConnectionFailure`` when no channel can be opened, and every error of `body`.
package protocol FrameConnector: Sendable {
  func withChannel(_ body: @Sendable (any FrameChannel) async throws -> Void) async throws
}
