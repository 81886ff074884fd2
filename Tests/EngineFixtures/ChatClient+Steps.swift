import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore
import HoldfastTransport
import Testing

private typealias eg = EngineExample

/// Steps of the server and of the lane, for tests without a backend. Each is one transaction.
extension ChatClient {
  /// Stores the server's version of these messages, each as the only item of its event.
  package nonisolated func takeIn(_ messages: IncomingMessage..., now: Date = eg.date) throws {
    try takeIn(messages, now: now)
  }

  package nonisolated func takeIn(_ messages: [IncomingMessage], now: Date = eg.date) throws {
    try store.write { for message in messages { _ = try $0.messages.apply(message, now: now) } }
  }

  /// Stores messages of the other user, named `m1`, `m2` and so on, with these orders.
  package nonisolated func takeIn(orders: ClosedRange<Int>) throws {
    try takeIn(orders.map { eg.incoming(MessageID(rawValue: "m\($0)"), order: Int64($0)) })
  }

  /// Stores the server's version of a conversation.
  package nonisolated func takeIn(_ conversation: IncomingConversation) throws {
    try store.write {
      try $0.conversations.confirm(conversation, as: $0.key(of: conversation.id), now: eg.date)
    }
  }

  /// Stores the first piece of a message that is being written.
  package nonisolated func takeIn(_ piece: StreamPiece) throws {
    try store.write { try $0.streams.begin(piece, in: $0.key(of: piece.conversation), now: eg.date) }
  }

  /// Confirms the message: the server has it.
  package nonisolated func confirm(
    _ id: MessageID, in conversation: ConversationID = eg.conversation, order: Int64 = 1,
    at date: Date = eg.date
  ) throws {
    try store.write {
      try $0.messages.confirm(id, in: $0.key(of: conversation), order: order, createdAt: date)
    }
  }

  /// Sends a message of the user that the server then has.
  package nonisolated func delivered(_ text: String, order: Int64 = 1) throws -> MessageID {
    let id = try send(text, in: eg.conversation)
    try confirm(id, order: order)
    return id
  }

  package nonisolated func fail(_ id: MessageID, because reason: FailureReason = eg.rejection) throws {
    try store.write { try $0.outbox.fail(id, in: eg.conversation.key, reason: reason) }
  }

  /// Marks the conversation as refused: the server accepts nothing for it.
  package nonisolated func refuse(
    _ conversation: ConversationID = eg.conversation, because reason: FailureReason = eg.rejection
  ) throws {
    try store.write { try $0.conversations.refuse($0.key(of: conversation), reason: reason) }
  }

  /// Holds the waiting messages of the conversation, as after a day without a connection.
  package nonisolated func hold() throws { try store.write { try $0.outbox.hold(eg.conversation.key) } }

  package nonisolated func transmit(_ ids: MessageID..., at reading: Int64 = 0) throws {
    try store.writeUnsynced { for id in ids { try $0.outbox.countTransmission(of: id, at: reading) } }
  }

  /// Returns the messages to the outbox after the end of a connection.
  ///
  /// - Parameter isRefused: whether the server has said that it does not have them.
  package nonisolated func comeBack(_ ids: MessageID..., isRefused: Bool) throws {
    try store.writeUnsynced { try $0.outbox.forgetTransmissions(ids, areRefused: isRefused) }
  }

  /// Sets the number of attempts that were made for the message.
  package nonisolated func spend(_ attempts: Int, of id: MessageID) throws {
    try store.write { try $0.outbox.setAttempts(attempts, of: id) }
  }

  /// Indexes everything for the search, as `run()` would, in many small steps.
  package nonisolated func index() throws {
    while try store.write({ try $0.search.indexNext(limit: 7, maximumBytes: 100) }) {}
  }

  /// Evicts all messages that an eviction may remove.
  package nonisolated func evictAll() throws {
    try store.write {
      _ = try $0.history.evict(try $0.history.evictable(behind: 0, limit: 1000).filter(\.isFree))
    }
  }
}

/// The code of the error that is thrown. Nil when no error is thrown.
package func failureCode(_ body: () async throws -> Void) async -> ChatError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? ChatError)?.code
  }
}
