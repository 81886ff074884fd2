import Holdfast
import Simulator
import Synchronization

/// Counts and records a run while it happens: the faults, the texts that phones were asked to send, and the
/// violations.
final class TortureTally: Sendable {
  struct Counts: Sendable, Codable, Equatable {
    /// Texts that a phone reported as accepted.
    var sent = 0
    /// Texts whose phone died before it could report. They may exist or not.
    var unanswered = 0
    var drafts = 0
    var restores = 0
    var launches = 0
    var kills = 0
    var relayKills = 0
    var stops = 0
    var relayStops = 0
    /// Times that the phone's own switch turned the network off and on again.
    var flaps = 0
    var cuts = 0
    var silences = 0
  }

  private struct State {
    var counts = Counts()
    var messages: [TortureOutcome.Sent] = []
    var restored: [TortureOutcome.Restored] = []
    var violations: [Violation] = []
  }

  private let state = Mutex(State())

  var counts: Counts { state.withLock { $0.counts } }
  var violations: [Violation] { state.withLock { $0.violations } }
  /// The texts, in the order in which each phone was to send them.
  var messages: [TortureOutcome.Sent] { state.withLock { $0.messages } }
  var restored: [TortureOutcome.Restored] { state.withLock { $0.restored } }

  func count(_ what: WritableKeyPath<Counts, Int>) { state.withLock { $0.counts[keyPath: what] += 1 } }

  func fail(_ violation: Violation) { state.withLock { $0.violations.append(violation) } }

  /// Records that a text is about to be passed to its phone.
  func attempt(_ text: String, on phone: String) {
    state.withLock { $0.messages.append(.init(phone: phone, text: text, certainty: .unanswered)) }
  }

  /// Records the phone's answer to its last text.
  func conclude(_ certainty: TortureOutcome.Certainty, on phone: String) {
    state.withLock { state in
      switch certainty {
      case .taken: state.counts.sent += 1
      case .unanswered: state.counts.unanswered += 1
      case .refused: break
      }
      guard let index = state.messages.lastIndex(where: { $0.phone == phone }) else { return }
      state.messages[index].certainty = certainty
    }
  }

  /// Records that a failed message was tapped. From now on the message is after those that wait.
  func retried(_ text: String) {
    state.withLock { state in
      guard let index = state.messages.firstIndex(where: { $0.text == text }) else { return }
      state.messages[index].keepsOrder = false
    }
  }

  /// Records the text in a composer after a launch.
  func restored(_ text: String, on phone: String) {
    state.withLock { state in
      state.counts.restores += 1
      if !text.isEmpty { state.restored.append(.init(phone: phone, text: text)) }
    }
  }
}
