import Foundation

/// One conversation, as the list of conversations shows it.
package struct StoredConversation: Identifiable, Sendable, Codable, Hashable {
  package var id: ConversationKey
  /// Its present name.
  package var name: ConversationID
  /// The title. Nil until somebody names the conversation or its first message gives it a title.
  package var title: String?
  /// The accounts that take part, including the owner of this store, in a stable order.
  package var members: [UserID]
  /// The app's own data about the conversation.
  package var metadata: Data?
  package var createdAt: Date
  package var updatedAt: Date
  /// The beginning of the newest message, or the name of its attachment. Nil while there is no message, and
  /// when the newest message was deleted.
  package var excerpt: String?
  /// The author of the newest message. Nil while there is no message.
  package var excerptSender: UserID?
  /// Whether the excerpt is a file's name, because the newest message has no text.
  package var isExcerptFile = false
  /// Whether the newest message has no text, but references to images.
  package var hasImages = false
  /// Whether the newest message has no text, but references to videos.
  package var hasVideos = false
  /// Whether the newest message was deleted by its sender.
  package var isLastDeleted = false
  /// The reason why the server refuses the whole conversation. Its messages then stay queued, and none is
  /// tried. Nil while the server does not refuse it.
  package var refusal: FailureReason?

  /// A conversation with these values.
  package init(
    id: ConversationKey, name: ConversationID, title: String? = nil, members: [UserID], metadata: Data? = nil,
    createdAt: Date,
    updatedAt: Date,
    excerpt: String? = nil, excerptSender: UserID? = nil, isExcerptFile: Bool = false,
    isLastDeleted: Bool = false,
    refusal: FailureReason? = nil
  ) {
    self.id = id
    self.name = name
    self.title = title
    self.members = members
    self.metadata = metadata
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.excerpt = excerpt
    self.excerptSender = excerptSender
    self.isExcerptFile = isExcerptFile
    self.isLastDeleted = isLastDeleted
    self.refusal = refusal
  }

}
