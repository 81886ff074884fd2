import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

/// Decides about the messages of one `send` frame, in order, inside the frame's transaction. Operations take the
/// same steps. Their effects are in `OperationAcceptance.swift`, and conversations are found and made in
/// `ConversationAcceptance.swift`.
///
/// ```
/// known id, same sender and conversation ─► receipt again
/// predecessor not accepted ───────────────► gap        (no further checks)
/// id of another message ──────────────────► rejected
/// account too fast ───────────────────────► busy
/// account has stored too much ────────────► rejected   (except a deletion)
/// invalid text, role or names ────────────► rejected
/// an attachment is not here ──────────────► missing
/// invalid conversation ───────────────────► rejected
/// otherwise ──────────────────────────────► numbered or carried out, stored, logged: receipt
/// ```
struct Acceptance {
  /// The effects of a frame, to apply once its transaction is on disk.
  struct Outcome: Sendable {
    var receipts: [Wire.ReceiptItem] = []
    var refusals: [Wire.Refused] = []
    /// The new events, in the log's order.
    var entries: [LogEntry] = []
    /// Attachments that are no longer needed. Their files may be deleted.
    var unneeded: [ChatAttachment.Checksum] = []
  }

  let sender: UserID
  let limits: Limits
  /// The server's date in milliseconds since 1970. It is stored and shown, and not used for ordering.
  let at: Int64
  let conversations: Conversations
  let messages: Messages
  let operations: Operations
  let reactions: Reactions
  let accounts: Accounts
  private let uploads: Uploads
  let log: EventLog
  /// Whether another account is streaming a message with this ID.
  private let isTaken: (MessageID) -> Bool
  /// The conversations of this frame, read once.
  var known: [ConversationID: ConversationRecord] = [:]
  var outcome = Outcome()

  init(
    sender: UserID, limits: Limits, at: Int64, db: Database, isTaken: @escaping (MessageID) -> Bool
  ) {
    self.sender = sender
    self.limits = limits
    self.at = at
    conversations = Conversations(db: db)
    messages = Messages(db: db)
    operations = Operations(db: db)
    reactions = Reactions(db: db)
    accounts = Accounts(db: db)
    uploads = Uploads(db: db)
    log = EventLog(db: db)
    self.isTaken = isTaken
  }

  /// - Parameter retryAfter: the time that the sender must wait because of the rate limit. Nil when it may send.
  mutating func accept(_ message: Wire.Outgoing, retryAfter: Duration?) throws {
    let status = try status(of: message)
    if case .taken(let receipt) = status { return outcome.receipts.append(receipt) }
    guard try predecessorIsAccepted(message) else {
      outcome.refusals.append(.init(id: message.id, handover: message.handover, kind: .gap))
      return
    }
    if case .anothers = status {
      return refuse(message, .rejected, "This message's ID belongs to another message.")
    }
    if let retryAfter { return putOff(message, for: retryAfter) }
    guard try hasRoom(for: message) else { return }
    if let operation = message.operation { return try accept(operation, as: message) }
    guard contentsAreInOrder(message), try attachmentsAreHere(message),
      var conversation = try conversation(for: message)
    else { return }
    try store(message, in: &conversation)
    known[ConversationID(rawValue: conversation.id)] = conversation
  }

  /// Refuses the message and returns false when its sender has stored as much as an account may. A deletion is never
  /// refused.
  private mutating func hasRoom(for message: Wire.Outgoing) throws -> Bool {
    guard message.operation?.kind != MessageOperation.Kind.delete.rawValue,
      try accounts.storedBytes(of: sender) >= limits.maximumStoredBytes
    else { return true }
    refuse(
      message, .rejected,
      "You have stored as much as the server keeps for you. Delete messages or files first.")
    return false
  }

  /// Repeats the receipt if the server already has the message. Stores nothing. Returns whether the server has the
  /// message.
  mutating func acceptAgain(_ message: Wire.Outgoing) throws -> Bool {
    guard case .taken(let receipt) = try status(of: message) else { return false }
    outcome.receipts.append(receipt)
    return true
  }

  /// The state of a message's ID on the server.
  private enum IDStatus {
    case new
    /// The message itself is stored, with this receipt.
    case taken(Wire.ReceiptItem)
    /// The ID belongs to something else, or to a message that is being streamed.
    case anothers
  }

  private func status(of message: Wire.Outgoing) throws -> IDStatus {
    guard MessageID.isWellFormed(message.id) else { return .new }
    let place = try messages.place(of: message.id)
    if message.operation == nil, let place, isTheSame(place, message) {
      return .taken(
        .init(id: message.id, conversation: place.conversation.rawValue, order: place.order, at: place.at))
    }
    let accepted = try operations.accepted(message.id)
    if let accepted, isTheSame(accepted, message) { return .taken(accepted.receipt(message.id)) }
    let isGiven = place != nil || accepted != nil
    return isGiven || isTaken(MessageID(rawValue: message.id)) ? .anothers : .new
  }

  private func predecessorIsAccepted(_ message: Wire.Outgoing) throws -> Bool {
    guard let predecessor = message.predecessor else { return true }
    guard MessageID.isWellFormed(predecessor) else { return false }
    if let place = try messages.place(of: predecessor) { return isTheSame(place, message) }
    guard let operation = try operations.accepted(predecessor) else { return false }
    return operation.sender == sender
      && operation.conversation == ConversationID(rawValue: message.conversation)
  }

  /// Whether the stored message has the same sender and conversation.
  private func isTheSame(_ place: Messages.Place, _ message: Wire.Outgoing) -> Bool {
    place.sender == sender && place.conversation == ConversationID(rawValue: message.conversation)
  }

  private func isTheSame(_ accepted: Operations.Accepted, _ message: Wire.Outgoing) -> Bool {
    message.operation.map { MessageID(rawValue: $0.target) == accepted.message } == true
      && accepted.sender == sender
      && accepted.conversation == ConversationID(rawValue: message.conversation)
  }

  /// Refuses the message and returns false when its ID, role, reply target, request or text is invalid.
  private mutating func contentsAreInOrder(_ message: Wire.Outgoing) -> Bool {
    guard idIsInOrder(message) else { return false }
    if MessageRole(rawValue: message.role) == nil {
      refuse(message, .rejected, "The server does not know this message's role.")
    } else if message.assistant.map(UserID.isAssistantName) == false {
      refuse(message, .rejected, "The name of the assistant is not valid.")
    } else {
      return contentFits(message)
    }
    return false
  }

  /// Refuses the message and returns false when its content is not acceptable.
  mutating func contentFits(_ message: Wire.Outgoing) -> Bool {
    switch message.content.problem(atMost: limits.maximumMessageBytes) {
    case nil: return true
    case .malformedReplyTo: refuse(message, .rejected, "The ID of the answered message is not valid.")
    case .malformedRequest: refuse(message, .rejected, "The ID of the answered request is not valid.")
    case .textTooLong, .formattingTooLong, .reasoningTooLong:
      refuse(message, .tooLong, "This message is longer than the server accepts.")
    case .metadataTooLarge:
      refuse(message, .tooLong, "This message has more metadata than the server accepts.")
    case .referencesTooLarge:
      refuse(message, .tooLong, "This message has more or longer references than the server accepts.")
    }
    return false
  }

  mutating func idIsInOrder(_ message: Wire.Outgoing) -> Bool {
    guard MessageID.isWellFormed(message.id) else {
      refuse(message, .rejected, "This message's ID is not one the server accepts.")
      return false
    }
    return true
  }

  /// Refuses the message and returns false when its sender has not uploaded all of its attachments. Uploads of
  /// other accounts do not count: knowing a checksum is not having the file.
  private mutating func attachmentsAreHere(_ message: Wire.Outgoing) throws -> Bool {
    let attachments = message.attachments ?? []
    guard !attachments.isEmpty else { return true }
    guard attachments.count <= limits.maximumAttachmentsPerMessage,
      attachments.allSatisfy({ ChatAttachment($0).map(Wire.AttachmentItem.init) == $0 })
    else {
      refuse(message, .rejected, "This message's attachments are not what the server accepts.")
      return false
    }
    for attachment in attachments {
      let checksum = ChatAttachment.Checksum(rawValue: attachment.checksum)
      guard let upload = try uploads.find(checksum, of: sender), upload.isWhole,
        upload.byteCount == attachment.bytes
      else {
        outcome.refusals.append(.init(id: message.id, handover: message.handover, kind: .missing))
        return false
      }
    }
    return true
  }

  private mutating func store(_ message: Wire.Outgoing, in conversation: inout ConversationRecord) throws {
    conversation.lastOrder += 1
    let item = Wire.MessageItem(
      id: message.id, conversation: conversation.id, sender: sender.rawValue, role: message.role,
      assistant: message.assistant, content: message.content, order: conversation.lastOrder, at: at,
      attachments: message.attachments.flatMap { $0.isEmpty ? nil : $0 })
    try messages.insert(item)
    try uploads.attach(item.attachments ?? [], to: item.id, of: sender)
    try conversations.setLastOrder(item.order, of: conversation.id)
    outcome.entries.append(
      LogEntry(
        cursor: try log.append(conversation: conversation.id, message: item.id),
        item: .init(message: item), audience: conversation.members))
    outcome.receipts.append(
      .init(id: item.id, conversation: conversation.id, order: item.order, at: at))
  }

  /// Announces a changed message to all members, in its present state.
  mutating func announce(_ id: String, in conversation: ConversationRecord) throws {
    outcome.entries.append(
      LogEntry(
        cursor: try log.append(conversation: conversation.id, message: id),
        item: .init(message: try messages.item(id)), audience: conversation.members))
  }

  /// Removes the attachments of a deleted message.
  mutating func detach(_ id: String) throws {
    outcome.unneeded += try uploads.detach(from: id, of: sender)
  }

  mutating func accept(_ message: Wire.Outgoing, _ accepted: Operations.Accepted) throws {
    try operations.insert(message.id, accepted)
    outcome.receipts.append(accepted.receipt(message.id))
  }

  /// Asks the sender to retry after `retryAfter`. The message itself is not at fault.
  mutating func putOff(_ message: Wire.Outgoing, for retryAfter: Duration) {
    outcome.refusals.append(
      .init(
        id: message.id, handover: message.handover, kind: .busy, retryAfter: retryAfter.wireMilliseconds))
  }

  mutating func refuse(_ message: Wire.Outgoing, _ code: FailureReason.Code, _ explanation: String) {
    outcome.refusals.append(
      .init(
        id: message.id, handover: message.handover, kind: .rejected, code: code.rawValue,
        explanation: explanation))
  }
}
