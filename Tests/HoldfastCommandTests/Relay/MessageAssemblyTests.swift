import Foundation
import NIOCore
import NIOWebSocket
import Testing

@testable import HoldfastCommand

@Suite struct MessageAssemblyTests {
  private func eg(_ opcode: WebSocketOpcode, _ text: String = "", fin: Bool = true) -> WebSocketFrame {
    WebSocketFrame(fin: fin, opcode: opcode, data: ByteBuffer(string: text))
  }

  @Test func `a whole frame is a message`() {
    var assembly = MessageAssembly(maximumBytes: 10)
    let step = assembly.append(eg(.text, "hello"))
    #expect(step == .message(Data("hello".utf8)))
  }

  @Test func `fragments are one message, also around a ping`() {
    var assembly = MessageAssembly(maximumBytes: 10)
    let steps = [
      eg(.text, "a", fin: false), eg(.ping, "?"), eg(.continuation, "b", fin: false), eg(.continuation, "c"),
    ].map { assembly.append($0) }
    #expect(steps == [.wait, .answer(eg(.pong, "?")), .wait, .message(Data("abc".utf8))])
  }

  @Test func `fragments beyond the limit are not collected`() {
    var assembly = MessageAssembly(maximumBytes: 2)
    let steps = [eg(.text, "ab", fin: false), eg(.continuation, "c", fin: false)].map { assembly.append($0) }
    #expect(steps == [.wait, .message(Data("abc".utf8))])
  }

  @Test func `frames that RFC 6455 forbids end the connection`() {
    var reserved = eg(.text)
    reserved.rsv1 = true
    let forbidden = [
      [eg(.continuation)], [eg(.text, fin: false), eg(.text)],
      [eg(WebSocketOpcode(encodedWebSocketOpcode: 0x3)!)], [reserved],
      [eg(.ping, fin: false)], [eg(.ping, String(repeating: "x", count: 126))],
    ]
    for frames in forbidden {
      var assembly = MessageAssembly(maximumBytes: 10)
      let steps = frames.map { assembly.append($0) }
      #expect(steps.last == .close(.protocolError))
    }
  }

  @Test func `bytes are not text`() {
    var assembly = MessageAssembly(maximumBytes: 10)
    let step = assembly.append(eg(.binary))
    #expect(step == .close(.unacceptableData))
  }

  @Test func `a close is answered with a close`() {
    var assembly = MessageAssembly(maximumBytes: 10)
    let step = assembly.append(eg(.connectionClose))
    #expect(step == .close(.normalClosure))
  }
}
