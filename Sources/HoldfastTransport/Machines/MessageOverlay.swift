import Foundation
import HoldfastCore

/// A message as the server has it, with the user's operations laid over it. Pure.
///
/// An operation is written into the message only after the server has accepted it, so that a cancelled or refused
/// operation simply goes away. A failed operation is not laid over: the user sees the message as everybody else
/// does.
package struct MessageOverlay: Equatable {
  package var content: MessageContent
  package var editedAt: Date?
  package var isDeleted: Bool
  package var reactions: [IncomingMessage.Reaction]

  package init(
    content: MessageContent, editedAt: Date? = nil, isDeleted: Bool, reactions: [IncomingMessage.Reaction]
  ) {
    self.content = content
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
      content.edit(operation.content, isWhole: operation.isWhole)
      editedAt = operation.createdAt
    case .delete: (content, isDeleted, reactions) = (MessageContent(), true, [])
    case .react, .unreact:
      let reaction = IncomingMessage.Reaction(operation.text.string, from: user)
      reactions.removeAll { $0 == reaction }
      if operation.kind == .react { reactions.append(reaction) }
    }
  }
}
