import HoldfastCore
import HoldfastTransport
import Synchronization

/// The unanswered queries of one kind. Each has a task that waits for its answer. An answer without an open query is
/// dropped, so that unrequested answers use no memory.
final class OpenQuestions<Value: Sendable>: Sendable {
  private struct State {
    var lastNumber: Int64 = 0
    var open: [Int64: Question] = [:]
    /// Why the connection ended. No more answers arrive then.
    var end: ConnectionFailure?
  }

  private let state = Mutex(State())

  /// Opens a query with its own number.
  ///
  /// - Throws: the ``ConnectionFailure`` that has ended the connection.
  func open() throws -> Question {
    try state.withLock { state in
      if let end = state.end { throw end }
      state.lastNumber += 1
      let question = Question(number: state.lastNumber)
      state.open[question.number] = question
      return question
    }
  }

  func close(_ question: Question) { state.withLock { $0.open[question.number] = nil } }

  func answer(_ number: Int64, _ value: Value) {
    state.withLock { $0.open[number] }?.resolve(.success(value))
  }

  /// Ends the connection: all queries fail, in the order in which they were made.
  func end(_ failure: ConnectionFailure) {
    let open = state.withLock { state in
      state.end = failure
      return state.open.sorted { $0.key < $1.key }.map(\.value)
    }
    for question in open { question.resolve(.failure(failure)) }
  }
}

extension OpenQuestions {
  /// One query, from its request to its answer.
  final class Question: Sendable {
    let number: Int64
    private let answer = Mutex<Result<Value, ConnectionFailure>?>(nil)
    private let arrival = Signal()

    init(number: Int64) { self.number = number }

    func resolve(_ result: Result<Value, ConnectionFailure>) {
      answer.withLock { $0 = $0 ?? result }
      arrival.raise()
    }

    /// The server's answer. Nil when none arrives before `deadline`. Called by one task at a time.
    ///
    /// - Throws: ``ConnectionFailure`` when the connection is lost.
    func answer(
      until deadline: ChatEnvironment.Instant, in environment: ChatEnvironment
    ) async throws -> Value? {
      while isOpen, environment.uptime() < deadline {
        await arrival.wait(until: deadline, in: environment)
        try Task.checkCancellation()
      }
      return try received()
    }

    private var isOpen: Bool { answer.withLock { $0 == nil } }

    private func received() throws -> Value? { try answer.withLock { $0 }?.get() }
  }
}
