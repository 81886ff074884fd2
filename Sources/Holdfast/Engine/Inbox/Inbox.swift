import HoldfastCore
import HoldfastStore

/// Takes in the events of a connection. Each event is one transaction: it is stored together with the cursor, or not
/// at all.
final class Inbox {
  private let context: EngineContext
  private let outbox: Outbox
  private let replies: Replies
  private let link: Link
  private let held: HeldQuestion
  private let erasing: ErasingChore
  private let fetches: Fetches.Door

  private var store: Store { context.store }

  init(
    _ context: EngineContext, outbox: Outbox, replies: Replies, link: Link, held: HeldQuestion,
    erasing: ErasingChore, fetches: Fetches.Door
  ) {
    self.context = context
    (self.outbox, self.replies, self.link, self.held) = (outbox, replies, link, held)
    (self.erasing, self.fetches) = (erasing, fetches)
  }

  /// Takes in events for as long as the connection lives.
  nonisolated(nonsending) func run(over connection: any TransportConnection) async throws {
    while !Task.isCancelled { try apply(try await connection.receive()) }
  }

  func apply(_ event: TransportEvent) throws {
    switch event {
    case .ready:
      link.ready()
      try held.askIfAny()
    case .items(let items, let cursor): try take(items, cursor: cursor)
    case .receipts(let receipts): try outbox.confirm(receipts)
    case .refused(let id, let handover, let refusal):
      try outbox.refused(id, handover: handover, refusal)
    case .piece(let piece): try replies.receive(piece)
    }
  }

  private func take(_ items: [IncomingItem], cursor: SyncCursor?) throws {
    let (now, uptime) = (context.environment.now(), context.environment.uptime())
    var settled: [(conversation: ConversationID, id: MessageID)] = []
    var finished: [MessageID] = []
    let newlyDelivered = try store.write { transaction in
      var arrivals = Arrivals()
      var delivered: [MessageID] = []
      let onDevice = try transaction.conversationsOnDevice()
      for item in items {
        switch store.aliases.underCurrentID(item) {
        case .conversation(let conversation):
          guard conversation.id.isWellFormed, !onDevice.contains(conversation.id) else { continue }
          try transaction.confirmConversation(conversation, now: now)
        case .readMark(let mark):
          guard mark.conversation.isWellFormed, mark.reader.isWellFormed, mark.message.isWellFormed,
            !onDevice.contains(mark.conversation)
          else { continue }
          try transaction.take(mark, by: context.user)
        case .message(let message):
          guard !onDevice.contains(message.conversation) else {
            context.logger.warning("message refused: its conversation is kept on this device alone")
            continue
          }
          switch try transaction.take(message, by: context.user, among: &arrivals, now: now) {
          case .confirm:
            settled.append((message.conversation, message.id))
            delivered.append(message.id)
          case .finish:
            settled.append((message.conversation, message.id))
            finished.append(message.id)
          case .replace: finished.append(message.id)
          case .refuse:
            context.logger.warning("message refused: its ID is known under another sender or conversation")
          case .insert, .update, .ignore: break
          }
        }
      }
      try transaction.note(arrivals, now: now)
      try transaction.count(
        DeliveryTimes.metric, context.deliveryTimes.buckets(of: delivered, now: uptime))
      if let cursor { try transaction.setCursor(cursor) }
      return delivered.count
    }
    outbox.followRenames()
    erasing.followDeletions()
    replies.followDeletions()
    for id in finished { replies.end(id) }
    outbox.settle(settled, delivered: newlyDelivered)
    if items.contains(where: \.hasAttachments) { fetches.ring() }
  }
}

extension IncomingItem {
  fileprivate var hasAttachments: Bool {
    if case .message(let message) = self { !message.attachments.isEmpty } else { false }
  }
}
