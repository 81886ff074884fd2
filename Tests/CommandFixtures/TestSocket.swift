import ChatServer
import FlyingSocks
import Foundation
import Holdfast
import HoldfastRelay
import Testing

@testable import HoldfastCommand

/// The parts of RFC 6455 that a test needs: it sends masked text frames, and reads text messages of up to 64 KiB.
package struct TestSocket {
  private let socket: AsyncSocket

  /// Connects, and sends nothing yet.
  package init(url: URL) async throws {
    let port = UInt16(try #require(url.port))
    socket = try await AsyncSocket.connected(to: LoopbackAddress(port: port))
  }

  /// Connects up to the upgrade.
  package init(url: URL, token: String, receiveBuffer: Int32? = nil) async throws {
    try await self.init(url: url)
    if let receiveBuffer { try socket.socket.setValue(receiveBuffer, for: .receiveBufferSize) }
    let request = """
      GET \(url.path) HTTP/1.1\r
      Host: 127.0.0.1\r
      Upgrade: websocket\r
      Connection: Upgrade\r
      Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
      Sec-WebSocket-Version: 13\r
      Authorization: Bearer \(token)\r
      \r\n
      """
    try await socket.write(Data(request.utf8))
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) { head.append(try await socket.read()) }
    #expect(String(decoding: head, as: UTF8.self).hasPrefix("HTTP/1.1 101"))
  }

  package func write(_ frame: Wire.ClientFrame) async throws {
    let payload = try JSONEncoder().encode(frame)
    // FIN and text; then the mask bit and a length of two bytes; then a mask of zeros, which changes nothing.
    let head: [UInt8] = [0x81, 0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), 0, 0, 0, 0]
    try await socket.write(Data(head) + payload)
  }

  package func read() async throws -> Wire.ServerFrame {
    var payload = Data()
    var isWhole = false
    while !isWhole {
      let head = try await socket.read(bytes: 2)
      isWhole = head[0] & 0x80 != 0
      var length = Int(head[1])
      if length == 126 { length = try await socket.read(bytes: 2).reduce(0) { $0 << 8 | Int($1) } }
      payload += try await socket.read(bytes: length)
    }
    return try JSONDecoder().decode(Wire.ServerFrame.self, from: payload)
  }

  package func write(bytes: [UInt8]) async throws { try await socket.write(Data(bytes)) }

  package func read(bytes count: Int) async throws -> [UInt8] { try await socket.read(bytes: count) }

  /// Returns once the other side has closed the socket.
  package func untilClosed() async {
    do { while true { _ = try await socket.read() } } catch {
      // There is nothing more to read.
    }
  }

  package func close() throws { try socket.close() }
}

extension Wire.ClientFrame {
  /// A message to a conversation of Alice alone.
  package static func eg(_ id: String, body: String) -> Self {
    .send(
      .init(messages: [
        .init(
          id: id, conversation: "c", members: ["alice"], title: nil, role: "user",
          content: MessageContent(body), at: 0, predecessor: nil, handover: 1)
      ]))
  }
}

extension Wire.ServerFrame {
  package func isReceipt(of id: String) -> Bool {
    guard case .receipts(let receipts) = self else { return false }
    return receipts.items.contains { $0.id == id }
  }
}
