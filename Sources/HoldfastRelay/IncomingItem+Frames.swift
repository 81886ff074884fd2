import Foundation
import HoldfastCore
import HoldfastTransport

// Values from a server are validated here, once. An invalid value becomes nil, and is ignored.

extension Date {
  /// The years 1 to 9999, which are all that ISO 8601 can write.
  private static let wireRange: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  package init?(wire milliseconds: Int64) {
    guard Self.wireRange.contains(milliseconds) else { return nil }
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  package var wireMilliseconds: Int64 {
    let range = Self.wireRange
    let milliseconds = (timeIntervalSince1970 * 1000).rounded()
    guard milliseconds >= Double(range.lowerBound) else { return range.lowerBound }
    guard milliseconds <= Double(range.upperBound) else { return range.upperBound }
    return Int64(milliseconds)
  }
}

extension Duration {
  /// The server's delay, at most a day. A longer one is a mistake, and must not stop the outbox forever.
  static func wire(retryAfter milliseconds: Int64?) -> Duration? {
    milliseconds.map { .milliseconds(min(max($0, 0), 86_400_000)) }
  }
}

extension IncomingItem {
  package init?(_ item: Wire.Item) {
    if let conversation = item.conversation, let known = IncomingConversation(conversation) {
      self = .conversation(known)
    } else if let message = item.message, let known = IncomingMessage(message) {
      self = .message(known)
    } else if let mark = item.readMark, let known = ReadMark(mark) {
      self = .readMark(known)
    } else if let removed = item.removed.map(ConversationID.init(rawValue:)), removed.isWellFormed {
      self = .removed(removed)
    } else {
      return nil
    }
  }
}

extension IncomingItem.ReadMark {
  fileprivate init?(_ item: Wire.ReadMarkItem) {
    let conversation = ConversationID(rawValue: item.conversation)
    let (reader, message) = (UserID(rawValue: item.reader), MessageID(rawValue: item.message))
    guard conversation.isWellFormed, reader.isWellFormed, message.isWellFormed, item.order > 0 else {
      return nil
    }
    self.init(conversation: conversation, reader: reader, message: message, order: item.order)
  }
}

extension IncomingConversation {
  package init?(_ item: Wire.ConversationItem) {
    let id = ConversationID(rawValue: item.id)
    let members = item.members.map(UserID.init(rawValue:))
    guard id.isWellFormed, members.allSatisfy(\.isWellFormed) else { return nil }
    self.init(
      id: id, title: item.title, members: members,
      earlierIDs: (item.earlier ?? []).map(ConversationID.init(rawValue:)).filter(\.isWellFormed),
      refusal: item.refusal.map { FailureReason(.conversationRefused, FailureReason.cut($0)) },
      history: item.older.map { HistoryPlace(rawValue: String($0)) })
  }
}

extension IncomingMessage {
  package init?(_ item: Wire.MessageItem) {
    let id = MessageID(rawValue: item.id)
    let conversation = ConversationID(rawValue: item.conversation)
    let sender = UserID(item.sender, assistant: item.assistant)
    guard id.isWellFormed, conversation.isWellFormed, sender.isWellFormed, item.order > 0,
      let role = MessageRole(rawValue: item.role), let createdAt = Date(wire: item.at)
    else { return nil }
    self.init(
      id: id, conversation: conversation, sender: sender, role: role, content: item.content.known,
      order: item.order, createdAt: createdAt, revision: item.revision ?? 0,
      editedAt: item.editedAt.flatMap(Date.init(wire:)),
      // The message is deleted even if the date is invalid.
      deletedAt: item.deletedAt.map { Date(wire: $0) ?? createdAt },
      reactions: (item.reactions ?? []).flatMap(\.known),
      attachments: (item.attachments ?? []).compactMap(ChatAttachment.init))
  }
}

extension Wire.ReactionItem {
  fileprivate var known: [IncomingMessage.Reaction] {
    guard IncomingMessage.Reaction.isWellFormed(value) else { return [] }
    return senders.map(UserID.init(rawValue:)).filter(\.isWellFormed).map {
      IncomingMessage.Reaction(value, from: $0)
    }
  }
}

extension Receipt {
  package init?(_ item: Wire.ReceiptItem) {
    let id = MessageID(rawValue: item.id)
    let conversation = ConversationID(rawValue: item.conversation)
    guard id.isWellFormed, conversation.isWellFormed, item.order > 0, let createdAt = Date(wire: item.at)
    else { return nil }
    self.init(
      id: id, conversation: conversation, order: item.order, createdAt: createdAt, revision: item.revision)
  }
}

extension Refusal {
  package init(_ refused: Wire.Refused) {
    let wait = Duration.wire(retryAfter: refused.retryAfter)
    switch refused.kind {
    case .gap: self = .predecessorMissing
    case .missing: self = .attachmentsMissing
    case .busy: self = .notNow(after: wait, mayHaveArrived: false)
    case .transient: self = .failed(after: wait)
    case .rejected: self = .rejected(FailureReason(refused))
    }
  }
}

extension FailureReason {
  /// A server's sentence, truncated by scalars, because one character may consist of any number of them.
  static func cut(_ sentence: String) -> String {
    String(String.UnicodeScalarView(sentence.unicodeScalars.prefix(300)))
  }

  /// Accepts only the codes that a server may use. Other codes are reserved for this device and have other meanings.
  fileprivate init(_ refused: Wire.Refused) {
    let named = refused.code.map(Code.init(rawValue:))
    let code = named.flatMap { [.tooLong, .conversationRefused].contains($0) ? $0 : nil } ?? .rejected
    let explanation = Self.cut(refused.explanation ?? "")
    self.init(code, explanation.isEmpty ? "The server did not accept this message." : explanation)
  }
}

extension StreamPiece {
  package init?(_ piece: Wire.Piece) {
    let id = MessageID(rawValue: piece.id)
    let conversation = ConversationID(rawValue: piece.conversation)
    guard let sender = piece.sender.map({ UserID($0, assistant: piece.assistant) }), sender.isWellFormed,
      id.isWellFormed,
      conversation.isWellFormed, piece.sequence >= 0, let role = MessageRole(rawValue: piece.role)
    else { return nil }
    self.init(
      id: id, conversation: conversation, sender: sender, role: role, sequence: piece.sequence,
      text: piece.text, reasoning: piece.reasoning ?? "",
      request: piece.request.map(RequestID.init(rawValue:)).flatMap { $0.isWellFormed ? $0 : nil })
  }
}

extension ConnectionFailure {
  /// Omits the server's own explanation, because it may repeat contents, and a log must not.
  package init(_ failure: Wire.Failure) {
    let reason: Reason =
      switch failure.code {
      case .unauthorized: .unauthorized
      case .unavailable, .overloaded: .unavailable
      case .incompatible, .malformed, .tooLarge: .incompatible
      }
    self.init(
      reason, retryAfter: .wire(retryAfter: failure.retryAfter),
      detail: "the server ended the connection (\(failure.code.rawValue))")
  }
}

extension Wire.Outgoing {
  package init(_ message: OutgoingMessage) {
    self.init(
      id: message.id.rawValue, conversation: message.conversation.rawValue,
      members: message.members.isEmpty ? nil : message.members.map(\.rawValue), title: message.title,
      role: message.role.rawValue, assistant: message.sender?.assistantName, content: message.content,
      at: message.createdAt.wireMilliseconds,
      attachments: message.attachments.isEmpty ? nil : message.attachments.map { .init($0.attachment) },
      predecessor: message.predecessor?.rawValue, handover: message.transmission,
      operation: message.operation.map {
        .init(kind: $0.kind.rawValue, target: $0.target.rawValue, whole: $0.isWhole ? true : nil)
      })
  }
}

extension Wire.Piece {
  package init(_ piece: StreamPiece) {
    self.init(
      id: piece.id.rawValue, conversation: piece.conversation.rawValue, sender: nil,
      role: piece.role.rawValue, assistant: piece.sender.assistantName, sequence: piece.sequence,
      text: piece.text,
      reasoning: piece.reasoning.isEmpty ? nil : piece.reasoning, request: piece.request?.rawValue)
  }
}

extension UserID {
  /// The author of a message that an account sent. An invalid assistant's name is ignored.
  fileprivate init(_ account: String, assistant: String?) {
    self.init(rawValue: account)
    if let assistant, Self.isAssistantName(assistant) { self = .assistant(assistant, of: self) }
  }
}
