import Holdfast
import Synchronization
import HoldfastTransport

/// A backend on strings: it says what a benchmark has it say, and measures how long the engine took over it.
final class Backend: Transport, TransportConnection {
  private struct State {
    /// What is said at once when the engine asks, the next one last.
    var script: [TransportEvent] = []
    var listener: CheckedContinuation<TransportEvent, any Error>?
    /// Who waits until the engine asks for the next event.
    var teller: CheckedContinuation<ContinuousClock.Instant, Never>?
    var hasGreeted = false
    var isHungUp = false
    var transmissions = 0

    /// The events to deliver now. Nil when there are none: the listener waits, and the sender continues.
    mutating func register(
      _ listener: CheckedContinuation<TransportEvent, any Error>
    ) -> Result<TransportEvent, any Error>? {
      if isHungUp { return .failure(CancellationError()) }
      if !hasGreeted {
        hasGreeted = true
        return .success(.ready)
      }
      if let next = script.popLast() { return .success(next) }
      self.listener = listener
      return nil
    }
  }

  /// As the WebSocket transport's.
  let capabilities = TransportCapabilities(window: 256, idempotency: .forever)
  private let isReachable: Bool
  private let state = Mutex(State())

  /// - Parameter isReachable: without it the engine waits for a connection for ever, so that nothing but the
  ///   engine and its disk takes time.
  init(isReachable: Bool) { self.isReachable = isReachable }

  func withConnection(
    resumingAfter cursor: SyncCursor?, _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    while !isReachable { try await Task.sleep(for: .seconds(3_600)) }
    try await body(self)
  }

  /// How many messages the engine has sent off.
  var transmissions: Int { state.withLock { $0.transmissions } }

  /// Says `event`, and returns how long it took until the engine asked for the next one: until then it has
  /// stored this one.
  func say(_ event: TransportEvent) async throws -> Duration { try await say([event]) }

  /// Says one event after the other, each as soon as the engine asks for it.
  func say(_ events: [TransportEvent]) async throws -> Duration {
    try await wait { $0.listener != nil }
    let start = ContinuousClock.now
    let end = await withCheckedContinuation { teller in
      let (listener, first) = state.withLock { state in
        defer { state.listener = nil }
        state.teller = teller
        state.script = events.reversed()
        return (state.listener, state.script.popLast())
      }
      if let first { listener?.resume(returning: first) }
    }
    return start.duration(to: end)
  }

  /// Returns once the engine has sent off `count` messages.
  func waitForTransmissions(_ count: Int) async throws { try await wait { $0.transmissions >= count } }

  func receive() async throws -> TransportEvent {
    let now = ContinuousClock.now
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { listener in
        let (teller, answer) = state.withLock { state in
          let answer = state.register(listener)
          if let answer {
            return (
              nil as CheckedContinuation<ContinuousClock.Instant, Never>?,
              answer as Result<TransportEvent, any Error>?
            )
          }
          defer { state.teller = nil }
          return (state.teller, nil)
        }
        teller?.resume(returning: now)
        if let answer { listener.resume(with: answer) }
      }
    } onCancel: {
      hangUp()
    }
  }

  func send(_ messages: [OutgoingMessage]) { state.withLock { $0.transmissions += messages.count } }
  func send(_ piece: StreamPiece) {}

  private func hangUp() {
    let listener = state.withLock { state in
      defer { state.listener = nil }
      state.isHungUp = true
      return state.listener
    }
    listener?.resume(throwing: CancellationError())
  }

  private func wait(until isDone: (State) -> Bool) async throws {
    for _ in 0..<100_000 {
      if state.withLock({ isDone($0) }) { return }
      try await Task.sleep(for: .microseconds(100))
    }
    throw BenchmarkFailure("The engine does not ask for the next event.")
  }
}
