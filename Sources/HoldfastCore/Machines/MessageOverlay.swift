import Foundation

/// A message as the server has it, with the user's operations laid over it. Pure.
///
/// An operation is written into the message only after the server has accepted it, so that a cancelled or refused
/// operation simply goes away. A failed operation is not laid over: the user sees the message as everybody else
/// does.
package struct MessageOverlay: Equatable {
  package var body: String
  package var reasoning: String?
  package var formatting: Data?
  package var editedAt: Date?
  package var isDeleted: Bool
  package var reactions: [IncomingMessage.Reaction]

  package init(
    body: String, reasoning: String? = nil, formatting: Data? = nil, editedAt: Date? = nil, isDeleted: Bool,
    reactions: [IncomingMessage.Reaction]
  ) {
    self.body = body
    self.reasoning = reasoning
    self.formatting = formatting
    self.editedAt = editedAt
    self.isDeleted = isDeleted
    self.reactions = reactions
  }

  /// Lays `operations` over the message, in the order in which the server carries them out.
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
      let reaction = IncomingMessage.Reaction(operation.payload, from: user)
      reactions.removeAll { $0 == reaction }
      if operation.kind == .react { reactions.append(reaction) }
    }
  }
}
