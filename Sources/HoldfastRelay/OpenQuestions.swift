import HoldfastCore
import Synchronization
import HoldfastTransport

/// The questions that the server has not answered yet, of one kind. Each has a task that waits for its answer. An
/// answer to no open question is dropped, so that a server that sends such answers fills no memory.
final class OpenQuestions<Value: Sendable>: Sendable {
  private struct State {
    var lastNumber: Int64 = 0
    var open: [Int64: Question] = [:]
    /// The end of the connection: there are no more answers.
    var end: ConnectionFailure?
  }

  private let state = Mutex(State())

  /// Opens a question with a number of its own.
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
    state.withLock { $0.open[number] }?.settle(.success(value))
  }

  /// The connection is lost: all questions fail, in the order in which they were asked.
  func end(_ failure: ConnectionFailure) {
    let open = state.withLock { state in
      state.end = failure
      return state.open.sorted { $0.key < $1.key }.map(\.value)
    }
    for question in open { question.settle(.failure(failure)) }
  }
}

extension OpenQuestions {
  /// One question, from its asking to its answer.
  final class Question: Sendable {
    let number: Int64
    private let answer = Mutex<Result<Value, ConnectionFailure>?>(nil)
    private let arrival = Signal()

    init(number: Int64) { self.number = number }

    func settle(_ result: Result<Value, ConnectionFailure>) {
      answer.withLock { $0 = $0 ?? result }
      arrival.raise()
    }

    /// The server's answer. Nil when none arrives until `deadline`. Called by one task at a time.
    ///
    /// - Throws: ``ConnectionFailure`` when the connection is lost.
    func answer(
      until deadline: ChatEnvironment.Instant, in environment: ChatEnvironment
    ) async throws -> Value? {
      while isOpen, environment.uptime() < deadline {
        await arrival.wait(until: deadline, in: environment)
        try Task.checkCancellation()
      }
      return try settled()
    }

    private var isOpen: Bool { answer.withLock { $0 == nil } }

    private func settled() throws -> Value? { try answer.withLock { $0 }?.get() }
  }
}
