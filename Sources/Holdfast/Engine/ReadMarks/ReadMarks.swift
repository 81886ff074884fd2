import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// This user's read marks, on their way to the server as read receipts (rule B13).
///
/// Only the newest mark of a conversation matters, and a mark is idempotent. So marks are not in the outbox: the
/// conversation's row has the mark, and whether the server has echoed it.
///
/// ```
///   markRead ──► pending ── sent, once a second at most ──► echoed by the server ──► (done)
///                   ▲                │
///                   └── 30 s and longer, or another connection
/// ```
final class ReadMarks: Sendable {
  /// The time in which further marks are collected, while the user scrolls.
  private static let pause: Duration = .seconds(1)
  /// The time after which a mark without an echo is sent again. It doubles each time, because a server may never echo
  /// a mark.
  private static let repetition: Duration = .seconds(30)

  /// A mark that was sent on this connection.
  private struct Sent {
    var place: Int64
    var again: ChatEnvironment.Instant
    var delay: Duration
  }

  private let context: EngineContext
  private let signal = Signal()

  init(_ context: EngineContext) {
    self.context = context
    _ = context.store.changes.subscribe(signal, to: { $0.readMarks || $0.isForeign })
  }

  func move(in conversation: ConversationKey, upTo message: MessageID?) throws(ChatError) {
    try context.store.write { transaction in
      let conversation = try transaction.conversations.require(conversation)
      try transaction.readMarks.move(
        in: conversation, upTo: message, isPending: try areSent(in: conversation, transaction))
    }
  }

  /// Whether the members of a conversation receive this user's marks.
  func areSent(in conversation: ConversationKey) throws(ChatError) -> Bool {
    try context.store.read { try areSent(in: conversation, $0) }
  }

  private func areSent(in conversation: ConversationKey, _ reading: Reading) throws -> Bool {
    guard context.transport.capabilities.supportsReadReceipts else { return false }
    return try !context.isOnDevice(conversation, reading)
  }

  /// Sends pending marks for as long as the connection lives.
  func run(over connection: any TransportConnection) async throws {
    let environment = context.environment
    var sent: [ConversationID: Sent] = [:]
    while !Task.isCancelled {
      let now = environment.uptime()
      let pending = try context.store.read { try $0.readMarks.pending(of: context.user) }
      for item in pending {
        let last = sent[item.mark.conversation].flatMap { $0.place == item.place ? $0 : nil }
        if let last, last.again > now { continue }
        try await connection.send(item.mark)
        let delay = last.map { $0.delay * 2 } ?? Self.repetition
        sent[item.mark.conversation] = Sent(place: item.place, again: now + delay, delay: delay)
      }
      let next = pending.compactMap { sent[$0.mark.conversation]?.again }.min()
      await context.wait(for: signal, until: next)
      try await environment.sleep(max(environment.uptime(), now + Self.pause))
    }
  }
}
