import ChatServer
import Foundation
import NIOCore
import NIOWebSocket
import Synchronization

/// The frames that wait to be written to one socket. The queue is bounded, by itself and together with those of its
/// account: a client that reads too slowly, or not at all, is disconnected, and catches up by its cursor when it
/// reconnects.
///
/// ```
///          push                 finish, or too much waits          drained
/// open ───────────► open  ───────────────────────────────► ending ─────────► ended
/// ```
package final class OutboundQueue: Sendable {
  /// Room for everything that a member may get at once: a page, and the pieces of all unfinished messages.
  static let maximumFrames = 30_000
  static let maximumBytes = 16 * 1_048_576
  /// Longer messages are sent in fragments of this many bytes.
  private static let fragmentBytes = 16_384
  /// The approximate memory of a frame besides its bytes.
  private static let frameBytes = 512
  /// The number of turns without progress after which a queue is dropped.
  private static let stalledTurns = 4

  fileprivate struct State {
    var waiting: [WebSocketFrame] = []
    /// The pong for the last ping. Older pings need no pong of their own (RFC 6455, section 5.5.3).
    var pong: WebSocketFrame?
    /// The number of frames that were taken, now and at the last turn, and the turns since it increased.
    var (given, givenBefore, turns) = (0, 0, 0)
    /// The number of frames in `waiting` that are already written. They are removed together, so that taking a frame
    /// is cheap.
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

  let account: AccountQueues

  init(
    maximumFrames: Int = OutboundQueue.maximumFrames, maximumBytes: Int = OutboundQueue.maximumBytes,
    account: AccountQueues = AccountQueues()
  ) {
    self.maximumFrames = maximumFrames
    self.maximumBytes = maximumBytes
    self.account = account
    account.add(self)
  }

  /// Whether the client read too slowly.
  var hasOverflowed: Bool { state.withLock { $0.hasOverflowed } }

  package func push(_ output: ServerOutput) {
    switch output {
    case .frame(let data): push(message: data)
    case .close: finish(with: .normalClosure)
    }
  }

  package func push(_ frame: WebSocketFrame) {
    var held = 0
    let reader = state.withLock { state -> CheckedContinuation<WebSocketFrame?, Never>? in
      guard !state.isEnding else { return nil }
      if let reader = state.reader {
        state.reader = nil
        state.given += 1
        return reader
      }
      if frame.opcode == .pong {
        state.pong = frame
        return nil
      }
      state.waiting.append(frame)
      state.bytes += frame.length
      held = frame.length + Self.frameBytes
      return nil
    }
    reader?.resume(returning: frame)
    if held > 0 { account.count(held, in: self)?.overflow() }
  }

  /// Takes a turn. Drops the queue when frames wait in it and none was taken for some turns.
  func dropIfStalled() {
    let isStalled = state.withLock { state in
      let isMoving = state.given != state.givenBefore || !state.hasWaiting
      state.turns = isMoving ? 0 : state.turns + 1
      state.givenBefore = state.given
      return state.turns >= Self.stalledTurns && !state.isEnding
    }
    if isStalled { overflow() }
  }

  /// Accepts no more frames. With a code, the client gets it after the waiting frames.
  package func finish(with code: WebSocketErrorCode? = nil) {
    if let code { push(.close(code)) }
    let reader = state.withLock { state in
      defer { state.reader = nil }
      state.isEnding = true
      return state.reader
    }
    reader?.resume(returning: nil)
    ending.continuation.finish()
  }

  /// Returns once the queue accepts no more frames.
  func untilEnding() async {
    for await _ in ending.stream {}
  }

  /// The frames for the socket, one at a time on demand.
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
    account.remove(self)
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
        // Pongs are not counted: at most one waits.
        if let frame, frame.opcode != .pong { _ = account.count(-frame.length - Self.frameBytes, in: self) }
      }
    } onCancel: {
      finish()
    }
  }
}

extension OutboundQueue.State {
  fileprivate var hasWaiting: Bool { written < waiting.count || pong != nil }

  fileprivate mutating func popFirst() -> WebSocketFrame? {
    // A control frame may be sent between the fragments of a message (RFC 6455, section 5.4).
    if let pong {
      self.pong = nil
      given += 1
      return pong
    }
    guard written < waiting.count else { return nil }
    let frame = waiting[written]
    (written, given) = (written + 1, given + 1)
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
