/// Decides what an incoming message means for what is here already. An echo that carries the ID of a message
/// of ours confirms it, from any state; nothing is ever stored twice; an ID that is known under another
/// sender or conversation is a forgery.
package enum Reconciler {
  package enum Decision: Equatable, Sendable {
    case insert
    /// It was in the outbox.
    case confirm
    /// Its tokens were arriving: the final text replaces them.
    case finish
    /// Somebody else's tokens were arriving under its ID, and the server has not got their message.
    case replace
    /// It was changed since: its new state replaces the one that is here.
    case update
    case ignore
    case refuse
  }

  /// - Parameter user: whose device this is.
  package static func decide(known: KnownMessage?, incoming: IncomingMessage, user: UserID) -> Decision {
    guard isPlausible(incoming) else { return .refuse }
    guard let known else { return .insert }
    guard known.conversation == incoming.conversation, known.sender == incoming.sender else {
      // Pieces are a courtesy, and the server's log is not: what others stream yields to it. What is written here stays.
      return known.isStreaming && known.sender != user ? .replace : .refuse
    }
    if known.isStreaming { return .finish }
    if known.isUnconfirmed { return .confirm }
    return incoming.revision > known.revision ? .update : .ignore
  }

  /// The same for a receipt. It says nothing of the text, and answers something: a message that has not left, or that
  /// the server has refused since, has no receipt. If the server has it all the same, its echo will tell.
  package static func decide(known: KnownMessage?, receipt: Receipt) -> Decision {
    guard let known, receipt.id.isWellFormed, isPlausible(order: receipt.order) else { return .ignore }
    guard known.conversation == receipt.conversation else { return .refuse }
    guard known.isUnconfirmed else { return .ignore }
    return known.mayHaveArrived ? .confirm : .refuse
  }

  /// The same for the receipt of an operation: it is accepted, or the receipt cannot be right. One that has not left, or
  /// was refused since, has none.
  package static func decide(pending: PendingOperation, receipt: Receipt) -> Decision {
    guard pending.conversation == receipt.conversation, isPlausible(revision: receipt.revision ?? 0),
      pending.mayHaveArrived
    else { return .refuse }
    return .confirm
  }

  private static func isPlausible(_ message: IncomingMessage) -> Bool {
    message.id.isWellFormed && message.conversation.isWellFormed && message.sender.isWellFormed
      && isPlausible(order: message.order) && isPlausible(revision: message.revision)
  }

  /// As with orders: one more than the highest must still be a number.
  private static func isPlausible(revision: Int64) -> Bool {
    revision >= 0 && revision < TimelinePlace.maximumOrder
  }

  private static func isPlausible(order: Int64?) -> Bool {
    guard let order else { return true }
    return order > 0 && order < TimelinePlace.maximumOrder
  }
}
