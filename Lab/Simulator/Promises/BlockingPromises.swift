import Holdfast
import HoldfastTesting
import Synchronization

/// The blocked conversations (rule O8), by device: those that the server refuses, and, in a world of strict order,
/// those with a failed message. They are kept outside the engine, from the states that its snapshots have shown.
///
/// Events of one moment of the world may be seen in any order. A message that is sent in the very moment in which it
/// should begin to wait may already have been in flight.
final class BlockingPromises: Sendable {
  /// A message that was sent after another message, which was shown failed.
  private struct Suspect {
    var id: MessageID
    var failed: MessageID
  }
  private struct Device {
    /// The time since which each conversation is known to be refused.
    var refused: [ConversationID: Duration] = [:]
    /// The time of the server's last announcement of each conversation.
    var announced: [ConversationID: Duration] = [:]
    /// The time since which each message is known to have failed.
    var failed: [ConversationID: [MessageID: Duration]] = [:]
    var suspects: [Suspect] = []
  }
  private struct State {
    var devices: [String: Device] = [:]
    /// By operation: the messages that were queued before it.
    var before: [MessageID: Set<MessageID>] = [:]
  }
  private let state = Mutex(State())

  // MARK: Observations

  /// Records whether a conversation is refused, as stored at this moment. Returns the promise that this breaks, if
  /// any.
  ///
  /// - Parameter mayBeLifted: whether the user is asking the server again, or may be.
  func look(
    at conversation: ConversationID, isRefused: Bool, mayBeLifted: Bool, on device: String, at now: Duration
  ) -> Violation? {
    state.withLock { state in
      let wasRefused = state.devices[device]?.refused[conversation] != nil
      if isRefused {
        let isBeingAnnounced = state.devices[device]?.announced[conversation] == now
        if !wasRefused, !isBeingAnnounced {
          state.devices[device, default: Device()].refused[conversation] = now
        }
        return nil
      }
      state.devices[device]?.refused[conversation] = nil
      guard wasRefused, !mayBeLifted else { return nil }
      return Violation(
        promise: "a refused conversation is blocked",
        expected: "\(conversation) to be refused on \(device)",
        found: "it is not, and nobody has asked or announced it")
    }
  }

  /// Records the messages of a conversation that have failed, as stored at this moment. Returns a violation for each
  /// message that was sent after one of them.
  func look(
    at conversation: ConversationID, failed: [MessageID], on device: String, at now: Duration
  ) -> [Violation] {
    state.withLock { state in
      var seen = state.devices[device, default: Device()]
      let known = seen.failed[conversation] ?? [:]
      seen.failed[conversation] = Dictionary(uniqueKeysWithValues: failed.map { ($0, known[$0] ?? now) })
      // A message that is no longer known to have failed was on the server, or its user has released it.
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

  /// Records that the server announces a conversation to a device, which opens it again.
  func noteAnnounced(_ conversation: ConversationID, on device: String, at now: Duration) {
    state.withLock { state in
      state.devices[device, default: Device()].announced[conversation] = now
      state.devices[device]?.refused[conversation] = nil
    }
  }

  // MARK: User actions

  /// Records that the user has asked the server for a conversation again.
  func lift(_ conversation: ConversationID, on device: String) {
    state.withLock { $0.devices[device]?.refused[conversation] = nil }
  }

  /// Records that the user has released a failed message.
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

  /// Records that an operation waits after these messages of its conversation.
  func noteOperation(_ id: MessageID, behind messages: [MessageID]) {
    state.withLock { $0.before[id] = Set(messages) }
  }

  /// Records that a message was moved to the end of the queue.
  func noteMoved(_ id: MessageID) {
    state.withLock { state in
      for operation in state.before.keys { state.before[operation]?.remove(id) }
    }
  }

  func isOperation(_ id: MessageID, behind message: MessageID) -> Bool {
    state.withLock { $0.before[id]?.contains(message) == true }
  }

  // MARK: Transmissions

  func isRefused(_ conversation: ConversationID, on device: String, before now: Duration) -> Bool {
    state.withLock { $0.devices[device]?.refused[conversation].map { $0 < now } ?? false }
  }

  func failed(in conversation: ConversationID, on device: String, before now: Duration) -> [MessageID] {
    state.withLock { state in
      (state.devices[device]?.failed[conversation] ?? [:]).filter { $0.value < now }.map(\.key)
        .sorted { $0.rawValue < $1.rawValue }
    }
  }

  /// Records that a message is sent after a message that was shown failed. An echo of the failed message may have
  /// arrived in this very moment.
  func suspect(_ id: MessageID, behind failed: MessageID, on device: String) {
    state.withLock { $0.devices[device]?.suspects.append(Suspect(id: id, failed: failed)) }
  }
}

extension Promises {
  /// Whether an entry of the outbox, a message or an operation, is after a message of its conversation.
  func isBehind(_ id: MessageID, _ message: MessageID, in conversation: ConversationID, on device: String)
    -> Bool
  {
    if blocking.isOperation(id, behind: message) { return true }
    let sent = sent(by: device, in: conversation).filter(\.hasPlace).map(\.id)
    guard let first = sent.firstIndex(of: message), let second = sent.firstIndex(of: id) else { return false }
    return first < second
  }

  /// The messages and conversations that the user is releasing at this moment, in calls that have not returned, or
  /// whose result is unknown.
  func releasedNow(on device: String) -> (messages: Set<MessageID>, conversations: Set<ConversationID>) {
    actsInProgress(on: device).reduce(into: ([], [])) { released, act in
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

  /// Whether the user is taking a message back or deleting it.
  func isGoingNow(_ id: MessageID, on device: String) -> Bool {
    mayBeWithdrawn(id, on: device)
      || actsInProgress(on: device).contains { act in
        if case .change(id, .delete, _) = act { true } else { false }
      }
  }
}
