import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Takes in the events of a connection. Each event is one transaction: it is stored together with the cursor, or not
/// at all. An item about a whole conversation is a transaction of its own, because drafts take part in it. After a
/// crash before the event's cursor is stored, the server sends the event again, which changes nothing.
final class Inbox {
  private let context: EngineContext
  private let drafts: Drafts
  private let outbox: Outbox
  private let replies: Replies
  private let link: Link
  private let held: HeldPrompt
  /// Notified of each commit, in this order.
  private let followers: [any InboxFollower]

  private var store: Store { context.store }

  init(
    _ context: EngineContext, drafts: Drafts, outbox: Outbox, replies: Replies, link: Link,
    held: HeldPrompt, followers: [any InboxFollower]
  ) {
    (self.context, self.drafts) = (context, drafts)
    (self.outbox, self.replies, self.link, self.held) = (outbox, replies, link, held)
    self.followers = followers
  }

  /// Takes in events for as long as the connection lives.
  nonisolated(nonsending) func run(over connection: any TransportConnection) async throws {
    while !Task.isCancelled { try apply(try await connection.receive()) }
  }

  func apply(_ event: TransportEvent) throws {
    outbox.hear(isAnswer: event.isAnswer)
    if event.isHeard { link.heard() }
    switch event {
    case .ready:
      link.ready()
      try held.askIfAny()
    case .items(let items, let cursor): try applyInTurn(items, cursor: cursor)
    case .receipts(let receipts): try outbox.confirm(receipts)
    case .refused(let id, let transmission, let refusal):
      try outbox.refused(id, transmission: transmission, refusal)
    case .piece(let piece): try replies.receive(piece)
    }
  }

  /// Takes in a message that did not come over the connection. Returns whether it is new.
  func apply(_ message: IncomingMessage) throws -> Bool {
    let outcome = try apply([.message(message)], cursor: nil)
    guard !outcome.isRefused else {
      throw ChatError(
        .malformedID,
        "The message cannot be the server's: an ID, its order or its conversation is not possible.")
    }
    return outcome.isNew
  }

  /// Takes in the items of an event: each one about a whole conversation by itself, and the items between together.
  private func applyInTurn(_ items: [IncomingItem], cursor: SyncCursor?) throws {
    var waiting: [IncomingItem] = []
    func applyWaiting() throws {
      if !waiting.isEmpty { try apply(waiting, cursor: nil) }
      waiting = []
    }
    for item in items {
      switch item {
      case .conversation(let conversation) where hasOtherNames(conversation):
        try applyWaiting()
        try name(conversation)
        waiting.append(item)
      case .removed(let conversation):
        try applyWaiting()
        try remove(conversation)
      case .conversation, .message, .operation, .readMark: waiting.append(item)
      }
    }
    try apply(waiting, cursor: cursor)
  }

  /// Whether one of the conversation's earlier IDs means another conversation here.
  private func hasOtherNames(_ conversation: IncomingConversation) -> Bool {
    let key = store.names.key(of: conversation.id)
    return conversation.earlierIDs.contains { store.names.key(of: $0) != key }
  }

  /// Gives a conversation the server's ID, under whichever earlier one it is known here.
  func name(_ conversation: IncomingConversation) throws {
    guard conversation.id.isWellFormed else { return }
    for earlier in conversation.earlierIDs where earlier.isWellFormed {
      let (key, isKnown) = try store.read { db in
        let key = try db.key(of: earlier)
        guard try key != db.key(of: conversation.id) else { return (key, false) }
        return (key, try db.conversations.isHere(key) || store.deletions.value.horizons[key] != nil)
      }
      guard isKnown, try store.read({ try !$0.conversations.isOnDevice(key) }) else { continue }
      try drafts.rename(earlier, to: conversation.id) { _, _ in }
      context.logger.info("conversation named by the server")
    }
    followers.follow(InboxOutcome())
  }

  /// Removes a conversation that was removed on the server.
  private func remove(_ conversation: ConversationID) throws {
    let key = store.key(of: conversation)
    guard conversation.isWellFormed,
      try store.read({ try $0.conversations.isHere(key) && !$0.conversations.isOnDevice(key) })
    else {
      return
    }
    let aside = ConversationKey(rawValue: context.environment.makeID())
    try? replies.storeDue(all: true)
    try drafts.withdraw(key) { try $0.deletions.remove(key, erasing: aside) }
    followers.follow(InboxOutcome(hasRemoved: true))
    store.changes.publish(Changes(list: true, scenes: true))
    context.logger.info("conversation removed by the server")
  }

  @discardableResult
  private func apply(_ items: [IncomingItem], cursor: SyncCursor?) throws -> InboxOutcome {
    let outcome = try store.write { transaction in
      var arrivals = Arrivals()
      arrivals.tracksHistory = context.transport.capabilities.carriesHistory
      let outcome = try apply(items, transaction, &arrivals)
      try noteLeftOut(items, transaction)
      if let cursor { try transaction.settings.setCursor(cursor) }
      return outcome
    }
    followers.follow(outcome)
    return outcome
  }

  /// Takes in a requested page of older messages, with the place before it. Returns whether it has brought something
  /// new. Nothing of it is stored when the conversation has changed since the request: messages were evicted, or it
  /// was emptied, so that there would be a gap after the page.
  ///
  /// - Throws: ``HistoryPage/Refusal`` when something in it is another conversation's.
  func apply(_ page: HistoryPage, of conversation: ConversationKey, in state: HistoryState) throws -> Bool {
    // The server may use a name of the conversation that is not known here yet.
    let isForeign = try store.read { db in
      try page.items.contains { item in
        let key = try db.key(of: item.conversation)
        return key != conversation ? try db.conversations.isHere(key) : false
      }
    }
    guard !isForeign else {
      context.logger.warning("older messages refused: some are another conversation's")
      throw HistoryPage.Refusal.rejected(FailureReason(.historyNotLoaded))
    }
    let outcome = try store.writeUnsynced { transaction -> InboxOutcome? in
      guard try transaction.history.state(of: conversation) == state else { return nil }
      let name = transaction.name(of: conversation)
      let named = page.items.compactMap { $0.named(name) }
      let items = page.beginsWithNewest ? try older(named, of: conversation, transaction) : named
      var arrivals = Arrivals(
        older: items.count { $0.message != nil }, before: try transaction.history.firstPlace(in: conversation)
      )
      let outcome = try apply(items, transaction, &arrivals)
      try transaction.history.note(of: conversation, upTo: page.before, from: items.firstOrder)
      return outcome
    }
    guard let outcome else { return false }
    followers.follow(outcome)
    return outcome.isNew
  }

  /// A page that begins with the newest message, without the messages that are not older than those that are here.
  /// Where messages have no order, only the server's events place the newer messages, and these events will follow.
  private func older(
    _ items: [IncomingItem], of conversation: ConversationKey, _ transaction: Transaction
  ) throws -> [IncomingItem] {
    guard items.contains(where: { $0.message.map { $0.order == nil } ?? false }),
      try transaction.history.hasServerMessages(in: conversation)
    else { return items }
    func isPlaced(_ item: IncomingItem) throws -> Bool? {
      try item.message.map { try transaction.history.isPlaced($0, in: conversation) }
    }
    // The contiguous messages that are here end the page. A change may have brought an older one before.
    var end = try items.lastIndex { try isPlaced($0) == true } ?? 0
    while end > 0, try isPlaced(items[end - 1]) != false { end -= 1 }
    return items.enumerated().filter { $0.element.message == nil || $0.offset < end }.map(\.element)
  }

  private func apply(
    _ items: [IncomingItem], _ transaction: Transaction, _ arrivals: inout Arrivals
  ) throws -> InboxOutcome {
    let (now, uptime) = (context.environment.now(), context.environment.uptime())
    var outcome = InboxOutcome(mayHaveAttachments: items.contains(where: \.hasAttachments))
    let onDevice = try transaction.conversations.onDevice()
    for item in items {
      try apply(item, transaction, onDevice, &arrivals, &outcome, now: now)
    }
    try transaction.messages.note(arrivals, now: now)
    try transaction.metrics.add(
      DeliveryTimes.metric, context.deliveryTimes.buckets(of: outcome.delivered, now: uptime))
    outcome.skipped = arrivals.skipped
    return outcome
  }

  /// Stores where the history of a first connection begins. The server keeps the older messages.
  private func noteLeftOut(_ items: [IncomingItem], _ transaction: Transaction) throws {
    for case .conversation(let conversation) in items {
      guard conversation.hasOlder, conversation.id.isWellFormed else { continue }
      let received = items.filter { $0.conversation == conversation.id }
      let key = transaction.key(of: conversation.id)
      // A page that was fetched before the first connection was complete reaches further back.
      if try transaction.history.hasFetched(received.compactMap(\.message), in: key) { continue }
      try transaction.history.noteLeftOut(of: key, before: conversation.history, from: received.firstOrder)
    }
  }

  private func apply(
    _ item: IncomingItem, _ transaction: Transaction, _ onDevice: Set<ConversationKey>,
    _ arrivals: inout Arrivals, _ outcome: inout InboxOutcome, now: Date
  ) throws {
    switch item {
    case .conversation(let conversation):
      let key = transaction.key(of: conversation.id)
      guard conversation.id.isWellFormed, !onDevice.contains(key) else { return }
      try transaction.conversations.confirm(conversation, as: key, now: now)
    case .readMark(let mark):
      let key = transaction.key(of: mark.conversation)
      guard mark.conversation.isWellFormed, mark.reader.isWellFormed, mark.message.isWellFormed,
        !onDevice.contains(key)
      else { return }
      try transaction.readMarks.apply(mark, in: key, by: context.user, now: now)
    case .operation(let operation):
      let key = transaction.key(of: operation.conversation)
      guard operation.conversation.isWellFormed, !onDevice.contains(key) else { return }
      switch try transaction.operations.apply(operation, in: key, by: context.user) {
      case .refused:
        context.logger.warning("operation refused: it is malformed, or an edit of another sender's message")
      case .carriedOut where operation.operation.kind == .delete:
        outcome.deleted.append(try transaction.messages.knownID(operation.operation.target))
      case .carriedOut, .waits, .nothing: break
      }
    case .removed: break
    case .message(var message):
      let key = transaction.key(of: message.conversation)
      guard !onDevice.contains(key) else {
        outcome.isRefused = true
        return context.logger.warning("message refused: its conversation is kept on this device alone")
      }
      let decision = try transaction.messages.apply(
        &message, in: key, by: context.user, among: &arrivals, now: now)
      outcome.note(decision, message, in: key)
      if decision == .refuse {
        context.logger.warning("message refused: its ID or its name is known as another message's")
      }
    }
  }
}

extension [IncomingItem] {
  /// The lowest order of the messages among the items. Nil when none has an order.
  fileprivate var firstOrder: Int64? {
    compactMap(\.message).filter(Reconciler.isPlausible).compactMap(\.order).min()
  }
}

extension IncomingItem {
  fileprivate var message: IncomingMessage? {
    if case .message(let message) = self { message } else { nil }
  }

  /// The same under another name of its conversation. Nil when it is about the conversation as a whole.
  fileprivate func named(_ name: ConversationID) -> IncomingItem? {
    switch self {
    case .message(var message):
      message.conversation = name
      return .message(message)
    case .operation(var operation):
      operation.conversation = name
      return .operation(operation)
    case .readMark(var mark):
      mark.conversation = name
      return .readMark(mark)
    case .conversation, .removed: return nil
    }
  }

  fileprivate var hasAttachments: Bool { message?.attachments.isEmpty == false }

  fileprivate var conversation: ConversationID {
    switch self {
    case .conversation(let conversation): conversation.id
    case .message(let message): message.conversation
    case .operation(let operation): operation.conversation
    case .readMark(let mark): mark.conversation
    case .removed(let conversation): conversation
    }
  }
}

extension TransportEvent {
  /// Whether the event is a response of the server. A missing answer is not.
  fileprivate var isHeard: Bool {
    switch self {
    case .ready, .refused(_, _, .outcomeUnknown): false
    case .items, .piece, .receipts, .refused: true
    }
  }

  /// Whether the event is an answer to a transmitted message.
  fileprivate var isAnswer: Bool {
    switch self {
    case .receipts, .refused: true
    case .ready, .items, .piece: false
    }
  }
}
