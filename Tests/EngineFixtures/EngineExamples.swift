import Foundation
import GRDB
import HoldfastCore

@testable import HoldfastStore
@testable import HoldfastTransport

/// Examples for tests of the engine. Tests name them `eg`.
package enum EngineExample {
  package static let conversation: ConversationID = "alice-bob"
  package static let key = DraftKey(conversation: conversation.key)
  package static let user: UserID = "alice"
  package static let other: UserID = "bob"
  package static let date = Date(timeIntervalSince1970: 1_767_225_600)

  package static func incoming(
    _ id: MessageID, in conversation: ConversationID = conversation, from sender: UserID = other,
    _ body: String = "hi", reasoning: String? = nil, order: Int64? = 1, at date: Date = date,
    revision: Int64 = 0, editedAt: Date? = nil, deletedAt: Date? = nil,
    reactions: [IncomingMessage.Reaction] = [], serverID: String? = nil
  ) -> IncomingMessage {
    IncomingMessage(
      id: id, conversation: conversation, sender: sender, content: MessageContent(body, reasoning: reasoning),
      order: order,
      createdAt: date, revision: revision, editedAt: editedAt, deletedAt: deletedAt, reactions: reactions,
      serverID: serverID)
  }

  package static func receipt(
    _ id: MessageID, in conversation: ConversationID = conversation, order: Int64? = 1, at date: Date = date,
    revision: Int64? = nil, serverID: String? = nil
  ) -> Receipt {
    Receipt(
      id: id, conversation: conversation, order: order, createdAt: date, revision: revision,
      serverID: serverID)
  }

  package static func piece(
    _ sequence: Int64, _ text: String = "", reasoning: String = "", of id: MessageID = "answer",
    in conversation: ConversationID = conversation, from sender: UserID = other
  ) -> StreamPiece {
    StreamPiece(
      id: id, conversation: conversation, sender: sender, sequence: sequence, text: text,
      reasoning: reasoning)
  }

  package static func entry(_ position: Int64, attempts: Int = 0) -> OutboxEntry {
    OutboxEntry(
      position: position, id: MessageID(rawValue: "m\(position)"), attempts: attempts, unanswered: 0)
  }

  package static let rejection = FailureReason(.rejected, "No.")
}

extension ConversationID {
  /// The key of a conversation that still has its first ID.
  package var key: ConversationKey { ConversationKey(rawValue: rawValue) }
}

extension MessageRows where Access == Transaction {
  /// Stores a message as the only item of its event.
  package func apply(_ message: IncomingMessage, now: Date) throws -> Reconciler.Decision {
    var (arrivals, message) = (Arrivals(), message)
    let decision = try apply(
      &message, in: db.key(of: message.conversation), by: EngineExample.user, among: &arrivals, now: now)
    try note(arrivals, now: now)
    return decision
  }
}

/// The outbox by ID, for tests that act as the lane.
extension OutboxRows where Access == Transaction {
  package func fail(_ id: MessageID, in conversation: ConversationKey, reason: FailureReason) throws {
    guard let (entry, _) = try entry(of: id) else { return }
    try fail(entry, in: conversation, reason: reason)
  }

  package func setAttempts(_ attempts: Int, of id: MessageID) throws {
    guard let (entry, _) = try entry(of: id) else { return }
    try setAttempts(attempts, of: entry)
  }

  package func forgetTransmissions(_ ids: [MessageID], areRefused: Bool) throws {
    let flights = try ids.compactMap { try entry(of: $0)?.entry }.map {
      OutboxLane.Flight(position: $0.position, id: $0.id, transmission: 1, sentAt: .zero)
    }
    try forgetTransmissions(flights, areRefused: areRefused)
  }

  package func countTransmission(of id: MessageID, at reading: Int64 = 0) throws {
    guard let (entry, _) = try entry(of: id) else { return }
    try countTransmissions([entry.position], at: reading)
  }
}

extension OutboxRows {
  package func attempts(of id: MessageID) throws -> Int? { try entry(of: id)?.entry.attempts }

  package func isOnItsWay(_ id: MessageID) throws -> Bool {
    try entry(of: id).map { try isOnItsWay($0.entry) } ?? false
  }
}
