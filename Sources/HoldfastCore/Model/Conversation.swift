import Foundation

/// One conversation, as the list of conversations shows it.
public struct Conversation: Identifiable, Sendable, Codable, Hashable {
  public var id: ConversationID
  /// The title. Nil until somebody names the conversation or its first message gives it a title.
  public var title: String?
  /// The accounts that take part, including the owner of this store, in a stable order.
  public var members: [UserID]
  public var createdAt: Date
  public var updatedAt: Date
  /// The beginning of the newest message, or the name of its attachment. Nil while there is no message, and
  /// when the newest message was deleted.
  public var excerpt: String?
  /// Whether the excerpt is a file's name, because the newest message has no text.
  public var isExcerptFile = false
  /// Whether the newest message was deleted by its sender.
  public var isLastDeleted = false
  /// The reason why the server refuses the whole conversation. Its messages then stay queued, and none is
  /// tried. Nil while the server does not refuse it.
  public var refusal: FailureReason?

  /// A conversation with these values, for previews and tests.
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
