import HoldfastCore
import HoldfastHTTP

/// The engine's ID that the content of a message claims.
///
/// Every client can write any ID, and a client that forwards a message copies what it does not know. So a claim holds only
/// in the room and from the sender that it names itself. Which of two claims that hold came first, the engine's store
/// knows: the second message has the event's name as its ID.
struct MatrixClaim: Sendable, Hashable {
  let id: MessageID
  /// Nil in messages of earlier versions, as ``sender`` is.
  private let room: String?
  private let sender: String?
  /// The transaction under which this device has sent the event, as the server says. Nil for other devices' events.
  private let transaction: String?

  /// Nil when the content claims no ID. The name of an event is no claim, because it is that event's.
  init?(_ content: JSONFields, _ event: JSONFields) {
    guard let claimed = content.word(MatrixMessage.Key.id), !claimed.hasPrefix("$"),
      MessageID.isWellFormed(claimed)
    else { return nil }
    id = MessageID(rawValue: claimed)
    (room, sender) = (content.text(MatrixMessage.Key.room), content.text(MatrixMessage.Key.sender))
    transaction = event.object("unsigned")?.text("transaction_id")
  }

  /// Whether the ID is that of a message in this room, from this sender.
  ///
  /// - Parameter account: the account that reads it. Its own messages from earlier versions are known by their IDs.
  func holds(in room: String, by sender: UserID, for account: UserID) -> Bool {
    if sender == account, let transaction { return transaction == id.rawValue }
    if self.room == nil, self.sender == nil { return sender == account }
    return self.room == room && self.sender == sender.rawValue
  }
}

extension JSONFields {
  /// The name of an event. Nil when the field has none.
  func event(_ name: String) -> String? {
    word(name).flatMap { $0.hasPrefix("$") && MessageID.isWellFormed($0) ? $0 : nil }
  }
}
