import Foundation
import HoldfastCore
import HoldfastStore

/// Messages that have waited for so long that they are not sent without a word, as one question to their user
/// (SPEC O16).
public struct HeldMessages: Sendable, Codable, Hashable {
  /// How many are held. 0: there is no question.
  public var count: Int
  /// In how many conversations.
  public var conversations: Int
  /// When the oldest was written, by the device's date of that time. Nil when none is held.
  public var oldest: Date?
  /// The question is to be shown. False once it has been answered, until the next reconnect.
  public var isAsked: Bool
}

/// What is to become of the messages that are held.
public enum HeldAnswer: String, Sendable, Codable, Hashable, CaseIterable {
  /// All of them go, in their order, behind what has been sent since, and with all their attempts, as one that is
  /// tried again.
  case send
  /// They stay as they are, and the question comes again at the next reconnect.
  case keepWaiting
  /// Each conversation's texts go back into its composer, in their order, in front of what is there.
  case backToComposer
}

extension ChatClient {
  /// What is held, as it is now. Costs one pass over the outbox, and nothing once a pass has found nothing held.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func heldSnapshot() throws(ChatError) -> HeldMessages {
    let isAsked = live.asksAboutHeld
    guard !live.holdsNothing else {
      return HeldMessages(count: 0, conversations: 0, oldest: nil, isAsked: false)
    }
    let holds = live.holds
    let held = try store.read { try $0.heldMessages() }
    if held.count == 0 { live.foundNoneHeld(after: holds) }
    return HeldMessages(
      count: held.count, conversations: held.conversations, oldest: held.oldest,
      isAsked: isAsked && held.count > 0)
  }

  /// What is held, now and after each change.
  ///
  /// ```swift
  /// for await held in client.heldMessages() where held.isAsked {
  ///   let answer = await ask("\(held.count) messages have waited for long. Send them?")
  ///   try client.answerHeld(answer)
  /// }
  /// ```
  public nonisolated func heldMessages() -> SnapshotSequence<HeldMessages> {
    SnapshotSequence(client: self, concerns: \.outbox) { try self.heldSnapshot() }
  }

  /// Answers the question, for all that is held. For one message alone, `retry`, `takeBack` and `cancel` do.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, or `draftTooLong`. What could not be done is
  ///   still held, and still asked: each conversation that goes back to its composer is a transaction of its own,
  ///   and sending is one for all. What is done survives a crash; *keep waiting* changes nothing on disk.
  public nonisolated func answerHeld(_ answer: HeldAnswer) throws(ChatError) {
    switch answer {
    case .send:
      let reading = waitingClock.reading(at: environment.uptime())
      try store.write { try $0.releaseHeld(at: reading) }
    case .keepWaiting: break
    case .backToComposer:
      for conversation in try store.read({ try $0.conversationsHeld() }) {
        try takeBackHeld(in: conversation)
      }
    }
    ask(false)
  }

  private nonisolated func takeBackHeld(in conversation: ConversationID) throws(ChatError) {
    var ids: [MessageID] = []
    _ = try drafts.put(DraftKey(conversation: conversation)) { transaction in
      let held = try transaction.removeHeld(in: conversation)
      ids = held.map(\.id)
      return held.reduce(DraftContent()) { DraftContent.merge($0, $1.content) }
    }
    for id in ids { deliveryTimes.forget(id) }
  }

  /// A connection begins: before anything leaves, what has waited for too long is held.
  func holdWhatIsOld() throws {
    guard let reading = oldestUnasked else { return }
    let conversations = try store.read { try $0.conversationsQueued(before: reading) }
    guard !conversations.isEmpty else { return }
    live.willHold()
    try store.write { transaction in
      for conversation in conversations { try transaction.hold(conversation) }
    }
  }

  /// Queues messages that have waited elsewhere (SPEC H10). Those of conversations in which one is too old are held in the
  /// same transaction, because the connection may have begun long ago; and their user is asked where somebody is connected.
  ///
  /// - Parameter queue: gives these conversations.
  package nonisolated func queueHolding(_ queue: (Transaction) throws -> Set<ConversationID>) throws {
    live.willHold()
    let isHeld = try store.write { transaction in
      let old = try queue(transaction)
      for conversation in old { try transaction.hold(conversation) }
      return !old.isEmpty
    }
    if isHeld, [.online, .elsewhere].contains(live.link) { ask(true) }
  }

  /// Whether what was queued at `reading` is asked about before it leaves.
  package nonisolated func isOld(_ reading: Int64) -> Bool {
    oldestUnasked.map { reading < $0 } ?? false
  }

  /// What was queued before this reading of the waiting clock is asked about. Nil: nothing is.
  private nonisolated var oldestUnasked: Int64? {
    limits.heldAfter.map { waitingClock.reading($0, before: environment.uptime()) }
  }

  /// The server answers: now there is something to decide, if anything is held.
  func askAboutHeld() throws {
    // Another process may have held them.
    guard try store.read({ try $0.heldMessages().count }) > 0 else { return }
    if live.holdsNothing { live.willHold() }
    ask(true)
  }

  private nonisolated func ask(_ asks: Bool) {
    if live.set(asksAboutHeld: asks) { store.changes.publish(Changes(outbox: true)) }
  }
}
