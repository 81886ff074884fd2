import HoldfastCore
import HoldfastTransport
import Synchronization

/// The server's responses about attachments, passed from the task that reads the connection to the task that waits
/// for them. A response that no task awaits is dropped.
final class TransferAnswers: Sendable {
  enum Answer: Sendable {
    /// The number of bytes that the server has.
    case uploaded(Int64)
    case bytes(Wire.Bytes)
    case refused(ChatAttachment.Refusal)
  }

  /// The most responses kept, so that unrequested responses use no memory.
  private static let maximumWaiting = 4

  private let answers = Mutex<[(checksum: String, answer: Answer)]>([])
  private let arrival = Signal()

  func put(_ answer: Answer, about checksum: String) {
    answers.withLock { answers in
      if answers.count == Self.maximumWaiting { answers.removeFirst() }
      answers.append((checksum, answer))
    }
    arrival.raise()
  }

  /// Drops the responses so far, because they belong to earlier requests.
  func clear() { answers.withLock { $0 = [] } }

  /// The next response about this attachment. Nil when none arrives before `deadline`. Called by one task at a time.
  func next(
    about checksum: String, until deadline: ChatEnvironment.Instant, in environment: ChatEnvironment
  ) async throws -> Answer? {
    while true {
      try Task.checkCancellation()
      let found = answers.withLock { answers -> Answer? in
        let index = answers.firstIndex { $0.checksum == checksum }
        defer { answers.removeFirst(index.map { $0 + 1 } ?? answers.count) }
        return index.map { answers[$0].answer }
      }
      if let found { return found }
      guard environment.uptime() < deadline else { return nil }
      await arrival.wait(until: deadline, in: environment)
    }
  }
}
