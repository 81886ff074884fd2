import Foundation
import Holdfast
import HoldfastRelay

/// Reads a frame on its way to the server, for the simulated network.
extension Wire.Send {
  private static let mark = Data("\"send\"".utf8)

  /// Decodes a frame. Nil when the frame carries no messages.
  init?(frame: Data) {
    // Most frames contain no messages, and decoding them all would cost more than the rest of the network.
    guard frame.range(of: Self.mark) != nil,
      case .send(let send) = try? JSONDecoder().decode(Wire.ClientFrame.self, from: frame)
    else { return nil }
    self = send
  }

  /// The frame that carries these messages. Nil when there are none.
  var frame: Data? {
    get throws { messages.isEmpty ? nil : try JSONEncoder().encode(Wire.ClientFrame.send(self)) }
  }
}
