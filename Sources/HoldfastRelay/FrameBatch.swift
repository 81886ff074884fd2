import Foundation
import HoldfastCore
import HoldfastTransport

extension Wire {
  /// The largest frame. The server ends a connection that sends a larger one.
  package static let maximumFrameBytes = 1 << 20

  package static func encoded(_ frame: ClientFrame) throws -> Data {
    let encoder = JSONEncoder()
    // Keys are sorted, so that two runs of one seed can be compared byte by byte.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(frame)
  }
}

/// Messages in frames of a size that a server accepts and that does not delay the messages behind them.
///
/// A message that alone exceeds the server's limit is set aside instead of sent. The server would end the
/// connection, which looks like a connection failure, and the message would be retried forever.
struct FrameBatch {
  static let maximumMessages = 64
  static let comfortableBytes = 512 * 1024

  private(set) var frames: [Data] = []
  private(set) var tooLarge: [OutgoingMessage] = []

  init(_ messages: [OutgoingMessage]) throws {
    var rest = messages[...]
    while !rest.isEmpty {
      try add(rest.prefix(Self.maximumMessages))
      rest = rest.dropFirst(Self.maximumMessages)
    }
  }

  private mutating func add(_ messages: ArraySlice<OutgoingMessage>) throws {
    let frame = try Wire.encoded(.send(Wire.Send(messages: messages.map(Wire.Outgoing.init))))
    if frame.count <= Self.comfortableBytes {
      frames.append(frame)
    } else if messages.count > 1 {
      let half = messages.count / 2
      try add(messages.prefix(half))
      try add(messages.dropFirst(half))
    } else if frame.count <= Wire.maximumFrameBytes {
      frames.append(frame)
    } else {
      tooLarge += messages
    }
  }
}
