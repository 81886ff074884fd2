import HoldfastCore
import HoldfastStore
import Synchronization

/// The question about messages that have waited so long that their user is asked before they are sent (rule O16).
package final class HeldPrompt: Sendable {
  private struct State {
    /// Whether the question is open. A reconnect opens it, and the end of the process closes it.
    var isAsked = false
    /// The number of events that may have held messages. A read of the store uses it to detect that it was overtaken.
    var holds = 0
    /// The value of `holds` at the last read of the store that found nothing held. Nil before such a read.
    var noneHeldAfter: Int?
    /// Whether nothing is held. The held messages then need not be counted after each change of the outbox.
    var holdsNothing: Bool { noneHeldAfter == holds }
  }

  private let context: EngineContext
  private let link: Link.SharedState
  private let state = Mutex(State())

  private var store: Store { context.store }

  init(_ context: EngineContext, link: Link.SharedState) { (self.context, self.link) = (context, link) }

  /// The held messages, as they are now.
  package func snapshot() throws(ChatError) -> HeldMessages {
    let (isAsked, holdsNothing, holds) = state.withLock { ($0.isAsked, $0.holdsNothing, $0.holds) }
    guard !holdsNothing else {
      return HeldMessages(count: 0, conversations: 0, oldest: nil, isAsked: false)
    }
    let held = try store.read { try $0.outbox.held() }
    if held.count == 0 { state.withLock { $0.noneHeldAfter = holds } }
    let now = context.environment.now()
    return HeldMessages(
      count: held.count, conversations: held.conversations, oldest: held.oldest,
      age: held.oldest.map { DraftBanner.Age(of: $0, from: now) } ?? .justNow,
      isAsked: isAsked && held.count > 0
    ).localized(with: context.configuration.texts)
  }

  /// Carries out the user's answer. `drafts` takes the texts that go back to their composers.
  func answer(_ answer: HeldMessages.Answer, drafts: Drafts) throws(ChatError) {
    switch answer {
    case .send:
      let reading = context.waitingReading
      try store.write { try $0.outbox.releaseHeld(at: reading) }
    case .keepWaiting: break
    case .backToComposer:
      for conversation in try store.read({ try $0.outbox.conversationsHeld() }) {
        try takeBack(conversation, into: drafts)
      }
    }
    ask(false)
  }

  private func takeBack(_ conversation: ConversationKey, into drafts: Drafts) throws(ChatError) {
    var ids: [MessageID] = []
    _ = try drafts.put(DraftKey(conversation: conversation)) { transaction in
      let held = try transaction.outbox.removeHeld(in: conversation)
      ids = held.map(\.id)
      return held.reduce(DraftContent()) { DraftContent.merge($0, $1.content) }
    }
    for id in ids { context.deliveryTimes.forget(id) }
  }

  /// Holds the messages that have waited too long. Each connection does this before any message is sent.
  func holdOld() throws {
    guard let reading = oldestUnasked else { return }
    let conversations = try store.read { try $0.outbox.conversationsQueued(before: reading) }
    guard !conversations.isEmpty else { return }
    willHold()
    try store.write { transaction in
      for conversation in conversations { try transaction.outbox.hold(conversation) }
    }
  }

  /// Queues messages that have waited elsewhere (rule H10). The same transaction holds the conversations in which a
  /// message is too old, because the connection may have begun long ago. Only a connected client shows the question.
  ///
  /// - Parameter queue: queues the messages, and returns the conversations in which one is too old.
  package func queueHolding(_ queue: (Transaction) throws -> Set<ConversationKey>) throws {
    willHold()
    let isHeld = try store.write { transaction in
      let old = try queue(transaction)
      for conversation in old { try transaction.outbox.hold(conversation) }
      return !old.isEmpty
    }
    if isHeld, [.online, .otherProcess].contains(link.connectivity) { ask(true) }
  }

  /// Whether the user is asked before a message that was queued at `reading` is sent.
  package func isOld(_ reading: Int64) -> Bool { oldestUnasked.map { reading < $0 } ?? false }

  /// The waiting clock's time before which a queued message is old. Nil when the user is never asked.
  private var oldestUnasked: Int64? {
    context.configuration.outbox.heldAfter.map {
      context.waitingClock.reading($0, before: context.environment.uptime())
    }
  }

  /// Opens the question if anything is held. It is called when the server answers, so that the decision has an
  /// effect.
  func askIfAny() throws {
    // Another process may have held messages.
    guard try store.read({ try $0.outbox.held().count }) > 0 else { return }
    state.withLock { if $0.holdsNothing { $0.holds += 1 } }
    ask(true)
  }

  private func ask(_ asks: Bool) {
    let hasChanged = state.withLock { state in
      defer { state.isAsked = asks }
      return state.isAsked != asks
    }
    if hasChanged { store.changes.publish(Changes(outbox: true)) }
  }

  /// Notes that messages are about to be held, or that another process may have held some.
  func willHold() { state.withLock { $0.holds += 1 } }
}
