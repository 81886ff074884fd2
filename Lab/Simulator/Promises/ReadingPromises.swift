import Holdfast
import Synchronization

/// The read marks of users, and the states that the server and all phones must have in the end (rule B13).
final class ReadingPromises: Sendable {
  struct Place: Hashable, Sendable {
    var user: UserID
    var conversation: ConversationID
  }

  private struct State {
    /// The messages that a call has marked as read up to.
    var begun: [Place: Set<MessageID>] = [:]
    /// The messages among them whose call has returned.
    var kept: [Place: Set<MessageID>] = [:]
  }
  private let state = Mutex(State())

  func begin(_ message: MessageID, by user: UserID, in conversation: ConversationID) {
    let place = Place(user: user, conversation: conversation)
    state.withLock { _ = $0.begun[place, default: []].insert(message) }
  }

  func keep(_ message: MessageID, by user: UserID, in conversation: ConversationID) {
    let place = Place(user: user, conversation: conversation)
    state.withLock { _ = $0.kept[place, default: []].insert(message) }
  }

  func begun(in conversation: ConversationID) -> [UserID: Set<MessageID>] {
    state.withLock { Self.of(conversation, $0.begun) }
  }

  func kept(in conversation: ConversationID) -> [UserID: Set<MessageID>] {
    state.withLock { Self.of(conversation, $0.kept) }
  }

  private static func of(
    _ conversation: ConversationID, _ places: [Place: Set<MessageID>]
  ) -> [UserID: Set<MessageID>] {
    places.reduce(into: [:]) { if $1.key.conversation == conversation { $0[$1.key.user] = $1.value } }
  }
}

extension WorldOutcome {
  /// The read marks of one conversation: on the server, on each phone, and as the members asked for.
  struct Reading: Sendable {
    /// By reader: the message at the mark.
    var server: [UserID: MessageID] = [:]
    /// By phone: the readers of each row.
    var phones: [(device: String, user: UserID, readBy: [MessageID: [UserID]])] = []
    /// By phone: the number of unread messages. Omitted for a phone that lacks messages.
    var unread: [(device: String, user: UserID, count: Int)] = []
    var begun: [UserID: Set<MessageID>] = [:]
    var kept: [UserID: Set<MessageID>] = [:]
  }
}

extension Invariants {
  /// Each user's mark is at the newest message that the user has read, and all phones show it.
  static func readMarksArrive(_ outcome: WorldOutcome) -> [Violation] {
    outcome.conversations.flatMap { conversation -> [Violation] in
      let order = Dictionary(
        conversation.server.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
      let reading = conversation.reading
      return marksAreKept(reading, conversation.id, order) + marksAreShown(conversation, order)
    }
  }

  private static func marksAreKept(
    _ reading: WorldOutcome.Reading, _ conversation: ConversationID, _ order: [MessageID: Int]
  ) -> [Violation] {
    var violations: [Violation] = []
    for (user, messages) in reading.kept.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let newest = messages.compactMap { order[$0] }.max() ?? -1
      let mark = reading.server[user].flatMap { order[$0] } ?? -1
      guard mark < newest else { continue }
      violations.append(
        Violation(
          promise: "what is read is reported",
          expected: "\(user) to have read message \(newest) of \(conversation)",
          found: "message \(mark)"))
    }
    for (user, message) in reading.server.sorted(by: { $0.key.rawValue < $1.key.rawValue })
    where reading.begun[user]?.contains(message) != true {
      violations.append(
        Violation(
          promise: "nothing is read by itself", expected: "no mark of \(user) at \(message)", found: "it"))
    }
    return violations
  }

  private static func marksAreShown(
    _ conversation: WorldOutcome.Conversation, _ order: [MessageID: Int]
  ) -> [Violation] {
    let marks = conversation.reading.server.compactMapValues { order[$0] }
    var violations: [Violation] = []
    for phone in conversation.reading.phones {
      for row in conversation.server {
        guard let shown = phone.readBy[row.id], let place = order[row.id] else { continue }
        let readers = marks.filter {
          $0.value >= place && $0.key != row.sender.account && $0.key != phone.user
        }.keys
          .sorted { $0.rawValue < $1.rawValue }
        guard shown != readers else { continue }
        violations.append(
          Violation(
            promise: "read marks are shown",
            expected: "\(row.id) to be read by \(readers) on \(phone.device)", found: "\(shown)"))
      }
    }
    for phone in conversation.reading.unread {
      let mark = marks[phone.user] ?? -1
      let expected = conversation.server.enumerated().count {
        $0.offset > mark && $0.element.sender != phone.user && !$0.element.isDeleted
      }
      guard phone.count != expected else { continue }
      violations.append(
        Violation(
          promise: "unread messages are counted",
          expected: "\(expected) unread in \(conversation.id) on \(phone.device)", found: "\(phone.count)"))
    }
    return violations
  }
}
