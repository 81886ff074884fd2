import Foundation
import HoldfastCore
import HoldfastTransport
import Synchronization

/// One live connection to a relay. Its state is in a mutex and not in an actor, so that it runs on its caller's
/// executor and a simulated run has one order.
final class FrameConnection: TransportConnection {
  private struct State {
    var heartbeat: FrameHeartbeat
    var catchUp: CatchUp
    /// Events that this side delivers to the engine before the next frame.
    var pending: [TransportEvent] = [.ready]
    var account: UserID?
    /// The types of frames that the server accepts beyond those of every server.
    var laterFrames: [String] = []
  }

  private enum Outcome {
    case event(TransportEvent)
    case sync(Wire.Sync)
    case nothing
  }

  let channel: any FrameChannel
  let environment: ChatEnvironment
  /// Responses about attachments, for the tasks that wait for them.
  let uploadAnswers = TransferAnswers()
  let fetchAnswers = TransferAnswers()
  /// The open queries of requests' outcomes, for the tasks that wait for the answers.
  let questions = OpenQuestions<ProcessingRequest.Outcome>()
  /// The open requests for older messages.
  let historyQuestions = OpenQuestions<Wire.Older>()
  /// The open searches.
  let searchQuestions = OpenQuestions<Wire.Found>()
  private let state: Mutex<State>

  init(
    channel: any FrameChannel, environment: ChatEnvironment, cursor: SyncCursor?, recent: Int? = nil,
    heartbeat: FrameHeartbeat
  ) {
    self.channel = channel
    self.environment = environment
    state = Mutex(
      State(heartbeat: heartbeat, catchUp: CatchUp(resumingAfter: cursor, recent: recent)))
  }

  var account: UserID? { state.withLock { $0.account } }

  /// Whether the server answers queries of requests' outcomes.
  var takesQuestions: Bool { state.withLock { $0.laterFrames.contains("ask") } }

  /// Whether the server provides older messages.
  var takesHistory: Bool { state.withLock { $0.laterFrames.contains("history") } }

  /// Whether the server supports search.
  var takesSearch: Bool { state.withLock { $0.laterFrames.contains("search") } }

  /// Sends `hello` and returns after the server's welcome.
  func open(of device: String?) async throws {
    change { $0.heartbeat.listen(at: $1) }
    defer { change { $0.heartbeat.rest(at: $1) } }
    let sync = change { state, now in
      state.heartbeat.asked(at: now)
      return state.catchUp.sync
    }
    try await transmit(.hello(Wire.Hello(after: sync.after, device: device, recent: sync.recent)))
    while true {
      switch try await nextFrame() {
      case .welcome(let welcome):
        guard welcome.version == Wire.version else {
          throw ConnectionFailure(.incompatible, detail: "the server speaks version \(welcome.version)")
        }
        // The first page is still due.
        change { state, now in
          state.heartbeat.answered()
          state.heartbeat.asked(at: now)
          state.account = UserID(rawValue: welcome.account)
          state.laterFrames = welcome.frames ?? []
        }
        return
      case .failure(let failure): throw ConnectionFailure(failure)
      case .events, .receipts, .refused, .piece, .answer, .older, .found, .uploaded, .data, .uploadRefused,
        .fetchRefused, .pong, .unknown:
        continue
      }
    }
  }

  /// Checks that the connection is alive, until it fails or the task is cancelled.
  func watch() async throws {
    // Each ping has its own task, because a ping that cannot be sent must not keep the watch from giving up.
    try await withThrowingDiscardingTaskGroup { pings in
      while true {
        switch change({ $0.heartbeat.step(at: $1) }) {
        case .wait(let until): try await environment.sleep(until)
        case .ping: pings.addTask { try await self.transmit(.ping) }
        case .giveUp: throw ConnectionFailure(.timedOut, detail: "the server is silent")
        }
      }
    }
  }

  func receive() async throws -> TransportEvent {
    do {
      return try await nextEvent()
    } catch let failure as ConnectionFailure {
      questions.end(failure)
      historyQuestions.end(failure)
      searchQuestions.end(failure)
      throw failure
    }
  }

  private func nextEvent() async throws -> TransportEvent {
    change { $0.heartbeat.listen(at: $1) }
    defer { change { $0.heartbeat.rest(at: $1) } }
    if let event = popPending() { return event }
    let owed: Outcome = change { state, now in
      guard state.catchUp.askIfOwed(at: now) else { return .nothing }
      state.heartbeat.asked(at: now)
      return .sync(state.catchUp.sync)
    }
    if case .sync(let sync) = owed { try await transmit(.sync(sync)) }
    while true {
      let frame = try await nextFrame()
      switch try outcome(of: frame) {
      case .event(let event): return event
      case .sync(let sync): try await transmit(.sync(sync))
      case .nothing: break
      }
      if let event = popPending() { return event }
    }
  }

  func send(_ messages: [OutgoingMessage]) async throws {
    let batch = try FrameBatch(messages)
    if !batch.tooLarge.isEmpty {
      let reason = FailureReason(.tooLongToSend)
      change { state, _ in
        state.pending += batch.tooLarge.map {
          .refused($0.id, transmission: $0.transmission, .rejected(reason))
        }
      }
      // `receive` may already be waiting for the server. The pong wakes it.
      try await transmit(.ping)
    }
    for frame in batch.frames { try await channel.send(frame) }
  }

  func send(_ piece: StreamPiece) async throws {
    let frame = try Wire.encoded(.piece(Wire.Piece(piece)))
    guard frame.count <= Wire.maximumFrameBytes else { return }
    try await channel.send(frame)
  }

  func send(_ mark: IncomingItem.ReadMark) async throws {
    try await transmit(
      .read(.init(conversation: mark.conversation.rawValue, message: mark.message.rawValue)))
  }

  private func outcome(of frame: Wire.ServerFrame) throws -> Outcome {
    switch frame {
    case .events(let page): return outcome(of: page)
    case .receipts(let receipts):
      let known = receipts.items.compactMap(Receipt.init)
      return known.isEmpty ? .nothing : .event(.receipts(known))
    case .refused(let refused):
      let id = MessageID(rawValue: refused.id)
      guard id.isWellFormed else { return .nothing }
      return .event(.refused(id, transmission: refused.handover, Refusal(refused)))
    case .piece(let piece): return StreamPiece(piece).map { .event(.piece($0)) } ?? .nothing
    case .answer(let answer):
      questions.answer(answer.number, ProcessingRequest.Outcome(answer))
      return .nothing
    case .older(let older):
      historyQuestions.answer(older.number, older)
      return .nothing
    case .found(let found):
      searchQuestions.answer(found.number, found)
      return .nothing
    case .uploaded(let uploaded):
      uploadAnswers.put(.uploaded(uploaded.bytes), about: uploaded.checksum)
      return .nothing
    case .data(let bytes):
      fetchAnswers.put(.bytes(bytes), about: bytes.checksum)
      return .nothing
    case .uploadRefused(let refused):
      uploadAnswers.put(.refused(ChatAttachment.Refusal(refused)), about: refused.checksum)
      return .nothing
    case .fetchRefused(let refused):
      fetchAnswers.put(.refused(ChatAttachment.Refusal(refused)), about: refused.checksum)
      return .nothing
    case .failure(let failure): throw ConnectionFailure(failure)
    case .pong(let pong):
      return change { state, now in
        guard state.catchUp.missed(pong.cursor, at: now) else { return .nothing }
        state.heartbeat.asked(at: now)
        return .sync(state.catchUp.sync)
      }
    case .welcome, .unknown: return .nothing
    }
  }

  private func outcome(of page: Wire.Events) -> Outcome {
    change { state, now in
      let step = state.catchUp.arrived(page, at: now)
      if !state.catchUp.isWaiting { state.heartbeat.answered() }
      switch step {
      case .deliver(let cursor):
        return .event(.items(page.items.compactMap(IncomingItem.init), cursor: cursor))
      case .skip: return .nothing
      case .ask:
        state.heartbeat.asked(at: now)
        return .sync(state.catchUp.sync)
      }
    }
  }

  private func nextFrame() async throws -> Wire.ServerFrame {
    let data = try await channel.receive()
    change { $0.heartbeat.heard(at: $1) }
    do {
      return try JSONDecoder().decode(Wire.ServerFrame.self, from: data)
    } catch {
      // The decoder's error may quote the frame, so it is dropped.
      throw ConnectionFailure(.incompatible, detail: "a frame of \(data.count) bytes makes no sense")
    }
  }

  func transmit(_ frame: Wire.ClientFrame) async throws {
    try await channel.send(try Wire.encoded(frame))
  }

  private func popPending() -> TransportEvent? {
    change { state, _ in state.pending.isEmpty ? nil : state.pending.removeFirst() }
  }

  @discardableResult
  private func change<Value: Sendable>(
    _ body: (inout sending State, ChatEnvironment.Instant) -> sending Value
  ) -> Value {
    let now = environment.uptime()
    return state.withLock { body(&$0, now) }
  }
}
