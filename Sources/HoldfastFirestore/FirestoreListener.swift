#if Firestore
  import HoldfastCore
  import HoldfastTransport
  import Synchronization

  /// Listens to the documents of an account. A stream that ends after it was current is restarted: servers and the
  /// proxies in front of them end healthy streams.
  struct FirestoreListener: Sendable {
    private let client: FirestoreClient
    private let account: UserID
    private let conversations: FirestoreConversations
    /// The number of messages of each conversation that a device without data gets first. Nil: all.
    private let newest: Int?
    private let environment: ChatEnvironment
    private let emit: @Sendable (TransportEvent) async throws -> Void

    /// The timeout of a stream's first response. Later silence ends the whole connection, which gRPC's keepalive
    /// detects.
    private static let patience: Duration = .seconds(20)

    init(
      _ client: FirestoreClient, as account: UserID, _ conversations: FirestoreConversations,
      newest: Int?, environment: ChatEnvironment,
      emit: @escaping @Sendable (TransportEvent) async throws -> Void
    ) {
      (self.client, self.account, self.conversations) = (client, account, conversations)
      (self.newest, self.environment, self.emit) = (newest, environment, emit)
    }

    /// The least duration of a stream that is restarted at once. Each start is billed.
    private static let shortest: Duration = .seconds(5)

    /// - Throws: ``ConnectionFailure``.
    func run(after place: FirestorePlace?) async throws {
      let isReady = Once()
      var place = place
      if place == nil { place = try await firstSync(isReady) }
      while true {
        let start = environment.uptime()
        let stream = Stream(
          FirestoreListening(after: place?.resumed(takesTokens: client.database.takesTokens)))
        do {
          try await follow(stream, isReady)
        } catch {
          try Task.checkCancellation()
          guard stream.listening.isCurrent, [.lost, .outcomeUnknown].contains(FirestoreVerdict(error)),
            environment.uptime() - start >= Self.shortest
          else {
            throw ConnectionFailure(listening: error)
          }
        }
        try Task.checkCancellation()
        guard stream.listening.isCurrent, environment.uptime() - start >= Self.shortest else {
          throw ConnectionFailure(.unreachable, detail: "Firestore ended the stream")
        }
        place = stream.listening.place
      }
    }

    /// Nil when everything comes on the stream.
    private func firstSync(_ isReady: Once) async throws -> FirestorePlace? {
      guard let newest else { return nil }
      let history = FirestoreHistory(client: client, account: account)
      do {
        return try await FirestoreFirstSync(history: history, conversations: conversations, newest: newest)
          .run {
            if isReady.first() { try await emit(.ready) }
          } emit: {
            try await emit($0)
          }
      } catch {
        try Task.checkCancellation()
        throw ConnectionFailure(listening: error)
      }
    }

    private func follow(_ stream: Stream, _ isReady: Once) async throws {
      let (requests, continuation) = AsyncStream.makeStream(of: FSListenRequest.self)
      let place = stream.listening.place
      let add: @Sendable ([FirestoreListening.Target]) -> Void = { targets in
        for target in targets {
          continuation.yield(target.request(for: account, after: place, in: client.database))
        }
      }
      add([.conversations])
      try await withThrowingTaskGroup(of: Void.self) { group in
        defer {
          continuation.finish()
          group.cancelAll()
        }
        group.addTask {
          try await client.listen(requests) { response in
            stream.hasAnswered.raise()
            for step in try stream.apply(response) {
              switch step {
              case .addTargets:
                add([.messages, .readMarks])
                if isReady.first() { try await emit(.ready) }
              case .event(let event):
                if case .items(let items, _) = event { conversations.note(items) }
                try await emit(event)
              }
            }
          }
        }
        group.addTask {
          let deadline = environment.uptime() + Self.patience
          await stream.hasAnswered.wait(until: deadline, in: environment)
          guard environment.uptime() < deadline else {
            throw ConnectionFailure(.timedOut, detail: "Firestore does not answer")
          }
          // The other task decides how the stream ends.
          await Signal().wait()
        }
        try await group.next()
      }
    }
  }

  /// One stream, with the state that its reading task changes.
  private final class Stream: Sendable {
    let hasAnswered = Signal()
    private let state: Mutex<FirestoreListening>

    init(_ listening: FirestoreListening) { state = Mutex(listening) }

    var listening: FirestoreListening { state.withLock { $0 } }

    func apply(_ response: FSListenResponse) throws -> [FirestoreListening.Step] {
      try state.withLock { try $0.apply(response) }
    }
  }

  /// Returns true only the first time.
  private final class Once: Sendable {
    private let isDone = Mutex(false)
    func first() -> Bool {
      isDone.withLock { isDone in
        defer { isDone = true }
        return !isDone
      }
    }
  }
#endif
