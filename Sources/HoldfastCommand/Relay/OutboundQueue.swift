import ChatServer
import Foundation
import NIOCore
import NIOWebSocket
import Synchronization

/// The frames that wait to be written to one socket. The queue is bounded: a client that reads too slowly is
/// disconnected, and catches up by its cursor when it comes back.
///
/// ```
///          push                 finish, or too much waits          drained
/// open ───────────► open  ───────────────────────────────► ending ─────────► ended
/// ```
final class OutboundQueue: Sendable {
  /// Room for everything that a member may get at once: a page, and the pieces of all unfinished messages.
  static let maximumFrames = 30_000
  static let maximumBytes = 16 * 1_048_576
  /// Longer messages leave in fragments of this many bytes.
  private static let fragmentBytes = 16_384

  fileprivate struct State {
    var waiting: [WebSocketFrame] = []
    /// The number of frames in `waiting` that are written already. They are removed together, so that taking a
    /// frame is cheap.
    var written = 0
    var bytes = 0
    var isEnding = false
    var hasOverflowed = false
    var reader: CheckedContinuation<WebSocketFrame?, Never>?
  }

  private let state = Mutex(State())
  private let maximumFrames: Int
  private let maximumBytes: Int
  private let ending = AsyncStream.makeStream(of: Never.self)

  init(maximumFrames: Int = OutboundQueue.maximumFrames, maximumBytes: Int = OutboundQueue.maximumBytes) {
    self.maximumFrames = maximumFrames
    self.maximumBytes = maximumBytes
  }

  /// Whether the client read too slowly.
  var hasOverflowed: Bool { state.withLock { $0.hasOverflowed } }

  func push(_ output: ServerOutput) {
    switch output {
    case .frame(let data): push(message: data)
    case .close: finish(with: .normalClosure)
    }
  }

  func push(_ frame: WebSocketFrame) {
    let reader = state.withLock { state -> CheckedContinuation<WebSocketFrame?, Never>? in
      guard !state.isEnding else { return nil }
      if let reader = state.reader {
        state.reader = nil
        return reader
      }
      state.waiting.append(frame)
      state.bytes += frame.length
      return nil
    }
    reader?.resume(returning: frame)
  }

  /// Takes no more frames. With a code, the client is told after the frames that wait already.
  func finish(with code: WebSocketErrorCode? = nil) {
    if let code { push(.close(code)) }
    let reader = state.withLock { state in
      defer { state.reader = nil }
      state.isEnding = true
      return state.reader
    }
    reader?.resume(returning: nil)
    ending.continuation.finish()
  }

  /// Returns once the queue takes no more frames.
  func untilEnding() async {
    for await _ in ending.stream {}
  }

  /// The frames for the socket, one at a time, as it takes them.
  var frames: AsyncStream<WebSocketFrame> {
    AsyncStream { await self.next() }
  }

  private func push(message: Data) {
    let isFull = state.withLock {
      $0.waiting.count - $0.written >= maximumFrames || $0.bytes + message.count > maximumBytes
    }
    guard !isFull else { return overflow() }
    var start = message.startIndex
    repeat {
      let end = min(start + Self.fragmentBytes, message.endIndex)
      push(
        WebSocketFrame(
          fin: end == message.endIndex, opcode: start == message.startIndex ? .text : .continuation,
          data: ByteBuffer(bytes: message[start..<end])))
      start = end
    } while start < message.endIndex
  }

  /// Drops the waiting frames and ends the queue. The client is too slow to get them, and reads them from the log
  /// later.
  private func overflow() {
    state.withLock {
      $0.hasOverflowed = true
      $0.waiting = []
      $0.written = 0
      $0.bytes = 0
    }
    finish(with: .tryAgainLater)
  }

  private func next() async -> WebSocketFrame? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let (isReady, frame) = state.withLock { state -> (Bool, WebSocketFrame?) in
          if let frame = state.popFirst() { return (true, frame) }
          if state.isEnding { return (true, nil) }
          state.reader = reader
          return (false, nil)
        }
        if isReady { reader.resume(returning: frame) }
      }
    } onCancel: {
      finish()
    }
  }
}

extension OutboundQueue.State {
  fileprivate mutating func popFirst() -> WebSocketFrame? {
    guard written < waiting.count else { return nil }
    let frame = waiting[written]
    written += 1
    bytes -= frame.length
    if written == waiting.count || written == 1_024 {
      waiting.removeFirst(written)
      written = 0
    }
    return frame
  }
}

extension WebSocketErrorCode {
  /// Registered after RFC 6455, like the other codes that follow 1011.
  static var tryAgainLater: Self { WebSocketErrorCode(codeNumber: 1013) }
}

extension WebSocketFrame {
  static func close(_ code: WebSocketErrorCode) -> WebSocketFrame {
    var payload = ByteBuffer()
    payload.write(webSocketErrorCode: code)
    return WebSocketFrame(fin: true, opcode: .connectionClose, data: payload)
  }
}
