import ChatServer
import Foundation
import NIOCore
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

  // E2.4
  @Test func `of many pings the last one is answered, between the frames that wait`() async {
    let queue = OutboundQueue()
    queue.push(.frame(Data("a".utf8)))
    for number in 0..<1_000 {
      queue.push(WebSocketFrame(fin: true, opcode: .pong, data: .init(string: "\(number)")))
    }
    queue.finish()
    let frames = await drain(queue)
    #expect(frames.map(\.opcode) == [.pong, .text])
    #expect(frames.first.map { String(buffer: $0.data) } == "999")
  }

  // E2.4
  @Test func `a queue that gives nothing away is dropped after some turns, and one that moves is not`() async
  {
    let (stalled, moving, empty) = (OutboundQueue(), OutboundQueue(), OutboundQueue())
    var frames = moving.frames.makeAsyncIterator()
    stalled.push(.frame(Data("a".utf8)))
    for turn in 0..<6 {
      for _ in 0..<2 { moving.push(.frame(Data("\(turn)".utf8))) }
      _ = await frames.next()
      for queue in [stalled, moving, empty] { queue.dropIfStalled() }
    }
    await stalled.untilEnding()
    #expect(await drain(stalled) == [.close(.tryAgainLater)])
    moving.finish()
    empty.finish()
    #expect(await drain(moving).count == 6)
    #expect(await drain(empty).isEmpty)
  }

  // E2.4
  @Test func `of an account's queues the one that holds most is dropped`() async {
    let account = AccountQueues(maximumBytes: 5_000)
    let (small, large, another) = (
      OutboundQueue(account: account), OutboundQueue(account: account), OutboundQueue()
    )
    another.push(.frame(Data(count: 6_000)))
    small.push(.frame(Data(count: 100)))
    large.push(.frame(Data(count: 3_500)))
    small.push(.frame(Data(count: 100)))
    await large.untilEnding()
    #expect(await drain(large) == [.close(.tryAgainLater)])
    small.push(.frame(Data(count: 100)))
    for queue in [small, another] { queue.finish() }
    #expect(await drain(small).count == 3)
    #expect(await drain(another).count == 1)
  }

  // E2.4
  @Test func `pings make no room for other frames`() async {
    let queue = OutboundQueue(account: AccountQueues(maximumBytes: 5_000))
    var frames = queue.frames.makeAsyncIterator()
    for _ in 0..<10 {
      queue.push(WebSocketFrame(fin: true, opcode: .pong, data: .init(string: "p")))
      #expect(await frames.next()?.opcode == .pong)
    }
    for _ in 0..<2 { queue.push(.frame(Data(count: 2_500))) }
    queue.finish()
    #expect(await drain(queue) == [.close(.tryAgainLater)])
  }
}
