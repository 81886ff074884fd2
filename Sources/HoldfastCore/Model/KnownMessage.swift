import Foundation

/// What the reconciler needs to know of a message that is already here.
package struct KnownMessage: Equatable {
  package var conversation: ConversationID
  package var sender: UserID
  /// It is in the outbox: the server's word on it is still awaited.
  package var isUnconfirmed: Bool
  /// Its final text has not come yet.
  package var isStreaming: Bool
  /// It has left this device, and the server has not said since that it does not have it.
  package var mayHaveArrived: Bool
  /// Of the state that is here.
  package var revision: Int64 = 0

  package init(
    conversation: ConversationID, sender: UserID, isUnconfirmed: Bool, isStreaming: Bool,
    mayHaveArrived: Bool, revision: Int64 = 0
  ) {
    self.conversation = conversation
    self.sender = sender
    self.isUnconfirmed = isUnconfirmed
    self.isStreaming = isStreaming
    self.mayHaveArrived = mayHaveArrived
    self.revision = revision
  }

}
