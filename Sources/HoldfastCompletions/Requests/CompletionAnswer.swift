import Foundation
import HoldfastCore
import HoldfastHTTP

/// The answer of a model's server, as it comes.
///
/// ```
///   asking ── the head ──► reading ── finish, and the end of the body, or two seconds ──► whole
///     │  ▲                    │
///     │  ├ nothing has come:  ├── the end of the body, silence ──► cut off, with what came
///     │  │ again, three times └── an error ──────────────────────► failed, with what came
///     │  └ a field is refused: again without it
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
    /// The requests that a busy or absent server has had.
    private var repeats = 0
    private var redirections = 0
    /// The redirection that the server has answered with.
    private var moved: Redirection?
    private var sent: HTTPRequest?
    /// When an answer whose finish has come is taken for whole.
    private var deadline: ChatEnvironment.Instant?
    private var tags: ThoughtTags?
    /// The white space that is in front of the answer already.
    private var heldBack: Substring
    /// The beginning of the answer, and what the server has said of it again. Some send the whole answer.
    private var repeated: (beginning: String, said: String)?
    private var hasText = false
    /// What was read and not taken, the last part first.
    private var parts: [ModelPart] = []
    private var isOver = false
    /// The error behind the parts.
    private var failure: ModelError?

    /// The time behind a finish in which the usage may come.
    private static let endLimit = Duration.seconds(2)

    init(model: CompletionModel, prompt: ModelPrompt) {
      (self.model, self.prompt) = (model, prompt)
      heldBack = prompt.heldBack
      repeated = prompt.sentBeginning.map { ($0, "") }
    }

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
      let request = try await CompletionRequest(model: model, prompt: prompt, address: moved?.address).http()
      requests += 1
      sent = request
      let task = model.httpClient.send(request)
      let running = Running(task)
      do {
        guard let head = try await task.head(within: model.settings.firstWordLimit, model.environment)
        else {
          throw ModelError.silence(of: model.settings.firstWordLimit)
        }
        (current, hasBytes, deadline) = (running, false, nil)
        tags = model.settings.readsThoughtTags ? ThoughtTags() : nil
        reading = BodyReading(model.api, status: head.status, contentType: head["Content-Type"] ?? "")
        guard (200...299).contains(head.status) else { return try await refuse(head) }
        if let moved, moved.isPermanent { model.habits.note { $0.address = moved.address } }
      } catch let failure as HTTPFailure {
        let error = ModelError(failure, on: model.url)
        guard error.mayPass else { throw error }
        try await again(after: nil, orThrow: error)
      }
    }

    /// Reads the body of an answer that is an error, and asks again where that helps.
    private mutating func refuse(_ head: HTTPHead) async throws {
      if try follow(head) { return current = nil }
      let isRead = try await readRest()
      var (reason, message) = errorIn(isComplete: isRead, status: head.status)
      if let key = sent?.key {
        (reason, message) = (reason.replacing(key, with: "…"), message?.replacing(key, with: "…"))
      }
      let error = ModelError(status: head.status, reason: reason, detail: message, model: model.name)
      if learns(from: error) { return current = nil }
      guard error.mayPass else { throw error }
      try await again(after: head.retryAfter(now: model.environment.now()), orThrow: error)
    }

    /// Whether another request is different, because the server has said what it does not take.
    private func learns(from error: ModelError) -> Bool {
      guard [.rejected, .serverFailed].contains(error.code), let body = sent?.body, let reading else {
        return false
      }
      var complaint = reading.complaint
      if complaint.sentence == nil, let detail = error.detail {
        complaint = ServerComplaint(sentence: detail)
      }
      return CompletionRequest(model: model, prompt: prompt).learn(from: complaint, to: body)
    }

    /// Whether the server redirects to another address of its own, which is asked from now on.
    private mutating func follow(_ head: HTTPHead) throws -> Bool {
      guard let old = sent?.url, let redirection = try Redirection(head, from: old) else { return false }
      redirections += 1
      guard redirections <= Redirection.most else { throw Redirection.circle(at: old) }
      moved = redirection
      return true
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
      take(reading?.read(piece) ?? [])
      if reading?.answer.isFinished == true {
        deadline = deadline ?? model.environment.uptime() + Self.endLimit
      } else {
        deadline = nil
      }
      // The server may keep the connection after its last word.
      if reading?.isOver == true { try await conclude(isComplete: true, because: nil) }
    }

    /// Takes what was read: thoughts out of their tags, and what the beginning has out of the text.
    private mutating func take(_ read: [ModelPart]) {
      var taken: [ModelPart] = []
      for part in read {
        switch part {
        case .text(let text):
          taken += tags?.read(text) ?? [part]
        case .reasoning:
          // The server takes thoughts apart.
          taken += tags?.end() ?? []
          tags = nil
          taken.append(part)
        case .end: taken.append(part)
        }
      }
      put(taken)
    }

    private mutating func put(_ taken: [ModelPart]) {
      let new = taken.compactMap { withoutRepeated($0) }.compactMap { withoutHeldBack($0) }
      for case .text(let text) in new where !text.isBlank { hasText = true }
      parts = new.reversed() + parts
    }

    /// Holds words back while they are those of the beginning, and drops them when all of it has come.
    private mutating func withoutRepeated(_ part: ModelPart) -> ModelPart? {
      guard case .text(let text) = part, var held = repeated else { return part }
      held.said += text
      repeated = held
      let isLeft = held.beginning.utf8.count > held.said.utf8.count
      if isLeft, held.beginning.utf8.starts(with: held.said.utf8) { return nil }
      repeated = nil
      let isWhole = held.said.utf8.starts(with: held.beginning.utf8)
      return .text(isWhole ? held.said.behind(held.beginning) : held.said)
    }

    private mutating func withoutHeldBack(_ part: ModelPart) -> ModelPart? {
      guard case .text(var text) = part, !heldBack.isEmpty else { return part == .text("") ? nil : part }
      while let first = text.first, first == heldBack.first {
        text.removeFirst()
        heldBack.removeFirst()
      }
      if !text.isEmpty { heldBack = "" }
      return text.isEmpty ? nil : .text(text)
    }

    private func nextPiece() async throws -> Data? {
      guard let task = current?.task else { return nil }
      let usual = hasText ? model.settings.silenceLimit : model.settings.firstWordLimit
      let left = deadline.map { Swift.max(.zero, $0 - model.environment.uptime()) } ?? usual
      let limit = Swift.min(usual, left)
      guard let piece = try await model.environment.within(limit, { try await task.next() }) else {
        throw ModelError.silence(of: usual)
      }
      return piece
    }

    /// The end of the body, of the connection, or of patience.
    private mutating func conclude(isComplete: Bool, because silence: ModelError?) async throws {
      guard let (rest, ending) = reading?.end(isComplete: isComplete) else { return }
      take(rest)
      put(tags?.end() ?? [])
      if let held = repeated, !held.said.isEmpty {
        repeated = nil
        put([.text(held.said)])
      }
      switch ending {
      case .whole(var end):
        end.requests = requests
        parts.insert(.end(end), at: 0)
        self.end()
      case .interrupted:
        guard hasBytes || silence != nil || isComplete else {
          return try await again(after: nil, orThrow: ModelError(HTTPFailure(.unreachable), on: model.url))
        }
        guard hasBytes || silence != nil else {
          throw ModelError(.malformed, "The model's server answered with nothing.")
        }
        try finish(with: silence ?? .cutOff)
      case .failed(let reason, let message):
        let error = ModelError(status: 200, reason: reason, detail: message, model: model.name)
        if reading?.answer.hasBegun == false, learns(from: error) { return current = nil }
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
      guard repeats < model.settings.mostRepeats, asked ?? .zero <= model.settings.longestWait else {
        throw error
      }
      let usual = Duration.seconds(1 << repeats) * (1 + model.environment.random())
      repeats += 1
      try await model.environment.sleep(model.environment.uptime() + Swift.max(asked ?? .zero, usual))
    }
  }
}

/// A request that ends with its reader: who leaves the loop over an answer leaves the server's slot too.
private final class Running: Sendable {
  let task: any HTTPTask

  init(_ task: any HTTPTask) { self.task = task }

  deinit { task.cancel() }
}

extension HTTPTask {
  /// The head of the response. Nil when it takes longer.
  func head(within limit: Duration, _ environment: ChatEnvironment) async throws -> HTTPHead? {
    try await environment.within(limit) { try await self.head() }
  }
}

extension HTTPRequest {
  /// The account's key, which a server may repeat. Nil when none was sent.
  fileprivate var key: String? {
    let value = headers["x-api-key"] ?? headers["Authorization"]?.split(separator: " ").last.map(String.init)
    return value?.isEmpty == false ? value : nil
  }
}
