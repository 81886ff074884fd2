import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Replies that are regenerated, and their earlier versions (rule L10). Any thread may use it.
///
/// ```
///   whole ── begin ──► whole, with a new one under way ── finish ──► the new one; the earlier one is a version
///     ▲                      │                 ▲
///     │                 cut off, failed     go on, retry
///     │                      ▼                 │
///     └── keepEarlier ── whole, with the partial text of a new one
/// ```
struct Regenerations: Sendable {
  let context: EngineContext

  private var store: Store { context.store }

  /// Begins to regenerate a reply.
  func begin(_ id: MessageID, _ transaction: Transaction) throws -> FinishedReply {
    let reply = try requireReply(id, transaction)
    try transaction.streams.beginRegeneration(
      id, in: reply.conversation, by: context.session, now: context.environment.now())
    return reply
  }

  /// Gives the reply its new content. The earlier one is kept as a version, and a server gets an edit.
  func finish(
    _ id: MessageID, with content: MessageContent, in conversation: ConversationKey,
    _ transaction: Transaction
  ) throws {
    try transaction.streams.endRegeneration(id, in: conversation)
    try replace(id, with: content, in: conversation, transaction)
  }

  /// Drops the partial text of a new reply that was interrupted.
  func keepEarlier(_ id: MessageID) throws(ChatError) {
    try store.write { transaction in
      guard let target = try transaction.operations.target(id),
        !transaction.deletions.isHidden(target.conversation)
      else {
        throw ChatError.unknownReply
      }
      guard try transaction.streams.isRegeneration(id) else {
        throw ChatError(.notInterrupted, "No new answer was begun in place of this one.")
      }
      guard target.isRegenerationCutOff else {
        throw ChatError(.beingWritten, "The new answer is being written. Stop it first.")
      }
      try transaction.streams.dropRegeneration(id, in: target.conversation)
    }
  }

  func versions(of id: MessageID) throws(ChatError) -> [MessageVersion] {
    try store.read { db in
      guard let reply = try db.streams.finishedReply(id), !reply.isDeleted,
        !store.deletions.isHidden(reply.conversation)
      else { return [] }
      return try db.streams.versions(of: id)
    }
  }

  /// Replaces the reply's content by that of a version. The replaced content becomes a version in its place.
  func restore(_ version: MessageVersion.ID, of id: MessageID) throws(ChatError) {
    try store.write { transaction in
      let reply = try requireReply(id, transaction)
      guard let earlier = try transaction.streams.versions(of: id).first(where: { $0.id == version }) else {
        throw ChatError(.unknownMessage, "There is no such version of the answer on this device.")
      }
      try replace(id, with: earlier.content, in: reply.conversation, transaction)
      try transaction.streams.removeVersion(version, of: id)
    }
  }

  private func replace(
    _ id: MessageID, with content: MessageContent, in conversation: ConversationKey,
    _ transaction: Transaction
  ) throws {
    let now = context.environment.now()
    try transaction.streams.keepVersion(of: id, now: now)
    guard try !context.isOnDevice(conversation, transaction) else {
      return try transaction.streams.replaceHere(id, with: content, in: conversation)
    }
    let plan = OperationPlan.edit(pending: try transaction.operations.all(of: id))
    if !plan.removed.isEmpty { try transaction.operations.remove(plan.removed, in: conversation) }
    // The content is here already: it enters a full outbox too, as a reply does.
    try transaction.operations.insert(
      MessageID(rawValue: context.environment.makeID()), MessageOperation(.edit, of: id, isWhole: true),
      content: content, in: conversation, now: now, at: context.waitingReading)
  }

  /// The whole reply, if it can be regenerated.
  private func requireReply(_ id: MessageID, _ transaction: Transaction) throws -> FinishedReply {
    guard let reply = try transaction.streams.finishedReply(id),
      !transaction.deletions.isHidden(reply.conversation)
    else {
      throw ChatError.unknownReply
    }
    let isOnDevice = try context.isOnDevice(reply.conversation, transaction)
    guard isOnDevice || reply.sender.account == context.user else {
      throw ChatError(.notYourMessage, "Only the account whose assistant gave the answer can have it anew.")
    }
    guard reply.role == .assistant else {
      throw ChatError(.notYourMessage, "The message is no assistant's answer. Edit it instead.")
    }
    guard !reply.isDeleted else { throw ChatError(.messageDeleted, "The answer has been deleted.") }
    guard !reply.isStreaming else {
      throw ChatError(
        .messageUnfinished, "The answer is not whole. Wait for its end, go on with it, or retry it.")
    }
    guard !reply.isUnsent else {
      throw ChatError(
        .messageUnfinished, "The answer has not reached the server yet. Wait until it is delivered.")
    }
    guard isOnDevice || context.transport.capabilities.operations.contains(.edit) else {
      throw ChatError(.unsupported, "The server has no way to replace an answer that it has.")
    }
    return reply
  }
}

extension ChatError {
  fileprivate static let unknownReply = ChatError(
    .unknownMessage, "There is no such message on this device.")
}
