import HoldfastCore

/// Decides the effect of an incoming message on the stored state. An echo that carries the ID of a message from
/// this user confirms it, from any state. Nothing is ever stored twice. An ID that is known under another sender or
/// conversation is a forgery.
package enum Reconciler {
  package enum Decision: Equatable, Sendable {
    case insert
    /// The message was in the outbox.
    case confirm
    /// Its tokens were arriving. The final text replaces them.
    case finish
    /// Another sender's tokens were arriving under the message's ID, and the server lacks that sender's message.
    case replace
    /// The message was changed since. Its new state replaces the stored one.
    case update
    case ignore
    case refuse
  }

  /// - Parameters:
  ///   - conversation: the conversation that has the name in the message.
  ///   - user: the owner of this device.
  package static func decide(
    known: KnownMessage?, incoming: IncomingMessage, in conversation: ConversationKey, user: UserID
  ) -> Decision {
    guard isPlausible(incoming) else { return .refuse }
    guard let known else { return .insert }
    guard known.conversation == conversation, known.sender == incoming.sender else {
      // A message from the server replaces another user's partial stream: pieces are best effort, and the server's
      // log is not. A stream that is written here stays.
      return known.isStreaming && known.sender.account != user ? .replace : .refuse
    }
    if known.isStreaming { return .finish }
    if known.isUnconfirmed { return .confirm }
    return incoming.revision > known.revision ? .update : .ignore
  }

  /// The same decision for an acknowledgement. It does not contain the text, and answers a transmission: a message
  /// that was not sent, or that the server has refused since, has no acknowledgement. If the server has it anyway,
  /// its echo confirms it.
  package static func decide(
    known: KnownMessage?, receipt: Receipt, in conversation: ConversationKey
  ) -> Decision {
    guard let known, receipt.id.isWellFormed, isPlausible(order: receipt.order) else { return .ignore }
    guard known.conversation == conversation, isPlausible(name: receipt.serverID) else { return .refuse }
    guard known.isUnconfirmed else { return .ignore }
    return known.mayHaveArrived ? .confirm : .refuse
  }

  /// The same decision for the acknowledgement of an operation: the operation is accepted, or the acknowledgement
  /// cannot be right. An operation that was not sent, or was refused since, has no acknowledgement.
  package static func decide(
    pending: PendingOperation, receipt: Receipt, in conversation: ConversationKey
  ) -> Decision {
    guard pending.conversation == conversation, isPlausible(revision: receipt.revision ?? 0),
      isPlausible(name: receipt.serverID), pending.mayHaveArrived
    else { return .refuse }
    return .confirm
  }

  package static func isPlausible(_ message: IncomingMessage) -> Bool {
    message.id.isWellFormed && message.conversation.isWellFormed && message.sender.isWellFormed
      && isPlausible(order: message.order) && isPlausible(revision: message.revision)
      && isPlausible(name: message.serverID)
  }

  package static func isPlausible(_ operation: IncomingOperation) -> Bool {
    let isReaction = operation.operation.kind == .react || operation.operation.kind == .unreact
    return operation.operation.target.isWellFormed && operation.conversation.isWellFormed
      && operation.sender.isWellFormed && isPlausible(name: operation.serverID)
      && (!isReaction || IncomingMessage.Reaction.isWellFormed(operation.content.text))
  }

  /// The same limit as for orders: one more than the highest must still be a number.
  private static func isPlausible(revision: Int64) -> Bool {
    revision >= 0 && revision < TimelinePlace.maximumOrder
  }

  /// A server's name has the form of an ID, because it is the ID of a message that has none of ours.
  private static func isPlausible(name: String?) -> Bool { name.map(MessageID.isWellFormed) ?? true }

  private static func isPlausible(order: Int64?) -> Bool {
    guard let order else { return true }
    return order > 0 && order < TimelinePlace.maximumOrder
  }
}
