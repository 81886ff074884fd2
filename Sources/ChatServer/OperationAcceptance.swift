import Foundation
import HoldfastCore
import HoldfastRelay
import HoldfastTransport

/// Decides about operations on messages that the server has.
///
/// ```
/// no such message here, unknown kind ───► rejected
/// not a member ─────────────────────────► rejected (conversationRefused)
/// deleted already ──────────────────────► rejected
/// edit or delete by another account ────► rejected
/// invalid text or reaction ─────────────► rejected
/// reaction already as requested ────────► receipt, and nothing else
/// otherwise ────────────────────────────► revision + 1, logged: receipt
/// ```
extension Acceptance {
  mutating func accept(_ operation: Wire.Operation, as message: Wire.Outgoing) throws {
    guard idIsInOrder(message), let conversation = try conversation(for: message) else { return }
    guard let kind = MessageOperation.Kind(rawValue: operation.kind) else {
      return refuse(message, .rejected, "The server does not know this kind of change.")
    }
    guard MessageID.isWellFormed(operation.target), let target = try messages.item(operation.target),
      target.conversation == conversation.id
    else { return refuse(message, .rejected, "The message does not exist in this conversation.") }
    guard target.deletedAt == nil else {
      return refuse(message, .rejected, "The message has been deleted.")
    }
    let hasChanged: Bool?
    switch kind {
    case .edit, .delete: hasChanged = try change(target, kind, as: message)
    case .react, .unreact: hasChanged = try setReaction(to: target, isWanted: kind == .react, as: message)
    }
    guard let hasChanged else { return }
    let revision = hasChanged ? try messages.countChange(of: target.id) : target.revision ?? 0
    try accept(
      message,
      Operations.Accepted(
        sender: sender, conversation: ConversationID(rawValue: conversation.id),
        message: MessageID(rawValue: target.id), order: target.order,
        revision: revision, at: at))
    if hasChanged { try announce(target.id, in: conversation) }
  }

  /// Edits or deletes the message, and returns true. Refuses and returns nil when that is not possible.
  private mutating func change(
    _ target: Wire.MessageItem, _ kind: MessageOperation.Kind, as message: Wire.Outgoing
  ) throws -> Bool? {
    guard target.sender == sender.rawValue else {
      refuse(message, .rejected, "Only its sender can change a message.")
      return nil
    }
    if kind == .delete {
      try messages.delete(target, at: at)
      try detach(target.id)
      return true
    }
    let isWhole = message.operation?.whole == true
    guard isWhole ? contentFits(message) : textFits(message) else { return nil }
    let isBlank = message.content.text.unicodeScalars.allSatisfy { $0.properties.isWhitespace }
    guard !isBlank || (isWhole && message.content.hasReferences) else {
      refuse(message, .rejected, "The new text is empty. Delete the message instead.")
      return nil
    }
    if isWhole {
      try messages.replace(target, with: message.content, at: at)
    } else {
      try messages.edit(target.id, to: message.content.formattedText, at: at)
    }
    return true
  }

  private mutating func textFits(_ message: Wire.Outgoing) -> Bool {
    let text = MessageContent(message.content.formattedText)
    guard text.problem(atMost: limits.maximumMessageBytes) == nil else {
      refuse(message, .tooLong, "The new text is longer than the server accepts.")
      return false
    }
    return true
  }

  /// Adds or removes a reaction, and returns true. Returns false when nothing has to change. Refuses and returns
  /// nil when the change is not possible.
  private mutating func setReaction(
    to target: Wire.MessageItem, isWanted: Bool, as message: Wire.Outgoing
  ) throws -> Bool? {
    let value = message.content.text
    guard IncomingMessage.Reaction.isWellFormed(value) else {
      refuse(message, .rejected, "A reaction is 1 to 64 bytes without control characters.")
      return nil
    }
    guard try reactions.contains(value, from: sender.rawValue, to: target.id) != isWanted else {
      return false
    }
    guard isWanted else {
      try reactions.remove(value, from: sender.rawValue, to: target.id)
      return true
    }
    let counts = try reactions.counts(to: target.id, beside: value)
    guard counts.values < limits.maximumReactionValues, counts.all < limits.maximumReactions else {
      refuse(message, .rejected, "The message has as many reactions as the server accepts.")
      return nil
    }
    try reactions.insert(value, from: sender.rawValue, to: target.id)
    return true
  }
}
