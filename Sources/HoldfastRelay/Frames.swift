import Foundation
import HoldfastCore

/// The frames of the relay's wire format, version 1, as `docs/wire.md` describes them. The client's
/// ``FrameTransport`` and `ChatServer` share them, so that they cannot drift apart.
package enum Wire {
  package static let version = 1

  package struct Hello: Codable, Hashable, Sendable {
    package var version: Int
    /// The last cursor that this device has stored. Nil on a new device.
    package var after: Int64?
    /// The ID of the sender's store. Older connections of the same store count as gone. Nil: every connection
    /// counts.
    package var device: String?
    /// The request for only the newest messages, without `after`. A server that does not know the field sends all.
    package var recent: Recent?
    package init(version: Int = Wire.version, after: Int64?, device: String? = nil, recent: Recent? = nil) {
      self.version = version
      self.after = after
      self.device = device
      self.recent = recent
    }
  }

  package struct Sync: Codable, Hashable, Sendable {
    package var after: Int64?
    /// As in ``Hello``.
    package var recent: Recent?
    package init(after: Int64?, recent: Recent? = nil) {
      self.after = after
      self.recent = recent
    }
  }

  package struct Send: Codable, Hashable, Sendable {
    package var messages: [Outgoing]
    package init(messages: [Outgoing]) { self.messages = messages }
  }

  @dynamicMemberLookup
  package struct Outgoing: Hashable, Sendable {
    package var id: String
    package var conversation: String
    /// Present while the sender does not know whether the server has the conversation.
    package var members: [String]?
    package var title: String?
    package var role: String
    /// The name of the assistant that the account writes for. Absent when the account writes for itself.
    package var assistant: String?
    /// The content of the message. In the frame, its fields are beside the others.
    package var content: MessageContent
    /// Milliseconds since 1970, on the sender's clock.
    package var at: Int64
    /// Attachments that are complete on the server. The server refuses a message with an attachment that it does not
    /// have.
    package var attachments: [AttachmentItem]?
    package var predecessor: String?
    package var handover: Int64
    /// Present when this is an operation on a message, and not a message.
    package var operation: Operation?
    package init(
      id: String, conversation: String, members: [String]?, title: String?, role: String,
      assistant: String? = nil, content: MessageContent, at: Int64, attachments: [AttachmentItem]? = nil,
      predecessor: String?,
      handover: Int64, operation: Operation? = nil
    ) {
      self.id = id
      self.conversation = conversation
      self.members = members
      self.title = title
      self.role = role
      self.assistant = assistant
      self.content = content
      self.at = at
      self.attachments = attachments
      self.predecessor = predecessor
      self.handover = handover
      self.operation = operation
    }

    package subscript<Value>(dynamicMember field: WritableKeyPath<MessageContent, Value>) -> Value {
      get { content[keyPath: field] }
      set { content[keyPath: field] = newValue }
    }
  }

  package struct Operation: Codable, Hashable, Sendable {
    /// A ``MessageOperation/Kind``. A kind that the server does not know is rejected, not malformed.
    package var kind: String
    /// The ID of the message.
    package var target: String
    /// Whether an edit replaces all of the content. Absent: it replaces only the text. So does a server that does
    /// not know the field.
    package var whole: Bool?
    package init(kind: String, target: String, whole: Bool? = nil) {
      self.kind = kind
      self.target = target
      self.whole = whole
    }
  }

  package struct Piece: Codable, Hashable, Sendable {
    package var id: String
    package var conversation: String
    /// Set by the server. It ignores a client's value.
    package var sender: String?
    package var role: String
    package var assistant: String?
    package var sequence: Int64
    package var text: String
    package var reasoning: String?
    /// In the first piece: the request that the message answers.
    package var request: String?
    package init(
      id: String, conversation: String, sender: String?, role: String, assistant: String? = nil,
      sequence: Int64, text: String, reasoning: String?, request: String? = nil
    ) {
      self.id = id
      self.conversation = conversation
      self.sender = sender
      self.role = role
      self.assistant = assistant
      self.sequence = sequence
      self.text = text
      self.reasoning = reasoning
      self.request = request
    }
  }

  /// The account has read a conversation up to a message.
  package struct Read: Codable, Hashable, Sendable {
    package var conversation: String
    package var message: String
    package init(conversation: String, message: String) {
      self.conversation = conversation
      self.message = message
    }
  }

  package struct Welcome: Codable, Hashable, Sendable {
    package var version: Int
    package var account: String
    package var maximumMessageBytes: Int
    /// The types of client frames that this server accepts and earlier servers of this version do not. Absent when
    /// there are none.
    package var frames: [String]?
    package init(
      version: Int = Wire.version, account: String, maximumMessageBytes: Int, frames: [String]? = nil
    ) {
      self.version = version
      self.account = account
      self.maximumMessageBytes = maximumMessageBytes
      self.frames = frames
    }
  }

  /// A page of the account's events. It continues from the page that ended at `after`. A client whose place is
  /// before `after` has missed a page, and requests it with `sync`.
  package struct Events: Codable, Hashable, Sendable {
    package var after: Int64?
    package var cursor: Int64
    package var items: [Item]
    /// Whether there is more. The client requests it with `sync` once it has stored this page.
    package var more: Bool
    /// The place of a page of the newest messages. Such a page is not part of the log, and `cursor` is where the log
    /// continues.
    package var recent: RecentPlace?
    package init(after: Int64?, cursor: Int64, items: [Item], more: Bool, recent: RecentPlace? = nil) {
      self.recent = recent
      self.after = after
      self.cursor = cursor
      self.items = items
      self.more = more
    }
  }

  /// An item of a page. Exactly one of the fields is set. An item of an unknown kind has none, and is skipped.
  package struct Item: Codable, Hashable, Sendable {
    package var conversation: ConversationItem?
    package var message: MessageItem?
    package var readMark: ReadMarkItem?
    /// The ID of a conversation that was deleted for everyone.
    package var removed: String?
    package init(
      conversation: ConversationItem? = nil, message: MessageItem? = nil, readMark: ReadMarkItem? = nil,
      removed: String? = nil
    ) {
      self.conversation = conversation
      self.message = message
      self.readMark = readMark
      self.removed = removed
    }
  }

  /// The newest message that a member has read, in its present state.
  package struct ReadMarkItem: Codable, Hashable, Sendable {
    package var conversation: String
    package var reader: String
    package var message: String
    /// The order of the message.
    package var order: Int64
    package init(conversation: String, reader: String, message: String, order: Int64) {
      self.conversation = conversation
      self.reader = reader
      self.message = message
      self.order = order
    }
  }

  package struct ConversationItem: Codable, Hashable, Sendable {
    package var id: String
    package var title: String?
    package var members: [String]
    /// The earlier IDs of the conversation. Absent when there are none.
    package var earlier: [String]?
    /// Why no messages are accepted, as a sentence for the user. Absent while members may write.
    package var refusal: String?
    /// The order before which messages were left out. Absent when none were.
    package var older: Int64?
    package init(
      id: String, title: String?, members: [String], earlier: [String]? = nil, refusal: String? = nil,
      older: Int64? = nil
    ) {
      self.id = id
      self.title = title
      self.members = members
      self.earlier = earlier
      self.refusal = refusal
      self.older = older
    }
  }

  /// A message in its present state, regardless of the event of the log that refers to it.
  @dynamicMemberLookup
  package struct MessageItem: Hashable, Sendable {
    package var id: String
    package var conversation: String
    package var sender: String
    package var role: String
    /// The name of the assistant that the sender wrote for. Absent when the sender wrote for itself.
    package var assistant: String?
    package var content: MessageContent
    package var order: Int64
    /// Milliseconds since 1970, on the server's clock.
    package var at: Int64
    /// The number of accepted changes. Absent when 0.
    package var revision: Int64?
    package var editedAt: Int64?
    /// The time of the deletion. The text is then empty.
    package var deletedAt: Int64?
    /// Sorted by value and sender. Absent when there are none.
    package var reactions: [ReactionItem]?
    package var attachments: [AttachmentItem]?
    package init(
      id: String, conversation: String, sender: String, role: String, assistant: String? = nil,
      content: MessageContent, order: Int64, at: Int64, revision: Int64? = nil, editedAt: Int64? = nil,
      deletedAt: Int64? = nil,
      reactions: [ReactionItem]? = nil, attachments: [AttachmentItem]? = nil
    ) {
      self.id = id
      self.conversation = conversation
      self.sender = sender
      self.role = role
      self.assistant = assistant
      self.content = content
      self.order = order
      self.at = at
      self.revision = revision
      self.editedAt = editedAt
      self.deletedAt = deletedAt
      self.reactions = reactions
      self.attachments = attachments
    }

    package subscript<Value>(dynamicMember field: WritableKeyPath<MessageContent, Value>) -> Value {
      get { content[keyPath: field] }
      set { content[keyPath: field] = newValue }
    }
  }

  package struct ReactionItem: Codable, Hashable, Sendable {
    package var value: String
    package var senders: [String]
    package init(value: String, senders: [String]) {
      self.value = value
      self.senders = senders
    }
  }

  package struct Receipts: Codable, Hashable, Sendable {
    package var items: [ReceiptItem]
    package init(items: [ReceiptItem]) { self.items = items }
  }

  package struct ReceiptItem: Codable, Hashable, Sendable {
    package var id: String
    package var conversation: String
    /// The order of the message. For an operation: the order of its message.
    package var order: Int64
    package var at: Int64
    /// For an operation: the revision of its message that shows the change. Absent for a message.
    package var revision: Int64?
    package init(id: String, conversation: String, order: Int64, at: Int64, revision: Int64? = nil) {
      self.id = id
      self.conversation = conversation
      self.order = order
      self.at = at
      self.revision = revision
    }
  }

  package struct Refused: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable {
      case gap, busy, transient, rejected, missing
    }
    package var id: String
    package var handover: Int64
    package var kind: Kind
    /// With `busy` and `transient`: milliseconds to wait. Absent when the server sets no delay.
    package var retryAfter: Int64?
    /// With `rejected`: a ``FailureReason/Code`` and a sentence for the user.
    package var code: String?
    package var explanation: String?
    package init(
      id: String, handover: Int64, kind: Kind, retryAfter: Int64? = nil, code: String? = nil,
      explanation: String? = nil
    ) {
      self.id = id
      self.handover = handover
      self.kind = kind
      self.retryAfter = retryAfter
      self.code = code
      self.explanation = explanation
    }
  }

  /// The response to a ping, with the end of the last page that was sent on this connection. A client whose place is
  /// before that end has missed the page, and would not notice while the conversation is quiet.
  package struct Pong: Codable, Hashable, Sendable {
    /// Nil while the client is catching up.
    package var cursor: Int64?
    package init(cursor: Int64? = nil) { self.cursor = cursor }
  }

  /// The reason why the server closes the connection after this frame.
  package struct Failure: Codable, Hashable, Sendable {
    package enum Code: String, Codable, Hashable, Sendable {
      case incompatible, malformed, tooLarge, unavailable, overloaded, unauthorized
    }
    package var code: Code
    package var explanation: String
    package var retryAfter: Int64?
    package init(code: Code, explanation: String, retryAfter: Int64? = nil) {
      self.code = code
      self.explanation = explanation
      self.retryAfter = retryAfter
    }
  }
}
