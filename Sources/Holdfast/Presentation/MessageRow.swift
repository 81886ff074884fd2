import Foundation
import HoldfastCore
import HoldfastStore

/// One row of the timeline as it is shown. A view draws the row and decides nothing.
@dynamicMemberLookup public struct MessageRow: Identifiable, Sendable, Codable, Hashable {
  public var id: MessageID
  /// The account that sent the message.
  public var sender: UserID
  /// The name of that account: ``ChatConfiguration/displayName``, or else its ID.
  public var senderName: String
  /// Whether this user sent the message.
  public var isMine: Bool
  /// The role of the message's author.
  public var role: MessageRole
  /// The shown content: the text with a waiting edit, the reasoning of a model, references to images and videos, the
  /// app's own data. Empty once the message is deleted. The content of somebody else is untrusted. The message that
  /// it answers is shown by ``quote``.
  public var content: MessageContent
  /// The server's time once the message is delivered, the device's time before.
  public var createdAt: Date
  /// The time when the text was last changed. Nil when it was never changed.
  public var editedAt: Date?
  /// Whether the sender has deleted the message. A deleted message has no text to show, but a ``note``.
  public var isDeleted: Bool { didSet { note = Self.note(isDeleted) } }
  /// The text in place of the message's own, in English or by ``ChatConfiguration/texts``: "Message deleted". Nil while
  /// the message has a text of its own.
  public private(set) var note: String?
  /// The reactions in the order of their values, each value once.
  public var reactions: [MessageRow.Reaction]
  /// Whether the message is delivered, being sent, queued, held, failed, or incomplete, and the line about it.
  public var status: MessageStatus
  /// Whether the text is a reply whose tokens were produced on this device, and not one that others write and this
  /// device only shows. False once the reply is complete.
  public var isWrittenHere = false
  /// The actions that a tap on the row offers, in the order of a menu. When there are none, a tap does nothing.
  public var actions: [MessageRow.Action] = []
  /// The operation of this user that the server has not accepted: a failed one, or else the last one. Nil when there
  /// is no such operation.
  public var operation: MessageRow.Operation?
  /// The message that this message answers. Nil when it answers none, or when it is deleted.
  public var quote: MessageRow.Quote?
  /// The attachments, in order. Empty once the message is deleted.
  public var attachments: [AttachmentRow] = []
  /// The number of earlier answers that this device keeps of a regenerated one: ``MessageHandle/versions()``.
  public var versions = 0
  /// The other members that have read the message, in the order of their IDs. Empty until it is delivered.
  public var readBy: [UserID] = []

  /// A row with these values, for previews and tests.
  public init(
    id: MessageID, sender: UserID, senderName: String? = nil, isMine: Bool, role: MessageRole,
    content: MessageContent, createdAt: Date, editedAt: Date? = nil, isDeleted: Bool = false,
    reactions: [MessageRow.Reaction] = [], status: MessageStatus = MessageStatus(.delivered),
    isWrittenHere: Bool = false, actions: [MessageRow.Action] = [], operation: MessageRow.Operation? = nil,
    quote: MessageRow.Quote? = nil, attachments: [AttachmentRow] = [], readBy: [UserID] = []
  ) {
    self.id = id
    self.sender = sender
    self.senderName = senderName ?? ShownNames(for: sender).name(of: sender)
    self.isMine = isMine
    self.role = role
    self.content = content
    self.createdAt = createdAt
    self.editedAt = editedAt
    self.isDeleted = isDeleted
    note = Self.note(isDeleted)
    self.reactions = reactions
    self.status = status
    self.isWrittenHere = isWrittenHere
    self.actions = actions
    self.operation = operation
    self.quote = quote
    self.attachments = attachments
    self.readBy = readBy
  }

  /// The text and the other parts of ``content``, as in `row.text`.
  public subscript<Value>(dynamicMember field: WritableKeyPath<MessageContent, Value>) -> Value {
    get { content[keyPath: field] }
    set { content[keyPath: field] = newValue }
  }

  private static func note(_ isDeleted: Bool) -> String? {
    isDeleted ? ChatConfiguration.ShownText.messageDeleted.english : nil
  }
}

extension MessageRow: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    status.localize(with: texts)
    note = isDeleted ? texts(.messageDeleted) : nil
    operation?.localize(with: texts)
    quote?.localize(with: texts)
  }
}

extension MessageRow {
  /// The message that another message answers, as it is shown over the answer. The quote follows changes of that
  /// message.
  public struct Quote: Identifiable, Sendable, Codable, Hashable {
    public var id: MessageID
    /// The account that sent the message. Nil when the message is not on this device.
    public var sender: UserID?
    /// The name of that account: ``ChatConfiguration/displayName``, or else its ID. Nil when the message is not on this
    /// device.
    public var senderName: String?
    /// Whether this user sent the message.
    public var isMine: Bool
    /// The first line of the text, at most 200 characters. Empty when the message was deleted, or is not on this
    /// device.
    public var excerpt: String
    /// Whether its sender has deleted the message.
    public var isDeleted: Bool
    /// The text in place of the excerpt, in English or by ``ChatConfiguration/texts``: "Message deleted", "Message
    /// not on this device". Nil when there is an excerpt.
    public private(set) var note: String?

    /// A quote with these values, for previews and tests.
    public init(
      id: MessageID, sender: UserID? = nil, senderName: String? = nil, isMine: Bool = false,
      excerpt: String = "", isDeleted: Bool = false
    ) {
      self.id = id
      self.sender = sender
      self.senderName = senderName ?? sender.map { ShownNames(for: $0).name(of: $0) }
      self.isMine = isMine
      self.excerpt = excerpt
      self.isDeleted = isDeleted
      localizeInEnglish()
    }
  }
}

extension MessageRow.Quote: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    note = isDeleted ? texts(.messageDeleted) : sender == nil ? texts(.messageNotHere) : nil
  }
}

extension MessageRow {
  /// One reaction to a message, and the number of people who gave it.
  public struct Reaction: Sendable, Codable, Hashable {
    /// The reaction, usually an emoji.
    public var value: String
    /// The number of people who reacted with it, this user included.
    public var count: Int
    /// Whether this user is among those who reacted.
    public var isMine: Bool

    /// A reaction with these values, for previews and tests.
    public init(value: String, count: Int, isMine: Bool) {
      self.value = value
      self.count = count
      self.isMine = isMine
    }
  }
}

extension MessageRow {
  /// An edit, a deletion or a reaction that the server has not accepted (rule O14). While the operation waits, the row
  /// shows its effect. Once it has failed, the row shows the message as everybody else sees it.
  public struct Operation: Identifiable, Sendable, Codable, Hashable {
    /// The operation's ID, for a ``MessageHandle`` that retries, cancels or explains it.
    public var id: MessageID
    /// The kind of operation.
    public var kind: MessageOperation.Kind
    /// The new text of an edit, for a failed edit that is to go back into a composer; or the reaction. Empty for a
    /// deletion.
    public var text: String
    /// The status of the operation. Its text names the operation too, in English or by ``ChatConfiguration/texts``:
    /// "Edit queued - Will send when online", "Deletion failed - Tap to retry".
    public private(set) var status: MessageStatus

    /// An operation with these values, for previews and tests.
    public init(id: MessageID, kind: MessageOperation.Kind, text: String, status: MessageStatus) {
      self.id = id
      self.kind = kind
      self.text = text
      self.status = status
      localizeInEnglish()
    }
  }
}

extension MessageRow.Operation: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    status.localize(with: texts)
    status.text = texts(.operation(kind, ChatConfiguration.ShownText.Status(status)))
  }
}
