import Foundation

/// The facts about a stored message that the reconciler needs.
package struct KnownMessage: Equatable {
  package var conversation: ConversationKey
  package var sender: UserID
  /// Whether the message is in the outbox, so that the server's confirmation is still awaited.
  package var isUnconfirmed: Bool
  /// Whether the final text has not arrived yet.
  package var isStreaming: Bool
  /// Whether the message was transmitted, and the server has not reported since then that it does not have it.
  package var mayHaveArrived: Bool
  /// The revision of the stored state.
  package var revision: Int64 = 0
  /// Whether the message has its place by the server's order.
  package var hasOrder = true

  package init(
    conversation: ConversationKey, sender: UserID, isUnconfirmed: Bool, isStreaming: Bool,
    mayHaveArrived: Bool, revision: Int64 = 0, hasOrder: Bool = true
  ) {
    self.conversation = conversation
    self.sender = sender
    self.isUnconfirmed = isUnconfirmed
    self.isStreaming = isStreaming
    self.mayHaveArrived = mayHaveArrived
    self.revision = revision
    self.hasOrder = hasOrder
  }

}
