import Foundation
import HoldfastCore
import HoldfastStore

/// One row of the timeline, as it is shown: a view draws it and decides nothing.
public struct MessageRow: Identifiable, Sendable, Codable, Hashable {
  /// How the row's status line looks (SPEC O3).
  public enum Tone: String, Sendable, Codable, Hashable {
    /// Gray.
    case sending
    /// A yellow badge; for a held message too.
    case queued
    /// The time, plain.
    case delivered
    /// Red, with an icon.
    case failed
  }

  public var id: MessageID
  public var sender: UserID
  public var isMine: Bool
  public var role: MessageRole
  public var body: String
  public var reasoning: String?
  public var createdAt: Date
  /// When the text was last changed. Nil: never.
  public var editedAt: Date?
  /// Its sender deleted it: there is no text to show.
  public var isDeleted: Bool
  /// By value, each once.
  public var reactions: [Reaction]
  public var delivery: Delivery
  public var completeness: Completeness
  /// A reply whose tokens were produced on this device, as opposed to one that others write and this device only shows.
  /// False once it is whole.
  public var isWrittenHere = false
  public var tone: Tone
  /// What stands under the message: "Sending...", "Queued - Will send when online", "Queued - Waits for the message that
  /// failed", "Queued - The conversation takes no messages", "Held - Tap to decide", "Failed - Tap to retry", "Unknown -
  /// Tap to decide"; under a reply that was cut off "Interrupted". Nil once delivered: then the time stands there.
  public var status: String?
  /// What a tap on the row offers, in the order of a menu. Empty: a tap does nothing.
  public var actions: [MessageAction] = []
  /// What was done to it here, and is not with the server: something that failed, or else what was done last. Nil:
  /// nothing is left to be done.
  public var change: RowChange?
  /// What the message answers. Nil: nothing, or it is deleted.
  public var quote: Quote?
  /// Mentions and spans of the text, in the app's own format. From somebody else it is to be trusted as little as the
  /// text is.
  public var formatting: Data?
  /// In order. None once it is deleted.
  public var attachments: [AttachmentRow] = []

  public init(
    id: MessageID, sender: UserID, isMine: Bool, role: MessageRole, body: String, reasoning: String? = nil,
    createdAt: Date, editedAt: Date? = nil, isDeleted: Bool = false, reactions: [Reaction] = [],
    delivery: Delivery, completeness: Completeness, tone: Tone, status: String? = nil,
    actions: [MessageAction] = [], change: RowChange? = nil, quote: Quote? = nil, formatting: Data? = nil,
    attachments: [AttachmentRow] = []
  ) {
    self.id = id
    self.sender = sender
    self.isMine = isMine
    self.role = role
    self.body = body
    self.reasoning = reasoning
    self.createdAt = createdAt
    self.editedAt = editedAt
    self.isDeleted = isDeleted
    self.reactions = reactions
    self.delivery = delivery
    self.completeness = completeness
    self.tone = tone
    self.status = status
    self.actions = actions
    self.change = change
    self.quote = quote
    self.formatting = formatting
    self.attachments = attachments
  }

  /// Shows the content. The answered message is shown by ``quote``.
  mutating func show(_ content: MessageContent) {
    (body, reasoning, formatting) = (content.body, content.reasoning, content.formatting)
  }
}

/// The message that another one answers, as it is shown over the answer. It follows what is done to that message.
public struct Quote: Identifiable, Sendable, Codable, Hashable {
  public var id: MessageID
  /// Nil: the message is not on this device.
  public var sender: UserID?
  public var isMine: Bool
  /// The first line of its text, 200 characters at most. Empty for one that was deleted, or is not here.
  public var excerpt: String
  public var isDeleted: Bool
}

/// What several people think of a message, in one sign.
public struct Reaction: Sendable, Codable, Hashable {
  /// Mostly an emoji.
  public var value: String
  /// How many reacted with it, this user included.
  public var count: Int
  public var isMine: Bool
}

/// An edit, a deletion or a reaction that is not with the server (SPEC O14). While it waits, the row shows what it
/// does; once it has failed, the row shows the message as everybody else sees it.
public struct RowChange: Identifiable, Sendable, Codable, Hashable {
  /// For `retry`, `cancel` and `explain`.
  public var id: MessageID
  public var kind: MessageOperation.Kind
  /// The new text, or the reaction: for a failed edit that is to go back into a composer. Empty for a deletion.
  public var text: String
  /// Why it failed. Nil while it waits.
  public var failure: FailureReason?
  public var tone: MessageRow.Tone
  /// What stands under the message: "Edit queued - Will send when online", "Deletion failed - Tap to retry".
  public var status: String
}
