import Foundation

/// An operation on a message, as stored: it waits in the outbox, has failed there, or has been accepted and
/// waits for the message's new state.
package struct StoredOperation: Equatable, Sendable {
  package var id: MessageID
  package var kind: MessageOperation.Kind
  /// The new text, or the reaction. Empty for a deletion. Only a whole edit has more than a text.
  package var content: MessageContent
  /// Whether an edit replaces all of the content: ``MessageOperation/isWhole``.
  package var isWhole: Bool
  package var createdAt: Date
  /// Whether the server has carried out the operation.
  package var isAccepted: Bool
  /// Whether the server may have the operation: it was transmitted, and not answered.
  package var mayHaveArrived: Bool
  package var failure: FailureReason?
  /// The operation's place in the outbox. 0 once the server has carried it out.
  package var position: Int64 = 0
  /// The number of attempts that failed by the operation's own fault.
  package var attempts = 0

  package init(
    id: MessageID, kind: MessageOperation.Kind, content: MessageContent, isWhole: Bool = false,
    createdAt: Date,
    isAccepted: Bool, mayHaveArrived: Bool, failure: FailureReason? = nil
  ) {
    self.id = id
    self.kind = kind
    self.content = content
    self.isWhole = isWhole
    self.createdAt = createdAt
    self.isAccepted = isAccepted
    self.mayHaveArrived = mayHaveArrived
    self.failure = failure
  }

  /// The new text, or the reaction. Empty for a deletion.
  package var text: MessageContent.FormattedText { content.formattedText }
}

/// An operation that has not been answered yet.
package struct PendingOperation: Equatable {
  package var id: MessageID
  package var conversation: ConversationKey
  package var target: MessageID
  package var kind: MessageOperation.Kind
  /// The new text, or the reaction. Empty for a deletion. Only a whole edit has more than a text.
  package var content: MessageContent
  /// Whether an edit replaces all of the content: ``MessageOperation/isWhole``.
  package var isWhole: Bool
  /// Whether the operation was transmitted, and the server has not reported since then that it did not carry it out.
  package var mayHaveArrived: Bool

  package init(
    id: MessageID, conversation: ConversationKey, target: MessageID, kind: MessageOperation.Kind,
    content: MessageContent, isWhole: Bool = false, mayHaveArrived: Bool
  ) {
    self.id = id
    self.conversation = conversation
    self.target = target
    self.kind = kind
    self.content = content
    self.isWhole = isWhole
    self.mayHaveArrived = mayHaveArrived
  }
}
