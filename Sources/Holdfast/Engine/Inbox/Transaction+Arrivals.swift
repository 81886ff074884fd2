import Foundation
import HoldfastCore
import HoldfastStore

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
    let known = try db.knownMessage(message.id)
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
    guard let pending = try db.pendingOperation(receipt.id) else { return true }
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
