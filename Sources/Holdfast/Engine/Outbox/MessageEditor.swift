import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Makes the operations on messages: edits, deletions and reactions (rule O14). An operation is shown at once. The
/// server carries it out in its turn, behind its message. Any thread may use the editor.
struct MessageEditor: Sendable {
  let context: EngineContext
  let sender: Sender

  private var store: Store { context.store }

  func edit(_ id: MessageID, to text: String) throws(ChatError) -> MessageID? {
    try store.write { try edit(id, to: MessageContent.FormattedText(text), $0) }
  }

  /// Edits a message as part of a transaction that does more.
  func edit(_ id: MessageID, to text: MessageContent.FormattedText, _ transaction: Transaction) throws
    -> MessageID?
  {
    let id = try transaction.messages.knownID(id)
    let target = try requireChangeable(id, isOwn: true, transaction)
    let text = try sender.validated(text, isAlone: true, in: target.conversation, transaction)
    guard !target.hasNotLeft else {
      try transaction.operations.rewriteUnsent(id, to: text, in: target.conversation)
      return nil
    }
    let pending = try transaction.operations.all(of: id)
    let plan = OperationPlan.edit(pending: pending)
    // An edit that replaces a waiting new answer also carries the other new content of that answer.
    let answer = pending.last { $0.isWhole && $0.failure == nil && plan.removed.contains($0.id) }
    var content = answer?.content ?? MessageContent()
    content.formattedText = text
    return try carryOut(
      plan, MessageOperation(.edit, of: id, isWhole: answer != nil), content, in: target.conversation,
      transaction)
  }

  /// Gives the edited message the composer's content as its text, and ends the edit, in one transaction. The message is
  /// changed in place, or an operation waits in the outbox.
  func sendEdit(of id: MessageID, in conversation: ConversationKey) throws(ChatError) {
    try sender.drafts.move(DraftKey(conversation: conversation, slot: .edit)) { content, transaction in
      _ = try edit(id, to: content.message.formattedText, transaction)
    }
  }

  func delete(_ id: MessageID) throws(ChatError) -> MessageID? {
    let operation: MessageID? = try store.write { transaction in
      let id = try transaction.messages.knownID(id)
      var found = try requireTarget(id, transaction)
      if found.isRegenerationCutOff {
        try transaction.streams.dropRegeneration(id, in: found.conversation)
        found = try requireTarget(id, transaction)
      }
      if try isHereAlone(found, transaction) {
        try transaction.conversations.removeHere(id, in: found.conversation)
        return nil
      }
      let target = try requireChangeable(found, id, isOwn: true, transaction)
      guard !target.hasNotLeft else {
        try transaction.outbox.removeUnsent(id)
        return nil
      }
      let plan = OperationPlan.delete(pending: try transaction.operations.all(of: id))
      return try carryOut(
        plan, MessageOperation(.delete, of: id), MessageContent(), in: target.conversation, transaction)
    }
    if operation == nil { context.deliveryTimes.forget(id) }
    return operation
  }

  /// - Parameter kind: `.react` or `.unreact`.
  func setReaction(
    _ value: String, _ kind: MessageOperation.Kind, of id: MessageID
  ) throws(ChatError) -> MessageID? {
    guard IncomingMessage.Reaction.isWellFormed(value) else {
      throw ChatError(.malformedReaction, "A reaction is 1 to 64 bytes without control characters.")
    }
    return try store.write { transaction in
      let id = try transaction.messages.knownID(id)
      let target = try requireChangeable(id, isOwn: false, transaction)
      let pending = try transaction.operations.all(of: id)
      let own = try transaction.operations.reactions(to: id).filter { $0.sender == context.user }.map(\.value)
      let value = Self.given(value, own + pending.filter { $0.kind == .react }.map(\.text.string))
      let isThere = own.contains { $0.hasSameBytes(as: value) }
      let plan = OperationPlan.react(value, isWanted: kind == .react, isThere: isThere, pending: pending)
      return try carryOut(
        plan, MessageOperation(kind, of: id), MessageContent(value), in: target.conversation, transaction)
    }
  }

  /// The reaction as this user has given it, if one looks the same.
  private static func given(_ value: String, _ own: [String]) -> String {
    if own.contains(where: { $0.hasSameBytes(as: value) }) { return value }
    let look = IncomingMessage.Reaction.look(of: value)
    return own.first { IncomingMessage.Reaction.look(of: $0).hasSameBytes(as: look) } ?? value
  }

  /// Whether no server has the message, and it can be removed: it is a reply that was interrupted on this device, or
  /// any whole message of a conversation that is kept here alone.
  private func isHereAlone(_ target: OperationTarget, _ transaction: Transaction) throws -> Bool {
    let isOnDevice = try context.isOnDevice(target.conversation, transaction)
    return target.isCutOffHere || (isOnDevice && !target.isStreaming)
  }

  private func requireTarget(_ id: MessageID, _ transaction: Transaction) throws -> OperationTarget {
    guard let target = try transaction.operations.target(id),
      !transaction.deletions.isHidden(target.conversation)
    else {
      throw ChatError(.unknownMessage, "There is no such message.")
    }
    return target
  }

  private func requireChangeable(
    _ id: MessageID, isOwn: Bool, _ transaction: Transaction
  ) throws -> OperationTarget {
    try requireChangeable(requireTarget(id, transaction), id, isOwn: isOwn, transaction)
  }

  private func requireChangeable(
    _ target: OperationTarget, _ id: MessageID, isOwn: Bool, _ transaction: Transaction
  ) throws -> OperationTarget {
    guard !isOwn || target.sender.account == context.user else {
      throw ChatError(.notYourMessage, "Only its sender can change a message.")
    }
    guard !target.isStreaming else {
      throw ChatError(.messageUnfinished, "The message is still being written. Wait until it is finished.")
    }
    let isBeingDeleted = try transaction.operations.all(of: id).contains {
      $0.kind == .delete && $0.failure == nil
    }
    guard !target.isDeleted, !isBeingDeleted else {
      throw ChatError(.messageDeleted, "The message has been deleted.")
    }
    return target
  }

  /// Carries out a plan. Returns the ID of the operation that waits for the server. Nil when no operation waits.
  private func carryOut(
    _ plan: OperationPlan, _ operation: MessageOperation, _ content: MessageContent,
    in conversation: ConversationKey, _ transaction: Transaction
  ) throws -> MessageID? {
    if !plan.removed.isEmpty { try transaction.operations.remove(plan.removed, in: conversation) }
    guard plan.isAdded else { return nil }
    guard try !context.isOnDevice(conversation, transaction) else {
      try transaction.operations.carryOutHere(
        operation, content: content, in: conversation, by: context.user,
        at: context.environment.now())
      return nil
    }
    guard context.transport.capabilities.operations.contains(operation.kind) else {
      throw ChatError(.unsupported, "The server has no way to do this to a message that it has.")
    }
    try transaction.outbox.requireRoom(in: conversation, limits: context.configuration.outbox)
    let id = MessageID(rawValue: context.environment.makeID())
    try transaction.operations.insert(
      id, operation, content: content, in: conversation, now: context.environment.now(),
      at: context.waitingReading)
    return id
  }
}
