import HoldfastCore

/// Somebody's invitation into a room.
public struct MatrixInvitation: Sendable, Hashable {
  /// The room, as the ID that its conversation will have.
  public var conversation: ConversationID
  /// The account that invites. Nil when the server does not say.
  public var inviter: UserID?
  /// The room's name. Nil when it has none.
  public var title: String?

  /// An invitation with these values, for a test of what an app accepts.
  public init(conversation: ConversationID, inviter: UserID?, title: String?) {
    (self.conversation, self.inviter, self.title) = (conversation, inviter, title)
  }
}
