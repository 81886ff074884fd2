import Holdfast
import Synchronization

/// Conversations that stand still (SPEC O8), by device: those that the server refuses, and those with a failed message in
/// a world of strict order. Kept outside of the engine, from what its snapshots have shown.
///
/// What happens within one moment of the world may be seen in any order: what leaves in the moment in which it was to
/// stay may have been on its way.
final class StandingPromises: Sendable {
  /// It left behind a message that was shown failed.
  private struct Suspect {
    var id: MessageID
    var failed: MessageID
  }
  private struct Device {
    /// Since when each is known to be refused.
    var refused: [ConversationID: Duration] = [:]
    /// When the server told of each last.
    var told: [ConversationID: Duration] = [:]
    /// Since when each message is known to have failed.
    var failed: [ConversationID: [MessageID: Duration]] = [:]
    var suspects: [Suspect] = []
  }
  private struct State {
    var devices: [String: Device] = [:]
    /// By operation: the messages that were queued before it.
    var before: [MessageID: Set<MessageID>] = [:]
  }
  private let state = Mutex(State())

  // MARK: What is seen

  /// A conversation is refused or not, as it is stored at this moment. Gives what that breaks.
  ///
  /// - Parameter mayBeLifted: its user is asking for it, or nobody knows.
  func look(
    at conversation: ConversationID, isRefused: Bool, mayBeLifted: Bool, on device: String, at now: Duration
  ) -> Violation? {
    state.withLock { state in
      let wasRefused = state.devices[device]?.refused[conversation] != nil
      if isRefused {
        let isBeingTold = state.devices[device]?.told[conversation] == now
        if !wasRefused, !isBeingTold { state.devices[device, default: Device()].refused[conversation] = now }
        return nil
      }
      state.devices[device]?.refused[conversation] = nil
      guard wasRefused, !mayBeLifted else { return nil }
      return Violation(
        promise: "a refused conversation stands still",
        expected: "\(conversation) to be refused on \(device)",
        found: "it is not, and nobody has asked or told")
    }
  }

  /// The messages of a conversation that have failed, as they are stored at this moment. Gives those that left behind one
  /// of them.
  func look(
    at conversation: ConversationID, failed: [MessageID], on device: String, at now: Duration
  ) -> [Violation] {
    state.withLock { state in
      var seen = state.devices[device, default: Device()]
      let known = seen.failed[conversation] ?? [:]
      seen.failed[conversation] = Dictionary(uniqueKeysWithValues: failed.map { ($0, known[$0] ?? now) })
      // One that is no longer known to have failed was on the server, or its user has let it go.
      let (broken, others) = (
        seen.suspects.filter { failed.contains($0.failed) },
        seen.suspects.filter { !failed.contains($0.failed) && known[$0.failed] == nil }
      )
      seen.suspects = others
      state.devices[device] = seen
      return broken.map {
        Violation(
          promise: "strict order", expected: "\($0.id) to wait for \($0.failed) on \(device)",
          found: "it left")
      }
    }
  }

  /// The server tells a device of a conversation, which opens it again.
  func noteTold(_ conversation: ConversationID, on device: String, at now: Duration) {
    state.withLock { state in
      state.devices[device, default: Device()].told[conversation] = now
      state.devices[device]?.refused[conversation] = nil
    }
  }

  // MARK: What users do

  /// Its user has asked the server again.
  func lift(_ conversation: ConversationID, on device: String) {
    state.withLock { $0.devices[device]?.refused[conversation] = nil }
  }

  /// Its user has let a failed message go.
  func release(_ id: MessageID) {
    state.withLock { state in
      for (device, seen) in state.devices {
        for conversation in seen.failed.keys {
          state.devices[device]?.failed[conversation]?[id] = nil
        }
        state.devices[device]?.suspects.removeAll { $0.failed == id }
      }
    }
  }

  /// An operation waits behind these messages of its conversation.
  func noteOperation(_ id: MessageID, behind messages: [MessageID]) {
    state.withLock { $0.before[id] = Set(messages) }
  }

  /// A message was put at the end of the queue.
  func noteMoved(_ id: MessageID) {
    state.withLock { state in
      for operation in state.before.keys { state.before[operation]?.remove(id) }
    }
  }

  func isOperation(_ id: MessageID, behind message: MessageID) -> Bool {
    state.withLock { $0.before[id]?.contains(message) == true }
  }

  // MARK: What leaves

  func isRefused(_ conversation: ConversationID, on device: String, before now: Duration) -> Bool {
    state.withLock { $0.devices[device]?.refused[conversation].map { $0 < now } ?? false }
  }

  func failed(in conversation: ConversationID, on device: String, before now: Duration) -> [MessageID] {
    state.withLock { state in
      (state.devices[device]?.failed[conversation] ?? [:]).filter { $0.value < now }.map(\.key)
        .sorted { $0.rawValue < $1.rawValue }
    }
  }

  /// It leaves behind one that was shown failed. An echo of that may have come in this very moment.
  func suspect(_ id: MessageID, behind failed: MessageID, on device: String) {
    state.withLock { $0.devices[device]?.suspects.append(Suspect(id: id, failed: failed)) }
  }
}

extension Promises {
  /// Whether an entry of the outbox, a message or an operation, is behind a message of its conversation.
  func isBehind(_ id: MessageID, _ message: MessageID, in conversation: ConversationID, on device: String)
    -> Bool
  {
    if standing.isOperation(id, behind: message) { return true }
    let sent = sent(by: device, in: conversation).filter(\.hasPlace).map(\.id)
    guard let first = sent.firstIndex(of: message), let second = sent.firstIndex(of: id) else { return false }
    return first < second
  }

  /// What the user is letting go at this moment, in calls that have not returned, or of which nobody knows.
  func releasedNow(on device: String) -> (messages: Set<MessageID>, conversations: Set<ConversationID>) {
    unsettled(on: device).reduce(into: ([], [])) { released, act in
      switch act {
      case .retry(let id, let conversation, _):
        released.messages.insert(id)
        released.conversations.insert(conversation)
      case .retryConversation(let conversation): released.conversations.insert(conversation)
      case .answer(.send, let held): released.messages.formUnion(held.flatMap(\.ids))
      default: break
      }
    }
  }

  /// What the user is taking back or deleting.
  func isGoingNow(_ id: MessageID, on device: String) -> Bool {
    mayBeWithdrawn(id, on: device)
      || unsettled(on: device).contains { act in
        if case .change(id, .delete, _) = act { true } else { false }
      }
  }
}
