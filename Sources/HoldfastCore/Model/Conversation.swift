import Foundation

/// One conversation, as the list shows it.
public struct Conversation: Identifiable, Sendable, Codable, Hashable {
  public var id: ConversationID
  /// Nil until somebody named it or the first message gave it a title.
  public var title: String?
  /// The accounts that take part, the owner of this store included, in a stable order.
  public var members: [UserID]
  public var createdAt: Date
  public var updatedAt: Date
  /// The beginning of the newest message, or its attachment's name. Nil while there is none, or when it was deleted.
  public var excerpt: String?
  /// The excerpt is a file's name: the newest message has no text.
  public var isExcerptFile = false
  /// The newest message was deleted by its sender.
  public var isLastDeleted = false
  /// Why the server refuses the whole conversation: its messages stay queued, and none is tried. Nil while it does not.
  public var refusal: FailureReason?

  public init(
    id: ConversationID, title: String? = nil, members: [UserID], createdAt: Date, updatedAt: Date,
    excerpt: String? = nil, isExcerptFile: Bool = false, isLastDeleted: Bool = false,
    refusal: FailureReason? = nil
  ) {
    self.id = id
    self.title = title
    self.members = members
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.excerpt = excerpt
    self.isExcerptFile = isExcerptFile
    self.isLastDeleted = isLastDeleted
    self.refusal = refusal
  }

}
