import Foundation

/// A message with what was done to it laid over what the server says of it. Pure.
///
/// Nothing is written into the message before the server has said yes, so that what is cancelled or refused simply
/// goes away. What has failed is not laid over: the message is shown as everybody else sees it.
struct MessageOverlay: Equatable {
  var body: String
  var reasoning: String?
  var formatting: Data?
  var editedAt: Date?
  var isDeleted: Bool
  var reactions: [SentReaction]

  /// `operations` in the order in which the server carries them out.
  mutating func apply(_ operations: [StoredOperation], of user: UserID) {
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
