import Foundation

/// A message with what was done to it laid over what the server says of it. Pure.
///
/// Nothing is written into the message before the server has said yes, so that what is cancelled or refused simply
/// goes away. What has failed is not laid over: the message is shown as everybody else sees it.
package struct MessageOverlay: Equatable {
  package var body: String
  package var reasoning: String?
  package var formatting: Data?
  package var editedAt: Date?
  package var isDeleted: Bool
  package var reactions: [SentReaction]

  package init(
    body: String, reasoning: String? = nil, formatting: Data? = nil, editedAt: Date? = nil, isDeleted: Bool,
    reactions: [SentReaction]
  ) {
    self.body = body
    self.reasoning = reasoning
    self.formatting = formatting
    self.editedAt = editedAt
    self.isDeleted = isDeleted
    self.reactions = reactions
  }

  /// `operations` in the order in which the server carries them out.
  package mutating func apply(_ operations: [StoredOperation], of user: UserID) {
    for operation in operations where operation.failure == nil && !isDeleted {
      apply(operation, of: user)
    }
  }

  private mutating func apply(_ operation: StoredOperation, of user: UserID) {
    switch operation.kind {
    case .edit:
      (body, formatting, editedAt) = (operation.payload, operation.formatting, operation.createdAt)
    case .delete: (body, reasoning, formatting, isDeleted, reactions) = ("", nil, nil, true, [])
    case .react, .unreact:
      let reaction = SentReaction(operation.payload, from: user)
      reactions.removeAll { $0 == reaction }
      if operation.kind == .react { reactions.append(reaction) }
    }
  }
}
