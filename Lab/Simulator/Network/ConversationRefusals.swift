import Holdfast
import HoldfastRelay
import HoldfastRescue
import Synchronization

/// The server's refusals of whole conversations (rule O8), each for a while. A refusal concerns one user, who was
/// removed from the conversation, or all users. Some refusals end when the server announces the conversation again,
/// as it does after readmitting somebody.
final class ConversationRefusals: Sendable {
  private struct Refused {
    var conversation: ConversationID
    /// The user who is refused. Nil when all are.
    var user: UserID?
  }
  private struct State {
    var refused: Refused?
    /// All conversations that were ever refused.
    var past: Set<ConversationID> = []
    /// Whether the server announces all of them once the world has healed, so that users need not ask.
    var isAnnouncedAtTheEnd = false
    /// Conversations that the server has announced since the world healed.
    var announced: Set<ConversationID> = []
  }

  private let world: WorldState
  private let conversations: [(id: ConversationID, members: [UserID])]
  private let state = Mutex(State())

  init(world: WorldState, conversations: [(id: ConversationID, members: [UserID])]) {
    self.world = world
    self.conversations = conversations
  }

  /// Refuses conversations now and then until the world heals.
  ///
  /// - Parameter announce: makes the running server announce a conversation. Returns false when the server could not.
  func run(announcing announce: @Sendable (ConversationID) async -> Bool) async {
    let isAnnouncedAtTheEnd = world.scheduler.draw { $0.chance(0.5) }
    state.withLock { $0.isAnnouncedAtTheEnd = isAnnouncedAtTheEnd }
    await world.episodes(of: .refusedConversation, lasting: 500...30_000) {
      let refused = world.scheduler.draw { random -> Refused in
        let conversation = random.pick(conversations)!
        let user = random.chance(0.6) ? random.pick(conversation.members) : nil
        return Refused(conversation: conversation.id, user: user)
      }
      world.trace(
        SimulatedServer.name, "refuses \(refused.conversation) to \(refused.user?.rawValue ?? "all")")
      state.withLock { $0.refused = refused }
    } end: {
      let ended = state.withLock { state in
        defer { state.refused = nil }
        return state.refused?.conversation
      }
      guard let ended else { return }
      world.trace(SimulatedServer.name, "refuses \(ended) no more")
      if world.scheduler.draw({ $0.chance(0.5) }) { _ = await announce(ended) }
    }
    guard isAnnouncedAtTheEnd else { return }
    // The server repeats the announcement: it may be down, and a refusal in flight may arrive after the
    // announcement.
    while !Task.isCancelled {
      let past = state.withLock { $0.past }
      for conversation in past.sorted(by: { $0.rawValue < $1.rawValue }) where await announce(conversation) {
        state.withLock { _ = $0.announced.insert(conversation) }
      }
      try? await world.scheduler.sleep(until: world.scheduler.now + .seconds(10))
    }
  }

  /// The refusal of a message or an operation of this user. Nil when its conversation is not refused.
  func refusal(of message: Wire.Outgoing, from user: UserID) -> Wire.Refused? {
    let conversation = ConversationID(rawValue: message.conversation)
    let isRefused = state.withLock { state in
      guard let refused = state.refused, refused.conversation == conversation, !world.isHealing,
        refused.user.map({ $0 == user }) ?? true
      else { return false }
      state.past.insert(conversation)
      return true
    }
    guard isRefused else { return nil }
    world.count(.refusedConversation)
    return Wire.Refused(
      id: message.id, handover: message.handover, kind: .rejected,
      code: FailureReason.Code.conversationRefused.rawValue, explanation: "You are no longer a member.")
  }

  /// Whether any conversation may be refused now.
  var isRefusing: Bool { state.withLock { $0.refused != nil } }

  /// Whether the server reopens the conversation by itself, now that the world has healed. The server cannot
  /// announce a conversation that it does not have.
  func isOpenedByAnnouncement(_ conversation: ConversationID, after waiting: Duration) -> Bool {
    state.withLock { state in
      state.isAnnouncedAtTheEnd && (state.announced.contains(conversation) || waiting < .seconds(20))
    }
  }
}
