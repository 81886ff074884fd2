import HoldfastCore
import HoldfastStore
import HoldfastTransport
import Synchronization

/// Fetches older messages that the user asks for (rule B6), one page after the other. Requests made offline are
/// carried out on the next connection.
///
/// ```
///   not asked ── loadOlder() ──► asked ──► page stored ──► not asked
///                   ▲              │  ▲         │
///                   │        refused  └─────────┘ it brought nothing new, or not the message that is sought
///                   └── failed ◄───┘
/// ```
package final class HistoryFetches: InboxFollower {
  /// The state of a conversation's older messages.
  enum Status: Equatable, Sendable {
    case notAsked, asked
    case failed(FailureReason)
  }

  /// The states of all conversations' older messages, at one moment.
  struct Statuses: Sendable {
    fileprivate var asked: Set<ConversationKey>
    fileprivate var failures: [ConversationKey: FailureReason]

    subscript(conversation: ConversationKey) -> Status {
      if let failure = failures[conversation] { return .failed(failure) }
      return asked.contains(conversation) ? .asked : .notAsked
    }
  }

  /// The part that any thread may access.
  package final class SharedState: Sendable {
    private struct Ask {
      var conversation: ConversationKey
      /// Whether the awaited page has not arrived yet. Another request after a page asks for the next one.
      var isOpen = true
      /// The messages that are looked for, beyond the next page.
      var sought: [MessageID] = []
    }

    private struct State {
      var asks: [Ask] = []
      var failures: [ConversationKey: FailureReason] = [:]
      /// The conversations whose older messages were requested since the launch.
      var readBack: Set<ConversationKey> = []
    }

    fileprivate let signal = Signal()
    private let state = Mutex(State())
    private let context: EngineContext
    private var hub: ChangeHub { context.store.changes }

    init(_ context: EngineContext) { self.context = context }

    /// Requests the next older messages of a conversation, or all up to a message. Returns false when there is
    /// nothing to request.
    @discardableResult
    package func fetchOlder(in conversation: ConversationID, upTo message: MessageID? = nil) -> Bool {
      guard context.transport.capabilities.carriesHistory, message?.isWellFormed != false else {
        return false
      }
      let store = context.store
      let key = store.key(of: conversation)
      let deletions = store.deletions.value
      guard let state = try? store.read({ try $0.history.state(of: key, deletions) }), !state.isWhole else {
        return false
      }
      ask(for: key, upTo: message)
      return true
    }

    /// Requests the next older messages, and all up to a message. A repeated request changes nothing while the answer
    /// is awaited.
    func ask(for conversation: ConversationKey, upTo message: MessageID?) {
      state.withLock { state in
        state.failures[conversation] = nil
        state.readBack.insert(conversation)
        if !state.asks.contains(where: { $0.conversation == conversation }) {
          state.asks.append(Ask(conversation: conversation))
        }
        for index in state.asks.indices where state.asks[index].conversation == conversation {
          state.asks[index].isOpen = true
          if let message, !state.asks[index].sought.contains(message) {
            state.asks[index].sought.append(message)
          }
        }
      }
      hub.publish(Changes(timelines: [conversation]))
      signal.raise()
    }

    /// The states of all conversations. A reader takes them before it reads the store. A page that is stored
    /// meanwhile is then in what it reads, or still counts as requested. In the other order, the page would count as
    /// arrived before it can be seen.
    var statuses: Statuses {
      state.withLock { Statuses(asked: Set($0.asks.map(\.conversation)), failures: $0.failures) }
    }

    /// Whether older messages were requested in this process, so that nothing is evicted there.
    package var hasReadBack: Bool { !readBack.isEmpty }

    /// The conversations from which nothing is evicted, because somebody may be reading their older messages.
    var readBack: Set<ConversationKey> { state.withLock { $0.readBack } }

    func next() -> (conversation: ConversationKey, sought: [MessageID])? {
      state.withLock { $0.asks.first.map { ($0.conversation, $0.sought) } }
    }

    /// Notes that a page is about to be stored.
    func answer(_ conversation: ConversationKey) {
      state.withLock { state in
        for index in state.asks.indices where state.asks[index].conversation == conversation {
          state.asks[index].isOpen = false
        }
      }
    }

    /// Ends the request, unless it was repeated once the page was stored, or another message was sought meanwhile.
    func finish(_ conversation: ConversationKey, sought: [MessageID]) {
      state.withLock { state in
        for index in state.asks.indices where state.asks[index].conversation == conversation {
          state.asks[index].sought.removeAll(where: sought.contains)
        }
        state.asks.removeAll { $0.conversation == conversation && $0.sought.isEmpty && !$0.isOpen }
      }
      hub.publish(Changes(timelines: [conversation]))
    }

    fileprivate func fail(_ conversation: ConversationKey, _ reason: FailureReason) {
      state.withLock { state in
        state.asks.removeAll { $0.conversation == conversation }
        state.failures[conversation] = reason
      }
      hub.publish(Changes(timelines: [conversation]))
    }
  }

  /// The number of messages that a page is asked for.
  static let pageSize = 100
  /// The number of pages after which a message that the server does not deny counts as not found.
  static let mostPages = 100

  private let context: EngineContext
  private let sharedState: SharedState
  /// The conversation whose page is awaited, and whether a change of a message that is not here came meanwhile. The
  /// page may be older than the change.
  private var awaited: (conversation: ConversationKey, isOvertaken: Bool)?

  private var store: Store { context.store }

  init(_ context: EngineContext, sharedState: SharedState) {
    (self.context, self.sharedState) = (context, sharedState)
  }

  /// Notes that the server reported a change of a message that is not here.
  func follow(_ outcome: InboxOutcome) {
    if let awaited, outcome.skipped.contains(awaited.conversation) { self.awaited?.isOvertaken = true }
  }

  /// Fetches for as long as the connection lives.
  nonisolated(nonsending) func run(
    over connection: any TransportConnection, into inbox: Inbox
  ) async throws {
    var busyFaults = 0
    while !Task.isCancelled {
      guard let (conversation, sought) = sharedState.next() else {
        await sharedState.signal.wait()
        continue
      }
      do {
        try await fetch(conversation, sought, over: connection, into: inbox)
        busyFaults = 0
      } catch HistoryPage.Refusal.notNow(let after) {
        busyFaults += 1
        try await context.pauseTransfers(afterFault: busyFaults, asked: after)
      } catch HistoryPage.Refusal.rejected(let reason) {
        sharedState.fail(conversation, reason)
      } catch let failure as ConnectionFailure {
        throw failure
      } catch {
        try Task.checkCancellation()
        context.logger.notice("older messages not loaded", metadata: ["error": "\(type(of: error))"])
        sharedState.fail(conversation, FailureReason(.historyNotLoaded))
      }
    }
  }

  /// Fetches pages until one has brought something new, and all sought messages are here.
  private nonisolated(nonsending) func fetch(
    _ conversation: ConversationKey, _ sought: [MessageID], over connection: any TransportConnection,
    into inbox: Inbox
  ) async throws {
    var (hasNew, missing, pages) = (false, Set<MessageID>(), 0)
    while !Task.isCancelled {
      let next = try store.read { db -> (HistoryState, HistoryRequest)? in
        let deletions = store.deletions.value
        guard let state = try db.history.state(of: conversation, deletions), !state.isWhole else {
          return nil
        }
        let wanted = try sought.first {
          try !missing.contains($0) && !db.history.isHere($0, in: conversation)
        }
        guard wanted != nil || !hasNew else { return nil }
        let request = try db.history.request(of: conversation, state, sought: wanted, limit: Self.pageSize)
        return (state, request)
      }
      guard let (state, request) = next, pages < Self.mostPages else { break }
      awaited = (conversation, false)
      defer { awaited = nil }
      let deadline = context.environment.uptime() + context.configuration.retry.answerTimeout
      let page = try await connection.page(request, until: deadline, in: context.environment)
      pages += 1
      // A change that came meanwhile may be newer than the page, so the page is fetched again.
      guard awaited?.isOvertaken == false else { continue }
      guard page.before == nil || page.before != request.before else {
        context.logger.warning("the server's history does not go on")
        throw HistoryPage.Refusal.rejected(FailureReason(.historyNotLoaded))
      }
      sharedState.answer(conversation)
      if try inbox.apply(page, of: conversation, in: state) { hasNew = true }
      if page.isSoughtMissing, let sought = request.sought { missing.insert(sought) }
    }
    try Task.checkCancellation()
    // Nothing is left to fetch, or too many pages were fetched: further requests would be needless.
    if pages == 0 || pages >= Self.mostPages { sharedState.answer(conversation) }
    sharedState.finish(conversation, sought: sought)
  }
}
