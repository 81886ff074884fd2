import Foundation
import HoldfastCore
import HoldfastHTTP

/// The answer of a model's server, as it comes.
///
/// ```
///   asking ── the head ──► reading ── finish, and the end of the body ──► whole
///     │  ▲                    │
///     │  └ nothing has come:  ├── the end of the body, silence ──► cut off, with what came
///     │    again, three times └── an error ──────────────────────► failed, with what came
///     └── refused, silent, asked four times ──► failed
/// ```
struct CompletionAnswer: AsyncSequence, Sendable {
  let model: CompletionModel
  let prompt: ModelPrompt

  func makeAsyncIterator() -> Iterator { Iterator(model: model, prompt: prompt) }

  struct Iterator: AsyncIteratorProtocol {
    let model: CompletionModel
    let prompt: ModelPrompt
    private var current: Running?
    private var reading: BodyReading?
    private var hasBytes = false
    private var requests = 0
    /// What was read and not taken, the last part first.
    private var parts: [ModelPart] = []
    private var isOver = false
    /// The error behind the parts.
    private var failure: ModelError?

    init(model: CompletionModel, prompt: ModelPrompt) { (self.model, self.prompt) = (model, prompt) }

    mutating func next() async throws -> ModelPart? {
      do {
        while true {
          try Task.checkCancellation()
          if let part = parts.popLast() { return part }
          if let failure { throw failure }
          guard !isOver else { return nil }
          if current == nil { try await ask() } else { try await read() }
        }
      } catch var error as ModelError {
        end()
        error.requests = requests
        throw error
      } catch {
        end()
        throw error
      }
    }

    private mutating func end() { (isOver, current, failure) = (true, nil, nil) }

    /// Sends the request, and waits for the head of its answer.
    private mutating func ask() async throws {
      let request = try await CompletionRequest(model: model, prompt: prompt).http()
      requests += 1
      let exchange = model.carrier.send(request)
      let running = Running(exchange)
      do {
        guard let head = try await exchange.head(within: model.settings.firstByteLimit, model.environment)
        else {
          throw ModelError.silence(of: model.settings.firstByteLimit)
        }
        (current, hasBytes) = (running, false)
        reading = BodyReading(model.api, status: head.status, contentType: head["Content-Type"] ?? "")
        if head.status != 200 { try await refuse(head) }
      } catch let failure as HTTPFailure {
        let error = ModelError(failure, on: model.url)
        guard error.mayPass else { throw error }
        try await again(after: nil, orThrow: error)
      }
    }

    /// Reads the body of an answer that is an error, and asks again where that helps.
    private mutating func refuse(_ head: HTTPHead) async throws {
      let isRead = try await readRest()
      let (reason, message) = errorIn(isComplete: isRead, status: head.status)
      let error = ModelError(status: head.status, reason: reason, detail: message, model: model.name)
      guard error.mayPass else { throw error }
      try await again(after: head.retryAfter(now: model.environment.now()), orThrow: error)
    }

    /// Reads the body to its end. Returns whether it came to it.
    private mutating func readRest() async throws -> Bool {
      while reading?.isOver == false {
        do {
          guard let piece = try await nextPiece() else { return true }
          _ = reading?.read(piece)
        } catch is HTTPFailure { return false }
      }
      return false
    }

    private mutating func errorIn(isComplete: Bool, status: Int) -> (reason: String, message: String?) {
      guard case .failed(let reason, let message)? = reading?.end(isComplete: isComplete).1 else {
        return ("http \(status)", nil)
      }
      return (reason, message)
    }

    private mutating func read() async throws {
      let piece: Data?
      do {
        piece = try await nextPiece()
      } catch is HTTPFailure {
        return try await conclude(isComplete: false, because: nil)
      } catch let error as ModelError {
        return try await conclude(isComplete: false, because: error)
      }
      guard let piece else { return try await conclude(isComplete: true, because: nil) }
      hasBytes = true
      parts = (reading?.read(piece) ?? []).reversed() + parts
      // The server may keep the connection after its last word.
      if reading?.isOver == true { try await conclude(isComplete: true, because: nil) }
    }

    private func nextPiece() async throws -> Data? {
      guard let exchange = current?.exchange else { return nil }
      let limit = hasBytes ? model.settings.silenceLimit : model.settings.firstByteLimit
      guard let piece = try await model.environment.within(limit, { try await exchange.next() }) else {
        throw ModelError.silence(of: limit)
      }
      return piece
    }

    /// The end of the body, of the connection, or of patience.
    private mutating func conclude(isComplete: Bool, because silence: ModelError?) async throws {
      guard let (rest, ending) = reading?.end(isComplete: isComplete) else { return }
      parts = rest.reversed() + parts
      switch ending {
      case .whole(var end):
        end.requests = requests
        parts.insert(.end(end), at: 0)
        self.end()
      case .interrupted:
        guard hasBytes || silence != nil else {
          return try await again(after: nil, orThrow: ModelError(HTTPFailure(.unreachable), on: model.url))
        }
        try finish(with: silence ?? .cutOff)
      case .failed(let reason, let message):
        let error = ModelError(status: 200, reason: reason, detail: message, model: model.name)
        // Of another error nobody knows what was begun.
        guard error.code == .overloaded, reading?.answer.hasBegun == false else {
          return try finish(with: error)
        }
        try await again(after: nil, orThrow: error)
      }
    }

    /// Ends with an error, behind the parts that have come.
    private mutating func finish(with error: ModelError) throws {
      guard !parts.isEmpty else { throw error }
      (current, reading) = (nil, nil)
      failure = error
    }

    /// Waits, and lets the request be sent again.
    private mutating func again(after asked: Duration?, orThrow error: ModelError) async throws {
      current = nil
      guard requests <= model.settings.mostRepeats, asked ?? .zero <= model.settings.longestWait else {
        throw error
      }
      let usual = Duration.seconds(1 << (requests - 1)) * (1 + model.environment.random())
      try await model.environment.sleep(model.environment.uptime() + Swift.max(asked ?? .zero, usual))
    }
  }
}

/// An exchange that ends with its reader: who leaves the loop over an answer leaves the server's slot too.
private final class Running: Sendable {
  let exchange: any HTTPExchange

  init(_ exchange: any HTTPExchange) { self.exchange = exchange }

  deinit { exchange.cancel() }
}

extension HTTPExchange {
  /// The head of the response. Nil when it takes longer.
  func head(within limit: Duration, _ environment: ChatEnvironment) async throws -> HTTPHead? {
    try await environment.within(limit) { try await self.head() }
  }
}
