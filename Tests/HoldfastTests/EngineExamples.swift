import Foundation

@testable import Holdfast

/// Examples for tests of the engine; a test calls them `eg`.
enum EngineExample {
  static let conversation: ConversationID = "alice-bob"
  static let key = DraftKey(conversation: conversation)
  static let user: UserID = "alice"
  static let other: UserID = "bob"
  static let date = Date(timeIntervalSince1970: 1_767_225_600)

  static func incoming(
    _ id: MessageID, in conversation: ConversationID = conversation, from sender: UserID = other,
    _ body: String = "hi", reasoning: String? = nil, order: Int64? = 1, at date: Date = date
  ) -> IncomingMessage {
    IncomingMessage(
      id: id, conversation: conversation, sender: sender, body: body, reasoning: reasoning, order: order,
      createdAt: date)
  }

  static func receipt(
    _ id: MessageID, in conversation: ConversationID = conversation, order: Int64? = 1, at date: Date = date
  ) -> Receipt {
    Receipt(id: id, conversation: conversation, order: order, createdAt: date)
  }

  static func piece(
    _ sequence: Int64, _ text: String = "", reasoning: String = "", of id: MessageID = "answer",
    in conversation: ConversationID = conversation, from sender: UserID = other
  ) -> StreamPiece {
    StreamPiece(
      id: id, conversation: conversation, sender: sender, sequence: sequence, text: text,
      reasoning: reasoning)
  }

  static func entry(_ position: Int64, attempts: Int = 0) -> OutboxEntry {
    OutboxEntry(
      position: position, id: MessageID(rawValue: "m\(position)"), attempts: attempts, unanswered: 0)
  }

  static let rejection = FailureReason(.rejected, "No.")
}

extension Transaction {
  /// Stores a message as the only one of its event.
  func take(_ message: IncomingMessage, now: Date) throws -> Reconciler.Decision {
    var arrivals = Arrivals()
    let decision = try take(message, among: &arrivals, now: now)
    try note(arrivals, now: now)
    return decision
  }
}
