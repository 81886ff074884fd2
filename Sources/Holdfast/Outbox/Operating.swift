import Foundation
import HoldfastCore
import HoldfastStore

/// Edits, deletions and reactions (SPEC O14). Each is shown at once, and carried out by the server in its turn, behind
/// the message that it is about.
extension ChatClient {
  /// Gives a message of this user another text.
  ///
  /// ```swift
  /// try client.editMessage(row.id, to: "See you at eight")
  /// ```
  ///
  /// A message that has not left is changed in place: it keeps its ID and its place in the queue, and one that failed
  /// still waits for a retry. For one that the server may have, an operation waits in the outbox, in place of an edit
  /// that has not left, or has failed.
  ///
  /// It costs one transaction, as a send does, and is on disk when this returns. It survives what a message in the
  /// outbox survives, and is never carried out twice.
  ///
  /// - Returns: the operation's ID, with which `retry`, `cancel` and `explain` find it. Nil: the message was changed in
  ///   place.
  /// - Throws: ``ChatError`` with code `emptyMessage`, `messageTooLong`, `unknownMessage`, `notYourMessage`,
  ///   `messageDeleted`, `messageUnfinished`, `unsupported`, `outboxFull`, or one that starts with `storage`. Nothing
  ///   was changed then.
  @discardableResult
  public nonisolated func editMessage(_ id: MessageID, to text: String) throws(ChatError) -> MessageID? {
    let body = try validated(text)
    return try store.write { try edit(id, to: body, $0) }
  }

  /// The same as part of a transaction that does more.
  package nonisolated func edit(
    _ id: MessageID, to body: String, formatting: Data? = nil, _ transaction: Transaction
  ) throws -> MessageID? {
    let target = try requireChangeable(id, isOwn: true, transaction)
    guard !target.hasNotLeft else {
      try transaction.rewriteUnsent(id, body: body, formatting: formatting, in: target.conversation)
      return nil
    }
    let plan = OperationPlan.edit(pending: try transaction.operations(of: id))
    return try carryOut(
      plan, .edit, of: id, payload: body, formatting: formatting, in: target.conversation, transaction)
  }

  /// Deletes a message of this user, for everybody. Its row stays, without the text.
  ///
  /// ```swift
  /// try client.deleteMessage(row.id)
  /// ```
  ///
  /// A message that has not left is taken out of queue and timeline, as `cancel` does. For one that the server may
  /// have, an operation waits in the outbox, in place of the edits and reactions that waited. Costs and survives as
  /// ``editMessage(_:to:)``.
  ///
  /// - Returns: the operation's ID. Nil: the message is gone.
  /// - Throws: ``ChatError`` with code `unknownMessage`, `notYourMessage`, `messageDeleted`, `messageUnfinished`,
  ///   `unsupported`, `outboxFull`, or one that starts with `storage`. Nothing was changed then.
  @discardableResult
  public nonisolated func deleteMessage(_ id: MessageID) throws(ChatError) -> MessageID? {
    let operation = try change(id, isOwn: true) { target, transaction in
      guard !target.hasNotLeft else {
        try transaction.removeUnsent(id)
        return nil
      }
      let plan = OperationPlan.delete(pending: try transaction.operations(of: id))
      return try carryOut(plan, .delete, of: id, payload: "", in: target.conversation, transaction)
    }
    if operation == nil { deliveryTimes.forget(id) }
    return operation
  }

  /// Adds a reaction of this user to a message, mostly an emoji. To one that waits in the outbox too: the reaction
  /// goes out behind it. Does nothing when it is there.
  ///
  /// ```swift
  /// try client.react("👍", to: row.id)
  /// ```
  ///
  /// Costs and survives as ``editMessage(_:to:)``.
  ///
  /// - Returns: the operation's ID. Nil: there is nothing to send, because the reaction is there, or because its
  ///   removal had not left.
  /// - Throws: ``ChatError`` with code `malformedReaction`, `unknownMessage`, `messageDeleted`, `messageUnfinished`,
  ///   `unsupported`, `outboxFull`, or one that starts with `storage`. Nothing was changed then.
  @discardableResult
  public nonisolated func react(_ value: String, to id: MessageID) throws(ChatError) -> MessageID? {
    try setReaction(value, .react, of: id)
  }

  /// Takes back a reaction of this user. Does nothing when there is none.
  ///
  /// - Returns: the operation's ID. Nil: there is nothing to send.
  /// - Throws: as ``react(_:to:)``.
  @discardableResult
  public nonisolated func unreact(_ value: String, from id: MessageID) throws(ChatError) -> MessageID? {
    try setReaction(value, .unreact, of: id)
  }

  private nonisolated func setReaction(
    _ value: String, _ kind: MessageOperation.Kind, of id: MessageID
  ) throws(ChatError) -> MessageID? {
    guard SentReaction.isWellFormed(value) else {
      throw ChatError(.malformedReaction, "A reaction is 1 to 64 bytes without control characters.")
    }
    return try change(id, isOwn: false) { target, transaction in
      let isThere = try transaction.reactions(to: id).contains(SentReaction(value, from: user))
      let plan = OperationPlan.react(
        value, isWanted: kind == .react, isThere: isThere, pending: try transaction.operations(of: id))
      return try carryOut(plan, kind, of: id, payload: value, in: target.conversation, transaction)
    }
  }

  /// One transaction on a message that can be changed.
  private nonisolated func change(
    _ id: MessageID, isOwn: Bool, _ body: (OperationTarget, Transaction) throws -> MessageID?
  ) throws(ChatError) -> MessageID? {
    try store.write { try body(requireChangeable(id, isOwn: isOwn, $0), $0) }
  }

  private nonisolated func requireChangeable(
    _ id: MessageID, isOwn: Bool, _ transaction: Transaction
  ) throws -> OperationTarget {
    guard let target = try transaction.operationTarget(id), !transaction.isHidden(target.conversation)
    else {
      throw ChatError(.unknownMessage, "There is no such message.")
    }
    guard !isOwn || target.sender == user else {
      throw ChatError(.notYourMessage, "Only its sender can change a message.")
    }
    guard !target.isStreaming else {
      throw ChatError(.messageUnfinished, "The message is still being written. Wait until it is finished.")
    }
    let isBeingDeleted = try transaction.operations(of: id).contains {
      $0.kind == .delete && $0.failure == nil
    }
    guard !target.isDeleted, !isBeingDeleted else {
      throw ChatError(.messageDeleted, "The message has been deleted.")
    }
    return target
  }

  /// The ID of the operation that carries it to the server. Nil: none has to.
  private nonisolated func carryOut(
    _ plan: OperationPlan, _ kind: MessageOperation.Kind, of target: MessageID, payload: String,
    formatting: Data? = nil, in conversation: ConversationID, _ transaction: Transaction
  ) throws -> MessageID? {
    if !plan.removed.isEmpty { try transaction.removeOperations(plan.removed, in: conversation) }
    guard plan.isAdded else { return nil }
    guard transport.guarantees.operations.contains(kind) else {
      throw ChatError(.unsupported, "The server has no way to do this to a message that it has.")
    }
    try transaction.requireRoom(in: conversation, limits: limits)
    let id = MessageID(rawValue: environment.makeID())
    try transaction.insertOperation(
      id, MessageOperation(kind, of: target), payload: payload, formatting: formatting, in: conversation,
      now: environment.now(),
      at: waitingClock.reading(at: environment.uptime()))
    return id
  }
}
