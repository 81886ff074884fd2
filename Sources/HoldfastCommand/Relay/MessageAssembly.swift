import Foundation
import NIOWebSocket

/// Assembles a client's WebSocket frames into messages (RFC 6455, section 5.4). It never holds more than the longest
/// message that the server accepts, and one frame.
struct MessageAssembly {
  enum Step: Equatable {
    /// No message is complete yet.
    case wait
    /// A whole message, or the beginning of a message that is too long, which the server refuses by its length.
    case message(Data)
    /// The response is this frame.
    case answer(WebSocketFrame)
    /// The connection ends with this code.
    case close(WebSocketErrorCode)
  }

  private let maximumBytes: Int
  private var partial: Data?

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  mutating func append(_ frame: WebSocketFrame) -> Step {
    guard frame.reservedBits.isEmpty else { return .close(.protocolError) }
    switch frame.opcode {
    case .text where partial == nil: return collect(frame, after: Data())
    case .continuation:
      guard let partial else { return .close(.protocolError) }
      self.partial = nil
      return collect(frame, after: partial)
    case .ping where isControl(frame):
      return .answer(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
    case .pong where isControl(frame): return .wait
    case .connectionClose where isControl(frame): return .close(.normalClosure)
    case .binary: return .close(.unacceptableData)
    default: return .close(.protocolError)
    }
  }

  private mutating func collect(_ frame: WebSocketFrame, after beginning: Data) -> Step {
    var data = beginning
    data.append(contentsOf: frame.unmaskedData.readableBytesView)
    guard !frame.fin, data.count <= maximumBytes else { return .message(data) }
    partial = data
    return .wait
  }

  /// Control frames are short and whole (RFC 6455, section 5.5).
  private func isControl(_ frame: WebSocketFrame) -> Bool { frame.fin && frame.length <= 125 }
}
