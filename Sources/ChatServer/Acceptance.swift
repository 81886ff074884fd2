import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

/// Decides about the messages of one `send` frame, in order, inside the frame's transaction. The operations among them
/// are decided by the same steps; what they do is in `OperationAcceptance.swift`, and how conversations are found and made
/// in `ConversationAcceptance.swift`.
///
/// ```
/// known id, same sender and conversation ─► receipt again
/// predecessor not accepted ───────────────► gap        (nothing else is looked at)
/// id of somebody else ────────────────────► rejected
/// account too fast ───────────────────────► busy
/// text, role, names not in order ─────────► rejected
/// an attachment is not here ──────────────► missing
/// conversation not in order ──────────────► rejected
/// otherwise ──────────────────────────────► numbered or carried out, stored, logged: receipt
/// ```
struct Acceptance {
  /// What a frame led to, once its transaction is on disk.
  struct Outcome: Sendable {
    var receipts: [Wire.ReceiptItem] = []
    var refusals: [Wire.Refused] = []
    /// The new events, in the log's order.
    var entries: [LogEntry] = []
    /// What nobody needs any more. Their files may go.
    var unneeded: [AttachmentChecksum] = []
  }

  let sender: UserID
  let limits: Limits
  /// The server's date in milliseconds. It is stored and shown, and orders nothing.
  let at: Int64
  let conversations: Conversations
  let messages: Messages
  let operations: Operations
  let reactions: Reactions
  let accounts: Accounts
  private let uploads: Uploads
  let log: EventLog
  /// Whether somebody else is writing a message with this ID, and has told it with the pieces.
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

  /// - Parameter retryAfter: how long the sender must wait when it is too fast; nil when it may send.
  mutating func take(_ message: Wire.Outgoing, retryAfter: Duration?) throws {
    let standing = try standing(of: message)
    if case .taken(let receipt) = standing { return outcome.receipts.append(receipt) }
    guard try predecessorIsAccepted(message) else {
      outcome.refusals.append(.init(id: message.id, handover: message.handover, kind: .gap))
      return
    }
    if case .anothers = standing {
      return refuse(message, .rejected, "This message's ID belongs to another message.")
    }
    if let retryAfter { return putOff(message, for: retryAfter) }
    if let operation = message.operation { return try take(operation, as: message) }
    guard contentsAreInOrder(message), try attachmentsAreHere(message),
      var conversation = try conversation(for: message)
    else { return }
    try store(message, in: &conversation)
    known[ConversationID(rawValue: conversation.id)] = conversation
  }

  /// Gives the receipt again of what the server has already. Stores nothing. Returns whether it has it.
  mutating func takeAgain(_ message: Wire.Outgoing) throws -> Bool {
    guard case .taken(let receipt) = try standing(of: message) else { return false }
    outcome.receipts.append(receipt)
    return true
  }

  /// What the server has under a message's ID.
  private enum Standing {
    case new
    /// The message itself, with the receipt that it got.
    case taken(Wire.ReceiptItem)
    /// Something else, or something that is being written.
    case anothers
  }

  private func standing(of message: Wire.Outgoing) throws -> Standing {
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

  /// Whether the message at this place is of this sender and in this conversation.
  private func isTheSame(_ place: Messages.Place, _ message: Wire.Outgoing) -> Bool {
    place.sender == sender && place.conversation == ConversationID(rawValue: message.conversation)
  }

  private func isTheSame(_ accepted: Operations.Accepted, _ message: Wire.Outgoing) -> Bool {
    message.operation.map { MessageID(rawValue: $0.target) == accepted.message } == true
      && accepted.sender == sender
      && accepted.conversation == ConversationID(rawValue: message.conversation)
  }

  /// Refuses the message and answers false when its ID, role or text cannot be taken.
  private mutating func contentsAreInOrder(_ message: Wire.Outgoing) -> Bool {
    guard idIsInOrder(message) else { return false }
    if MessageRole(rawValue: message.role) == nil {
      refuse(message, .rejected, "The server does not know this message's role.")
    } else if let answered = message.replyTo, !MessageID.isWellFormed(answered) {
      refuse(message, .rejected, "What this message answers is no message's ID.")
    } else if longestPart(of: message) > limits.maximumMessageBytes {
      refuse(message, .tooLong, "This message is longer than the server accepts.")
    } else {
      return true
    }
    return false
  }

  private func longestPart(of message: Wire.Outgoing) -> Int {
    max(message.body.utf8.count, message.reasoning?.utf8.count ?? 0, message.formatting?.count ?? 0)
  }

  mutating func idIsInOrder(_ message: Wire.Outgoing) -> Bool {
    guard MessageID.isWellFormed(message.id) else {
      refuse(message, .rejected, "This message's ID is not one the server accepts.")
      return false
    }
    return true
  }

  /// Refuses the message and answers false when its sender has not brought all of its attachments. Whoever else has
  /// brought them counts for nothing: to know a checksum is not to have the file.
  private mutating func attachmentsAreHere(_ message: Wire.Outgoing) throws -> Bool {
    let attachments = message.attachments ?? []
    guard !attachments.isEmpty else { return true }
    guard attachments.count <= limits.maximumAttachmentsPerMessage,
      attachments.allSatisfy({ Attachment($0).map(Wire.AttachmentItem.init) == $0 })
    else {
      refuse(message, .rejected, "This message's attachments are not what the server accepts.")
      return false
    }
    for attachment in attachments {
      let checksum = AttachmentChecksum(rawValue: attachment.checksum)
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
      body: message.body, reasoning: message.reasoning, order: conversation.lastOrder, at: at,
      replyTo: message.replyTo, formatting: message.formatting,
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

  /// A message that was changed is told anew to everybody, in its present state.
  mutating func announce(_ id: String, in conversation: ConversationRecord) throws {
    outcome.entries.append(
      LogEntry(
        cursor: try log.append(conversation: conversation.id, message: id),
        item: .init(message: try messages.item(id)), audience: conversation.members))
  }

  /// A message that is deleted has no attachments any more.
  mutating func detach(_ id: String) throws {
    outcome.unneeded += try uploads.detach(from: id, of: sender)
  }

  mutating func accept(_ message: Wire.Outgoing, _ accepted: Operations.Accepted) throws {
    try operations.insert(message.id, accepted)
    outcome.receipts.append(accepted.receipt(message.id))
  }

  /// It has nothing to do with the message: whoever sends it comes again after `retryAfter`.
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
