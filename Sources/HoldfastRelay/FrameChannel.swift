import Foundation
import HoldfastCore

/// The seam between the relay's frames and whatever carries them: a WebSocket on NIO or URLSession, or a
/// simulated network. One frame is one UTF-8 JSON object, and arrives whole or not at all.
package protocol FrameChannel: Sendable {
  /// Hands a frame to the link. Frames of one caller leave in the order of the calls; several tasks may
  /// call at once. Throws ``LinkFailure`` when the link is gone.
  func send(_ frame: Data) async throws
  /// The next frame. Called by one task at a time. Throws ``LinkFailure`` when the link is gone or closed.
  func receive() async throws -> Data
}

/// Opens channels. Throws ``LinkFailure`` when it cannot, and whatever `body` throws; closes the channel
/// when `body` returns, throws or is cancelled.
package protocol FrameConnector: Sendable {
  func withChannel(_ body: @Sendable (any FrameChannel) async throws -> Void) async throws
}
