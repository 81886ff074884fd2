import Foundation
import HoldfastCore
import HoldfastTransport

/// The conversations of one event's messages. Each conversation is updated once for the event, not once for each
/// message: a page may have hundreds of messages.
package struct Arrivals {
  /// The conversations that the server has.
  package var confirmed: Set<ConversationKey> = []
  /// The conversations that move to the top of the list, the last one highest.
  private(set) var touched: [ConversationKey] = []
  /// Conversations with a message that was not stored: it was evicted, deleted here, or is older than the horizon.
  package private(set) var skipped: Set<ConversationKey> = []
  /// Whether the server provides older messages, so that the stored messages may begin in the middle.
  package var tracksHistory = false
  private var known: Set<ConversationKey> = []
  /// The place of the next older message without a number, when the messages are a page of older ones. Nil when they
  /// are new.
  private var olderPlace: Int64?

  package init() {}

  /// A page of `count` older messages. Messages without numbers go before the message at `place`, in their order.
  package init(older count: Int, before place: Int64) { olderPlace = place - 2 * Int64(count) }

  /// Whether the messages were requested.
  fileprivate var isFetched: Bool { olderPlace != nil }

  /// The place of the next older message without a number. Nil when the messages are new.
  fileprivate mutating func nextOlderPlace() -> Int64? {
    defer { olderPlace? += 2 }
    return olderPlace
  }

  fileprivate mutating func skip(_ conversation: ConversationKey) { skipped.insert(conversation) }

  /// Returns whether this is the first message for its conversation.
  fileprivate mutating func isFirst(in conversation: ConversationKey) -> Bool {
    known.insert(conversation).inserted
  }

  fileprivate mutating func touch(_ conversation: ConversationKey) {
    guard touched.last != conversation else { return }
    touched.removeAll { $0 == conversation }
    touched.append(conversation)
  }
}

extension IncomingMessage {
  /// Whether the message was changed after it was sent.
  fileprivate var isChanged: Bool {
    revision > 0 || editedAt != nil || deletedAt != nil || !reactions.isEmpty
  }
}

extension MessageRows where Access == Transaction {
  /// Stores one incoming message, as the reconciler decides. ``note(_:now:)`` updates its conversation.
  package func apply(
    _ message: inout IncomingMessage, in conversation: ConversationKey, by user: UserID,
    among arrivals: inout Arrivals, now: Date
  ) throws -> Reconciler.Decision {
    try setApart(&message, in: conversation)
    let naming = try naming(of: message, in: conversation)
    guard naming != .isTaken else { return .refuse }
    if message.serverID != nil { message.content.replyTo = try message.content.replyTo.map(knownID) }
    if case .of(let id) = naming { message.id = id }
    var known = try known(message.id)
    // A message that was set aside when its conversation was emptied is changed there, so that Undo shows the
    // change.
    if let stored = known?.conversation { known?.conversation = localDeletions.origin(of: stored) }
    var decision = Reconciler.decide(
      known: known, incoming: message, in: conversation, user: user)
    let olderPlace = arrivals.nextOlderPlace()
    if decision == .insert,
      try db.deletions.isForgotten(message, in: conversation, by: user, isFetched: arrivals.isFetched)
        || (arrivals.tracksHistory && !arrivals.isFetched
          && db.history.begin(with: message, in: conversation))
    {
      decision = .ignore
      arrivals.skip(conversation)
    }
    if decision != .refuse, try isCopy(message) { decision = .ignore }
    switch decision {
    case .insert:
      try insert(message, in: conversation, at: olderPlace, among: &arrivals, now: now)
    case .replace:
      if let known { try db.streams.remove(message.id, in: known.conversation) }
      try insert(message, in: conversation, at: olderPlace, among: &arrivals, now: now)
    case .confirm:
      try confirm(
        message.id, in: conversation, order: message.order, createdAt: message.createdAt)
      try placeReceived(message, in: conversation, at: olderPlace)
      if message.isChanged { try db.operations.applyState(of: message, in: conversation) }
      arrivals.confirmed.insert(conversation)
    case .finish:
      try db.streams.confirm(
        message.id, in: conversation, content: message.content.storable, order: message.order,
        createdAt: message.createdAt)
      try placeReceived(message, in: conversation, at: olderPlace)
      try takeAttachments(of: message, now: now)
      if message.isChanged { try db.operations.applyState(of: message, in: conversation) }
      arrivals.touch(conversation)
    case .update:
      try db.operations.applyState(of: message, in: conversation)
      if let known { try noteServerHas(message, in: conversation, known: known, at: olderPlace) }
    case .ignore: if let known { try noteServerHas(message, in: conversation, known: known, at: olderPlace) }
    case .refuse: return decision
    }
    try keep(naming, message.serverID, of: message.id, in: conversation)
    try db.operations.carryOutWaiting(for: message.id, message.serverID, by: user)
    return decision
  }

  /// - Parameter place: the place of an older message without a number. Nil for a new message.
  private func insert(
    _ message: IncomingMessage, in conversation: ConversationKey, at place: Int64?,
    among arrivals: inout Arrivals, now: Date
  ) throws {
    if !arrivals.isFetched, arrivals.isFirst(in: conversation) {
      try db.conversations.create(conversation, title: nil, members: [message.sender], now: now)
      try db.deletions.restoreHead(of: conversation)
    }
    try insert(
      message.id, in: conversation, sender: message.sender, role: message.role,
      content: message.content.storable, order: message.order,
      place: try self.place(received: message.order, in: conversation, older: place),
      createdAt: message.createdAt
    )
    try takeAttachments(of: message, now: now)
    if message.isChanged { try db.operations.applyState(of: message, in: conversation) }
    arrivals.confirmed.insert(conversation)
    if !arrivals.isFetched { arrivals.touch(conversation) }
  }

  /// Stores the acknowledgement of an operation. Returns whether it was accepted. An acknowledgement of an operation
  /// that is not waiting counts as accepted.
  package func accept(
    _ receipt: Receipt, in conversation: ConversationKey, by user: UserID
  ) throws -> Bool {
    guard let pending = try db.operations.pending(receipt.id) else { return true }
    guard Reconciler.decide(pending: pending, receipt: receipt, in: conversation) == .confirm else {
      return false
    }
    try db.operations.accept(pending, receipt, by: user)
    return true
  }

  /// Stores the attachments of a message, whose files are fetched later. Malformed and repeated attachments, and
  /// those beyond the limit of one message, are left out.
  private func takeAttachments(of message: IncomingMessage, now: Date) throws {
    var attachments: [ChatAttachment] = []
    for attachment in message.attachments.prefix(ChatAttachment.mostReceived).compactMap(\.sanitized)
    where !attachments.contains(where: { $0.id == attachment.id }) {
      attachments.append(attachment)
    }
    guard !attachments.isEmpty, message.deletedAt == nil else { return }
    for attachment in attachments { try db.attachments.insert(attachment, isHere: false, now: now) }
    try db.attachments.set(attachments, named: message.attachmentServerIDs, of: .message(message.id))
  }

  /// Updates the conversations in which messages have arrived.
  package func note(_ arrivals: Arrivals, now: Date) throws {
    for conversation in arrivals.confirmed.sorted(by: { $0.rawValue < $1.rawValue }) {
      try db.conversations.markConfirmed(conversation)
    }
    for conversation in arrivals.touched { try db.conversations.touch(conversation, now: now) }
  }
}
