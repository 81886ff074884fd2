import ChatServer
import Foundation
import NIOWebSocket
import Testing

@testable import HoldfastCommand

@Suite(.timeLimit(.minutes(10))) struct OutboundQueueTests {
  private func drain(_ queue: OutboundQueue) async -> [WebSocketFrame] {
    var frames: [WebSocketFrame] = []
    for await frame in queue.frames { frames.append(frame) }
    return frames
  }

  @Test func `frames leave in order, and a close comes last`() async {
    let queue = OutboundQueue()
    for text in ["a", "b", "c"] { queue.push(.frame(Data(text.utf8))) }
    queue.push(.close)
    queue.push(.frame(Data("late".utf8)))
    let frames = await drain(queue)
    #expect(frames.map(\.opcode) == [.text, .text, .text, .connectionClose])
    #expect(
      frames.prefix(3).map { String(decoding: $0.data.readableBytesView, as: UTF8.self) } == ["a", "b", "c"])
  }

  @Test func `a long message leaves in fragments`() async {
    let queue = OutboundQueue()
    let message = Data((0..<40_000).map { UInt8(truncatingIfNeeded: $0) })
    queue.push(.frame(message))
    queue.push(.frame(Data()))
    queue.finish()
    let frames = await drain(queue)
    #expect(frames.map(\.opcode) == [.text, .continuation, .continuation, .text])
    #expect(frames.map(\.fin) == [false, false, true, true])
    #expect(frames.prefix(3).reduce(into: Data()) { $0 += $1.data.readableBytesView } == message)
  }

  @Test func `a reader that waits gets the frame, and the end`() async {
    let queue = OutboundQueue()
    async let frames = drain(queue)
    queue.push(.frame(Data("a".utf8)))
    queue.finish()
    #expect(await frames.map(\.opcode) == [.text])
    await queue.untilEnding()
  }

  @Test func `too many frames end the connection, and nothing old is kept`() async {
    let queue = OutboundQueue(maximumFrames: 2)
    for text in ["a", "b", "c", "d"] { queue.push(.frame(Data(text.utf8))) }
    let frames = await drain(queue)
    #expect(frames == [.close(.tryAgainLater)])
  }

  @Test func `too many bytes end the connection`() async {
    let queue = OutboundQueue(maximumBytes: 3)
    queue.push(.frame(Data("ab".utf8)))
    queue.push(.frame(Data("cd".utf8)))
    await queue.untilEnding()
    let frames = await drain(queue)
    #expect(frames == [.close(.tryAgainLater)])
  }

  @Test func `written frames make room`() async {
    let queue = OutboundQueue(maximumFrames: 2)
    var frames = queue.frames.makeAsyncIterator()
    for _ in 0..<5_000 {
      queue.push(.frame(Data("a".utf8)))
      #expect(await frames.next()?.opcode == .text)
    }
    queue.finish()
    #expect(await frames.next() == nil)
  }
}
