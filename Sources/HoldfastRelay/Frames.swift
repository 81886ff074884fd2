import Foundation
import HoldfastCore

/// The frames of the relay's wire format, version 1, as `docs/wire.md` describes them. Shared by the
/// client's ``FrameTransport`` and by `ChatServer`, so that neither can drift.
package enum Wire {
  package static let version = 1

  package struct Hello: Codable, Hashable, Sendable {
    package var version: Int
    /// The last cursor this device has stored. Nil on a new device.
    package var after: Int64?
    /// The sender's store, so that older connections of the same one are taken for gone. Nil: every connection counts.
    package var device: String?
    package init(version: Int = Wire.version, after: Int64?, device: String? = nil) {
      self.version = version
      self.after = after
      self.device = device
    }
  }

  package struct Sync: Codable, Hashable, Sendable {
    package var after: Int64?
    package init(after: Int64?) { self.after = after }
  }

  package struct Send: Codable, Hashable, Sendable {
    package var messages: [Outgoing]
    package init(messages: [Outgoing]) { self.messages = messages }
  }

  package struct Outgoing: Codable, Hashable, Sendable {
    package var id: String
    package var conversation: String
    /// Present while the sender does not know whether the server knows the conversation.
    package var members: [String]?
    package var title: String?
    package var role: String
    package var body: String
    package var reasoning: String?
    /// Milliseconds since 1970, on the sender's clock.
    package var at: Int64
    /// The message that this one answers.
    package var replyTo: String?
    /// Mentions and spans, in the app's own format; base64 on the wire. Of an edit too.
    package var formatting: Data?
    /// Whole on the server: it refuses a message with one that it does not have.
    package var attachments: [AttachmentItem]?
    package var predecessor: String?
    package var handover: Int64
    /// Present when this is no message, but something done to one.
    package var operation: Operation?
    package init(
      id: String, conversation: String, members: [String]?, title: String?, role: String,
      body: String, reasoning: String?, at: Int64, replyTo: String? = nil, formatting: Data? = nil,
      attachments: [AttachmentItem]? = nil, predecessor: String?, handover: Int64, operation: Operation? = nil
    ) {
      self.id = id
      self.conversation = conversation
      self.members = members
      self.title = title
      self.role = role
      self.body = body
      self.reasoning = reasoning
      self.at = at
      self.replyTo = replyTo
      self.formatting = formatting
      self.attachments = attachments
      self.predecessor = predecessor
      self.handover = handover
      self.operation = operation
    }
  }

  package struct Operation: Codable, Hashable, Sendable {
    /// A ``MessageOperation/Kind``. One that the server does not know is rejected, not malformed.
    package var kind: String
    /// The message's ID.
    package var target: String
    package init(kind: String, target: String) {
      self.kind = kind
      self.target = target
    }
  }

  package struct Piece: Codable, Hashable, Sendable {
    package var id: String
    package var conversation: String
    /// Set by the server; what a client writes here is ignored.
    package var sender: String?
    package var role: String
    package var sequence: Int64
    package var text: String
    package var reasoning: String?
    package init(
      id: String, conversation: String, sender: String?, role: String, sequence: Int64,
      text: String, reasoning: String?
    ) {
      self.id = id
      self.conversation = conversation
      self.sender = sender
      self.role = role
      self.sequence = sequence
      self.text = text
      self.reasoning = reasoning
    }
  }

  package struct Welcome: Codable, Hashable, Sendable {
    package var version: Int
    package var account: String
    package var maximumMessageBytes: Int
    package init(version: Int = Wire.version, account: String, maximumMessageBytes: Int) {
      self.version = version
      self.account = account
      self.maximumMessageBytes = maximumMessageBytes
    }
  }

  /// A page of the account's events. Follows on the page that ended at `after`; a client whose place is
  /// before `after` has missed a page and asks with `sync`.
  package struct Events: Codable, Hashable, Sendable {
    package var after: Int64?
    package var cursor: Int64
    package var items: [Item]
    /// There is more: the client asks for it with `sync` once it has stored this.
    package var more: Bool
    package init(after: Int64?, cursor: Int64, items: [Item], more: Bool) {
      self.after = after
      self.cursor = cursor
      self.items = items
      self.more = more
    }
  }

  /// Exactly one of the fields is set. An item of a kind that the client does not know has none, and is
  /// passed over.
  package struct Item: Codable, Hashable, Sendable {
    package var conversation: ConversationItem?
    package var message: MessageItem?
    package init(conversation: ConversationItem? = nil, message: MessageItem? = nil) {
      self.conversation = conversation
      self.message = message
    }
  }

  package struct ConversationItem: Codable, Hashable, Sendable {
    package var id: String
    package var title: String?
    package var members: [String]
    package init(id: String, title: String?, members: [String]) {
      self.id = id
      self.title = title
      self.members = members
    }
  }

  /// A message in its present state, whatever event of the log refers to it.
  package struct MessageItem: Codable, Hashable, Sendable {
    package var id: String
    package var conversation: String
    package var sender: String
    package var role: String
    package var body: String
    package var reasoning: String?
    package var order: Int64
    /// Milliseconds since 1970, on the server's clock.
    package var at: Int64
    /// The number of accepted changes. Absent: 0.
    package var revision: Int64?
    package var editedAt: Int64?
    /// With it the text is empty.
    package var deletedAt: Int64?
    /// Sorted by value and sender. Absent when there are none.
    package var reactions: [ReactionItem]?
    package var replyTo: String?
    package var formatting: Data?
    package var attachments: [AttachmentItem]?
    package init(
      id: String, conversation: String, sender: String, role: String, body: String,
      reasoning: String?, order: Int64, at: Int64, revision: Int64? = nil, editedAt: Int64? = nil,
      deletedAt: Int64? = nil, reactions: [ReactionItem]? = nil, replyTo: String? = nil,
      formatting: Data? = nil, attachments: [AttachmentItem]? = nil
    ) {
      self.id = id
      self.conversation = conversation
      self.sender = sender
      self.role = role
      self.body = body
      self.reasoning = reasoning
      self.order = order
      self.at = at
      self.revision = revision
      self.editedAt = editedAt
      self.deletedAt = deletedAt
      self.reactions = reactions
      self.replyTo = replyTo
      self.formatting = formatting
      self.attachments = attachments
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
    /// Of an operation: its message's.
    package var order: Int64
    package var at: Int64
    /// Of an operation: the revision of its message that shows it. Absent for a message.
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
    /// With `busy` and `transient`: milliseconds to wait, when the server says.
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

  /// Answer to a ping, with the end of the last page that was sent on this connection. A client whose place
  /// is before it has missed that page, and nothing else would tell it while the conversation rests.
  package struct Pong: Codable, Hashable, Sendable {
    /// Nil while the client is catching up.
    package var cursor: Int64?
    package init(cursor: Int64? = nil) { self.cursor = cursor }
  }

  /// The connection cannot go on; the server closes it after this frame.
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
