import Synchronization
import HoldfastCore

/// What the server said about attachments, from the one who reads the link to the one who waits for it. An answer
/// that nobody waits for any more is passed over.
final class TransferAnswers: Sendable {
  enum Answer: Sendable {
    /// The server has so many bytes.
    case uploaded(Int64)
    case bytes(Wire.Bytes)
    case refused(AttachmentRefusal)
  }

  /// A server that says more than it is asked fills no memory.
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

  /// What was said until now is about what was asked before.
  func clear() { answers.withLock { $0 = [] } }

  /// The next answer about this attachment. Nil: none came until `deadline`. One task at a time.
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
