import Foundation
import GRDB
import Holdfast

/// Decides about the messages of one `send` frame, in order, inside the frame's transaction.
///
/// ```
/// known id, same sender and conversation ─► receipt again
/// predecessor not accepted ───────────────► gap        (nothing else is looked at)
/// id of somebody else ────────────────────► rejected
/// account too fast ───────────────────────► busy
/// text, role, names not in order ─────────► rejected
/// an attachment is not here ──────────────► missing
/// conversation not in order ──────────────► rejected
/// otherwise ──────────────────────────────► numbered, stored, logged: receipt
/// ```
struct Acceptance {
  /// What a frame led to, once its transaction is on disk.
  struct Outcome: Sendable {
    var receipts: [Wire.ReceiptItem] = []
    var refusals: [Wire.Refused] = []
    /// The new events, in the log's order.
    var entries: [LogEntry] = []
  }

  let sender: UserID
  let limits: Limits
  /// The server's date in milliseconds. It is stored and shown, and orders nothing.
  let at: Int64
  private let conversations: Conversations
  private let messages: Messages
  private let accounts: Accounts
  private let uploads: Uploads
  private let log: EventLog
  /// The conversations of this frame, read once.
  private var known: [String: ConversationRecord] = [:]
  private(set) var outcome = Outcome()

  init(sender: UserID, limits: Limits, at: Int64, db: Database) {
    self.sender = sender
    self.limits = limits
    self.at = at
    conversations = Conversations(db: db)
    messages = Messages(db: db)
    accounts = Accounts(db: db)
    uploads = Uploads(db: db)
    log = EventLog(db: db)
  }

  /// - Parameter retryAfter: how long the sender must wait when it is too fast; nil when it may send.
  mutating func take(_ message: Wire.Outgoing, retryAfter: Duration?) throws {
    let place = MessageID.isWellFormed(message.id) ? try messages.place(of: message.id) : nil
    if let place, place.sender == sender.rawValue, place.conversation == message.conversation {
      outcome.receipts.append(
        .init(id: message.id, conversation: place.conversation, order: place.order, at: place.at))
      return
    }
    guard try predecessorIsAccepted(message) else {
      outcome.refusals.append(.init(id: message.id, handover: message.handover, kind: .gap))
      return
    }
    if place != nil {
      refuse(message, .rejected, "This message's ID belongs to another message.")
      return
    }
    if let retryAfter {
      outcome.refusals.append(
        .init(
          id: message.id, handover: message.handover, kind: .busy,
          retryAfter: retryAfter.wireMilliseconds))
      return
    }
    guard contentsAreInOrder(message), try attachmentsAreHere(message),
      var conversation = try conversation(for: message)
    else { return }
    try store(message, in: &conversation)
    known[conversation.id] = conversation
  }

  private func predecessorIsAccepted(_ message: Wire.Outgoing) throws -> Bool {
    guard let predecessor = message.predecessor else { return true }
    guard MessageID.isWellFormed(predecessor), let place = try messages.place(of: predecessor) else {
      return false
    }
    return place.sender == sender.rawValue && place.conversation == message.conversation
  }

  /// Refuses the message and answers false when its ID, role or text cannot be taken.
  private mutating func contentsAreInOrder(_ message: Wire.Outgoing) -> Bool {
    if !MessageID.isWellFormed(message.id) {
      refuse(message, .rejected, "This message's ID is not one the server accepts.")
    } else if MessageRole(rawValue: message.role) == nil {
      refuse(message, .rejected, "The server does not know this message's role.")
    } else if max(message.body.utf8.count, message.reasoning?.utf8.count ?? 0) > limits.maximumMessageBytes {
      refuse(message, .tooLong, "This message is longer than the server accepts.")
    } else {
      return true
    }
    return false
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

  /// The message's conversation, created where the message names members and there is none. Refuses the
  /// message and answers nil when the sender may not write to it.
  private mutating func conversation(for message: Wire.Outgoing) throws -> ConversationRecord? {
    guard MessageID.isWellFormed(message.conversation) else {
      refuse(message, .conversationRefused, "This conversation's ID is not one the server accepts.")
      return nil
    }
    if let conversation = try known[message.conversation] ?? conversations.find(message.conversation) {
      guard conversation.members.contains(sender.rawValue) else {
        refuse(message, .conversationRefused, "You are not a member of this conversation.")
        return nil
      }
      return conversation
    }
    guard let members = message.members else {
      refuse(message, .conversationRefused, "This conversation does not exist.")
      return nil
    }
    return try create(message, members: members)
  }

  private mutating func create(_ message: Wire.Outgoing, members: [String]) throws -> ConversationRecord? {
    var named: Set<String> = []
    let members = members.filter { named.insert($0).inserted }
    if !named.contains(sender.rawValue) {
      refuse(message, .conversationRefused, "You are not among the members of this conversation.")
      return nil
    }
    if members.count > limits.maximumMembers {
      refuse(message, .conversationRefused, "This conversation has more members than the server accepts.")
      return nil
    }
    for member in members {
      let account = UserID(rawValue: member)
      guard account.isWellFormed, try accounts.exists(account) else {
        refuse(message, .conversationRefused, "A member of this conversation has no account on the server.")
        return nil
      }
    }
    let conversation = ConversationRecord(
      id: message.conversation, title: message.title.flatMap(cut), members: members, lastOrder: 0)
    try conversations.create(conversation)
    outcome.entries.append(
      LogEntry(
        cursor: try log.append(conversation: conversation.id, message: nil),
        item: .init(
          conversation: .init(id: conversation.id, title: conversation.title, members: members)),
        audience: members))
    return conversation
  }

  /// A title is worth no refusal: what does not fit is cut off, and what cannot be shown is left out.
  private func cut(_ title: String) -> String? {
    var cut = ""
    for character in title where character.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) {
      guard cut.utf8.count + character.utf8.count <= limits.maximumTitleBytes else { break }
      cut.append(character)
    }
    return cut.isEmpty ? nil : cut
  }

  private mutating func store(_ message: Wire.Outgoing, in conversation: inout ConversationRecord) throws {
    conversation.lastOrder += 1
    let item = Wire.MessageItem(
      id: message.id, conversation: conversation.id, sender: sender.rawValue, role: message.role,
      body: message.body, reasoning: message.reasoning, order: conversation.lastOrder, at: at,
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

  private mutating func refuse(_ message: Wire.Outgoing, _ code: FailureReason.Code, _ explanation: String) {
    outcome.refusals.append(
      .init(
        id: message.id, handover: message.handover, kind: .rejected, code: code.rawValue,
        explanation: explanation))
  }
}
