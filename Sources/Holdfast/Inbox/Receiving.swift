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

/// What the messages of one event mean for their conversations. Noted once for each of them, and not for each
/// message: a page may bring hundreds.
package struct Arrivals {
  /// The server has these.
  var confirmed: Set<ConversationID> = []
  /// These move to the top of the list, the last one highest.
  private(set) var touched: [ConversationID] = []
  private var known: Set<ConversationID> = []

  /// Returns whether it is the first message for its conversation.
  mutating func isFirst(in conversation: ConversationID) -> Bool { known.insert(conversation).inserted }

  mutating func touch(_ conversation: ConversationID) {
    guard touched.last != conversation else { return }
    touched.removeAll { $0 == conversation }
    touched.append(conversation)
  }
}

extension IncomingMessage {
  /// Something was done to it since it was sent.
  fileprivate var isChanged: Bool {
    revision > 0 || editedAt != nil || deletedAt != nil || !reactions.isEmpty
  }
}

extension Transaction {
  /// Stores one incoming message, as the reconciler decides. What it means for its conversation is left to
  /// ``note(_:now:)``.
  package func take(
    _ message: IncomingMessage, by user: UserID, among arrivals: inout Arrivals, now: Date
  ) throws -> Reconciler.Decision {
    let known = try knownMessage(message.id)
    var decision = Reconciler.decide(known: known, incoming: message, user: user)
    if decision == .insert, try isForgotten(message) { decision = .ignore }
    switch decision {
    case .insert:
      try insert(message, among: &arrivals, now: now)
    case .replace:
      if let known { try removeStream(message.id, in: known.conversation) }
      try insert(message, among: &arrivals, now: now)
    case .confirm:
      try confirmMessage(
        message.id, in: message.conversation, order: message.order, createdAt: message.createdAt)
      if message.isChanged { try takeState(of: message) }
      arrivals.confirmed.insert(message.conversation)
    case .finish:
      try confirmStream(
        message.id, in: message.conversation, body: message.body.storable,
        reasoning: message.reasoning?.storable, order: message.order, createdAt: message.createdAt)
      try setContext(of: message.id, replyTo: message.replyTo, formatting: message.formatting)
      try takeAttachments(of: message, now: now)
      if message.isChanged { try takeState(of: message) }
      arrivals.touch(message.conversation)
    case .update: try takeState(of: message)
    case .ignore, .refuse: break
    }
    return decision
  }

  private func insert(_ message: IncomingMessage, among arrivals: inout Arrivals, now: Date) throws {
    if arrivals.isFirst(in: message.conversation) {
      try createConversation(message.conversation, title: nil, members: [message.sender], now: now)
      try restoreHead(of: message.conversation)
    }
    try insertMessage(
      message.id, in: message.conversation, sender: message.sender, role: message.role,
      body: message.body.storable, reasoning: message.reasoning?.storable, order: message.order,
      place: try place(order: message.order, in: message.conversation), createdAt: message.createdAt)
    try setContext(of: message.id, replyTo: message.replyTo, formatting: message.formatting)
    try takeAttachments(of: message, now: now)
    if message.isChanged { try takeState(of: message) }
    arrivals.confirmed.insert(message.conversation)
    arrivals.touch(message.conversation)
  }

  /// The receipt of something that is no message in the outbox: an operation, or nothing that is waited for. Returns
  /// whether the lane need not wait for it any more.
  package func accept(_ receipt: Receipt, by user: UserID) throws -> Bool {
    guard let pending = try pendingOperation(receipt.id) else { return true }
    guard Reconciler.decide(pending: pending, receipt: receipt) == .confirm else { return false }
    try accept(pending, receipt, by: user)
    return true
  }

  /// Their files are fetched later. What makes no sense, comes twice, or is too much for one message is left out.
  private func takeAttachments(of message: IncomingMessage, now: Date) throws {
    var attachments: [Attachment] = []
    for attachment in message.attachments.prefix(Attachment.mostReceived).compactMap(\.sanitized)
    where !attachments.contains(where: { $0.id == attachment.id }) {
      attachments.append(attachment)
    }
    guard !attachments.isEmpty, message.deletedAt == nil else { return }
    for attachment in attachments { try insertAttachment(attachment, isHere: false, now: now) }
    try setAttachments(attachments, of: .message(message.id))
  }

  /// Brings the conversations up to date with what arrived in them.
  package func note(_ arrivals: Arrivals, now: Date) throws {
    for conversation in arrivals.confirmed.sorted(by: { $0.rawValue < $1.rawValue }) {
      try markConversationConfirmed(conversation)
    }
    for conversation in arrivals.touched { try touch(conversation, now: now) }
  }
}

extension IncomingItem {
  fileprivate var hasAttachments: Bool {
    if case .message(let message) = self { !message.attachments.isEmpty } else { false }
  }
}
