import HoldfastCore

/// A message that is imported.
package struct ImportedMessage {
  /// Nil when the message has no ID that the store can keep.
  package var id: String?
  package var role: MessageRole
  package var content: MessageContent
  package var status: String?
  /// Nil when the message has no date, or an impossible one.
  package var createdAt: Int64?
  package var sender: UserID?
  package var order: Int64?
  /// The server's own name of the message.
  package var serverID: String?
  package var readBy: [String]
  package var editedAt: Int64?
  package var deletedAt: Int64?
  package var revision: Int64
  package var reactions: [Reaction]
  package var attachments: [ChatAttachment]

  package init(
    id: String? = nil, role: MessageRole, content: MessageContent, status: String? = nil,
    createdAt: Int64? = nil, sender: UserID? = nil, order: Int64? = nil, readBy: [String],
    editedAt: Int64? = nil, deletedAt: Int64? = nil, revision: Int64, reactions: [Reaction],
    attachments: [ChatAttachment]
  ) {
    self.id = id
    self.role = role
    self.content = content
    self.status = status
    self.createdAt = createdAt
    self.sender = sender
    self.order = order
    self.readBy = readBy
    self.editedAt = editedAt
    self.deletedAt = deletedAt
    self.revision = revision
    self.reactions = reactions
    self.attachments = attachments
  }

  package struct Reaction: Decodable {
    package var by: String
    package var value: String
    package var serverName: String?

    package init(by: String, value: String, serverName: String? = nil) {
      self.by = by
      self.value = value
      self.serverName = serverName
    }

  }
}
