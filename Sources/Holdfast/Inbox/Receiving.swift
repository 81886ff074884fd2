import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Takes in what the server says, for as long as the connection lives. Each event is one transaction: it
  /// is stored together with the cursor, or not at all.
  package func receive(from connection: any TransportConnection) async throws {
    while !Task.isCancelled {
      try apply(try await connection.receive())
    }
  }

  private func apply(_ event: TransportEvent) throws {
    switch event {
    case .ready:
      linkState.ready()
      publishLink()
      try askAboutHeld()
    case .items(let items, let cursor): try store(items, cursor: cursor)
    case .receipts(let receipts): try confirm(receipts)
    case .refused(let id, let handover, let refusal): try refused(id, handover: handover, refusal)
    case .piece(let piece):
      // What a server still has of one that is written here may go beyond what is stored, and be written anew by now.
      if buffers[piece.id]?.isWrittenHere != true { try receive(underCurrentID(piece)) }
    }
  }

  private func store(_ items: [IncomingItem], cursor: SyncCursor?) throws {
    let (now, uptime) = (environment.now(), environment.uptime())
    var settled: [(conversation: ConversationID, id: MessageID)] = []
    var finished: [MessageID] = []
    let newlyDelivered = try store.write { transaction in
      var arrivals = Arrivals()
      var delivered: [MessageID] = []
      for item in items {
        switch underCurrentID(item) {
        case .conversation(let conversation):
          guard conversation.id.isWellFormed else { continue }
          try transaction.confirmConversation(conversation, now: now)
        case .message(let message):
          switch try transaction.take(message, by: user, among: &arrivals, now: now) {
          case .confirm:
            settled.append((message.conversation, message.id))
            delivered.append(message.id)
          case .finish:
            settled.append((message.conversation, message.id))
            finished.append(message.id)
          case .replace: finished.append(message.id)
          case .refuse:
            logger.warning("message refused: its ID is known under another sender or conversation")
          case .insert, .update, .ignore: break
          }
        }
      }
      try transaction.note(arrivals, now: now)
      try transaction.count(DeliveryTimes.metric, deliveryTimes.buckets(of: delivered, now: uptime))
      if let cursor { try transaction.setCursor(cursor) }
      return delivered.count
    }
    followRenames()
    followDeletions()
    for id in finished { endStream(id) }
    settle(settled, delivered: newlyDelivered)
    if items.contains(where: \.hasAttachments) { fetchSignal.raise() }
  }

  /// The server's word that it has messages, by a receipt or because it was asked.
  func confirm(_ receipts: [Receipt]) throws {
    let (now, uptime) = (environment.now(), environment.uptime())
    var settled: [(conversation: ConversationID, id: MessageID)] = []
    let newlyDelivered = try store.write { transaction in
      var arrivals = Arrivals()
      var delivered: [MessageID] = []
      for receipt in receipts.map(underCurrentID) {
        let known = try transaction.knownMessage(receipt.id)
        let isConfirmed = Reconciler.decide(known: known, receipt: receipt) == .confirm
        // A receipt that cannot be right settles nothing: the message would leave again at once, for ever.
        let isSettled =
          try isConfirmed || (known?.isUnconfirmed != true && transaction.accept(receipt, by: user))
        if isSettled { settled.append((receipt.conversation, receipt.id)) }
        guard isConfirmed else { continue }
        try transaction.confirmMessage(
          receipt.id, in: receipt.conversation, order: receipt.order, createdAt: receipt.createdAt)
        arrivals.confirmed.insert(receipt.conversation)
        delivered.append(receipt.id)
      }
      try transaction.note(arrivals, now: now)
      try transaction.count(DeliveryTimes.metric, deliveryTimes.buckets(of: delivered, now: uptime))
      return delivered.count
    }
    followRenames()
    settle(settled, delivered: newlyDelivered)
  }
}

extension IncomingItem {
  fileprivate var hasAttachments: Bool {
    if case .message(let message) = self { !message.attachments.isEmpty } else { false }
  }
}
