import HoldfastCore
import HoldfastStore

/// This user's read marks, on their way to the server (SPEC B13).
///
/// Only the newest mark of a conversation matters, and a server can take it twice. So marks are not in the outbox: the
/// conversation's row has the mark, and whether the server has told it back.
///
/// ```
///   markRead ──► pending ── sent, once a second at most ──► told back by the server ──► (done)
///                   ▲                │
///                   └── 30 s, or another connection
/// ```
final class ReadMarks: Sendable {
  /// The time in which further marks are collected, while the user scrolls.
  private static let pause: Duration = .seconds(1)
  /// The time after which a mark that has not come back is sent again.
  private static let repetition: Duration = .seconds(30)

  private let context: EngineContext
  private let signal = Signal()

  init(_ context: EngineContext) {
    self.context = context
    _ = context.store.changes.subscribe(signal, to: { $0.readMarks || $0.isForeign })
  }

  func move(in conversation: ConversationID, upTo message: MessageID?) throws(ChatError) {
    let isCarried = context.transport.guarantees.carriesReadMarks
    try context.store.write { transaction in
      let conversation = transaction.current(conversation)
      try transaction.requireConversation(conversation)
      let isOnDevice = try context.isOnDevice(conversation, transaction)
      try transaction.moveReadMark(in: conversation, upTo: message, isPending: isCarried && !isOnDevice)
    }
  }

  /// Sends pending marks for as long as the connection lives.
  func run(over connection: any TransportConnection) async throws {
    let environment = context.environment
    var sent: [ConversationID: Int64] = [:]
    while !Task.isCancelled {
      let pending = try context.store.read { try $0.pendingReadMarks(of: context.user) }
      for item in pending where sent[item.mark.conversation] != item.place {
        try await connection.send(item.mark)
        sent[item.mark.conversation] = item.place
      }
      let sentAt = environment.uptime()
      await context.wait(for: signal, until: pending.isEmpty ? nil : sentAt + Self.repetition)
      if environment.uptime() >= sentAt + Self.repetition { sent = [:] }
      try await environment.sleep(max(environment.uptime(), sentAt + Self.pause))
    }
  }
}
