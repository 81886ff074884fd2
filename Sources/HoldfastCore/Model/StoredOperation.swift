import Foundation

/// Something done to a message, as stored: it waits in the outbox, has failed there, or has been accepted and waits
/// for the message's new state to come.
package struct StoredOperation: Equatable, Sendable {
  package var id: MessageID
  package var kind: MessageOperation.Kind
  /// The new text, or the reaction. Empty for a deletion.
  package var payload: String
  /// Of an edit: mentions and spans of the new text.
  package var formatting: Data?
  package var createdAt: Date
  /// The server has carried it out.
  package var isAccepted: Bool
  /// The server may have it: it has left, and nothing was heard of it.
  package var mayHaveArrived: Bool
  package var failure: FailureReason?

  package init(
    id: MessageID, kind: MessageOperation.Kind, payload: String, formatting: Data? = nil, createdAt: Date,
    isAccepted: Bool, mayHaveArrived: Bool, failure: FailureReason? = nil
  ) {
    self.id = id
    self.kind = kind
    self.payload = payload
    self.formatting = formatting
    self.createdAt = createdAt
    self.isAccepted = isAccepted
    self.mayHaveArrived = mayHaveArrived
    self.failure = failure
  }

}

/// An operation whose answer is awaited.
package struct PendingOperation: Equatable {
  package var id: MessageID
  package var conversation: ConversationID
  package var target: MessageID
  package var kind: MessageOperation.Kind
  package var payload: String
  /// Of an edit: mentions and spans of the new text.
  package var formatting: Data?
  /// It has left this device, and the server has not said since that it has not carried it out.
  package var mayHaveArrived: Bool

  package init(
    id: MessageID, conversation: ConversationID, target: MessageID, kind: MessageOperation.Kind,
    payload: String, formatting: Data? = nil, mayHaveArrived: Bool
  ) {
    self.id = id
    self.conversation = conversation
    self.target = target
    self.kind = kind
    self.payload = payload
    self.formatting = formatting
    self.mayHaveArrived = mayHaveArrived
  }

}
