#if Firestore
  import Foundation
  import HoldfastCore
  import HoldfastTransport
  import Synchronization

  /// One live connection to Firestore: a stream of incoming changes, and a lane for each conversation's outgoing
  /// messages.
  final class FirestoreConnection: TransportConnection {
    private struct State {
      var events: [TransportEvent] = []
      /// The items that wait to be sent, by conversation.
      var waiting: [ConversationID: [FirestoreLane.Item]] = [:]
      /// The conversations whose lane is running.
      var busy: Set<ConversationID> = []
      /// The messages that were refused and have not been accepted since, by conversation. A message after one of
      /// them is refused too, so that no message overtakes its predecessor.
      var refused: [ConversationID: Set<MessageID>] = [:]
      /// The first failure of a lane.
      var failure: (any Error)?

      /// The conversations with waiting items and an idle lane. They are marked as running.
      mutating func startable() -> [ConversationID] {
        let free = waiting.keys.filter { !busy.contains($0) }
        busy.formUnion(free)
        return free
      }

      /// The waiting items of a conversation, and its refused messages. Nil when nothing waits: its lane is then
      /// idle.
      mutating func next(
        in conversation: ConversationID
      ) -> (items: [FirestoreLane.Item], refused: Set<MessageID>)? {
        if let items = waiting.removeValue(forKey: conversation) {
          return (items, refused[conversation] ?? [])
        }
        busy.remove(conversation)
        return nil
      }
    }

    /// The largest number of queued events. Further events wait on the server.
    private static let longestQueue = 8

    let account: UserID?
    private let user: UserID
    private let environment: ChatEnvironment
    private let client: FirestoreClient
    private let lanes: FirestoreLane
    private let conversations: FirestoreConversations
    private let state = Mutex(State())
    /// Raised when an item waits to be sent, when an event has arrived, and when there is room for another.
    private let left = Signal()
    private let came = Signal()
    private let taken = Signal()

    init(_ client: FirestoreClient, as account: UserID, environment: ChatEnvironment) {
      self.client = client
      (self.account, user, self.environment) = (account, account, environment)
      conversations = FirestoreConversations(client)
      lanes = FirestoreLane(client, as: account, conversations)
    }

    func send(_ messages: [OutgoingMessage]) async throws {
      state.withLock { state in
        for message in messages { state.waiting[message.conversation, default: []].append(.message(message)) }
      }
      left.raise()
    }

    func send(_ mark: IncomingItem.ReadMark) async throws {
      state.withLock { $0.waiting[mark.conversation, default: []].append(.mark(mark)) }
      left.raise()
    }

    func receive() async throws -> TransportEvent {
      while true {
        try Task.checkCancellation()
        if let event = state.withLock({ $0.events.isEmpty ? nil : $0.events.removeFirst() }) {
          taken.raise()
          return event
        }
        await came.wait()
      }
    }

    /// A missing document may still be created by a commit in flight, so no message is reported as absent.
    func outcomes(
      of ids: [MessageID], in conversation: ConversationID
    ) async throws -> [MessageID: OutgoingMessage.DeliveryOutcome] {
      let names = ids.map { MessageDocument.name(of: $0, in: client.database) }
      do {
        let messages = try await client.documents(names).values.compactMap(MessageDocument.message)
        return Dictionary(
          messages.filter { $0.conversation == conversation }.map { ($0.id, .accepted(Receipt($0))) }
        ) { first, _ in first }
      } catch {
        try Task.checkCancellation()
        switch FirestoreVerdict(error) {
        case .lost, .unauthorized: throw ConnectionFailure(listening: error)
        default: return [:]
        }
      }
    }

    func history(_ request: HistoryRequest) async throws -> HistoryPage {
      try await FirestoreHistory(client: client, account: user).page(request)
    }

    /// Sends the waiting items, until the task is cancelled. Conversations do not wait for each other.
    ///
    /// - Throws: the first failure of the connection.
    func carry() async throws {
      try await withThrowingDiscardingTaskGroup { group in
        defer { group.cancelAll() }
        while !Task.isCancelled {
          // A failure in the group would not end this wait, so it is recorded, and thrown here.
          if let failure = state.withLock({ $0.failure }) { throw failure }
          for conversation in state.withLock({ $0.startable() }) {
            group.addTask { await self.carry(conversation) }
          }
          await left.wait()
        }
      }
    }

    private func carry(_ conversation: ConversationID) async {
      do {
        while let (items, refused) = state.withLock({ $0.next(in: conversation) }) {
          let after = try await lanes.carry(items, behind: refused) { event in self.emit(event) }
          state.withLock { $0.refused[conversation] = after }
        }
      } catch {
        state.withLock { $0.failure = $0.failure ?? error }
      }
      left.raise()
    }

    /// Listens after a place, until the task is cancelled or the connection fails.
    ///
    /// - Parameter newest: the number of messages of each conversation that are delivered first without a place.
    ///   Nil: all.
    func listen(after place: FirestorePlace?, newest: Int?) async throws {
      let listener = FirestoreListener(
        client, as: user, conversations, newest: newest, environment: environment
      ) { event in
        // Backpressure: the server waits while the engine is busy.
        while self.state.withLock({ $0.events.count >= Self.longestQueue }) {
          try Task.checkCancellation()
          await self.taken.wait()
        }
        self.emit(event)
      }
      try await listener.run(after: place)
    }

    private func emit(_ event: TransportEvent) {
      state.withLock { $0.events.append(event) }
      came.raise()
    }
  }

  extension Receipt {
    /// The acknowledgement of a message that the server has.
    init(_ message: IncomingMessage) {
      self.init(
        id: message.id, conversation: message.conversation, order: message.order, createdAt: message.createdAt
      )
    }
  }
#endif
