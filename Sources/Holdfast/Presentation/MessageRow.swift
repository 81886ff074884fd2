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
  /// The account that sent the message.
  public var sender: UserID
  /// Whether this user sent the message.
  public var isMine: Bool
  /// The role of the message's author.
  public var role: MessageRole
  /// The text as it is shown: with an edit that waits, and empty once deleted.
  public var body: String
  /// The reasoning that a model sent with its answer. Nil when it sent none.
  public var reasoning: String?
  /// The server's time once the message is delivered, the device's time before.
  public var createdAt: Date
  /// When the text was last changed. Nil: never.
  public var editedAt: Date?
  /// Its sender deleted it: there is no text to show.
  public var isDeleted: Bool
  /// By value, each once.
  public var reactions: [MessageRow.Reaction]
  /// How the message stands: ``ChatClient/explain(_:)`` explains the same value. The delivery state, the tone and the
  /// status follow from it.
  public var standing: MessageStanding { didSet { derive() } }
  /// Whether the message is delivered, on its way, queued, held or failed.
  public private(set) var delivery: Delivery
  /// Whether the text is whole, still arriving, or cut off.
  public var completeness: Completeness
  /// A reply whose tokens were produced on this device, as opposed to one that others write and this device only shows.
  /// False once it is whole.
  public var isWrittenHere = false
  /// How the status looks.
  public private(set) var tone: Tone
  /// The English text under the message: "Sending...", "Queued - Will send when online", "Waiting to retry", "Held - Tap
  /// to decide", "Failed - Tap to retry"; under a reply that was cut off "Interrupted". Nil once delivered: then the time
  /// stands there.
  public private(set) var status: String?
  /// What a tap on the row offers, in the order of a menu. Empty: a tap does nothing.
  public var actions: [MessageRow.Action] = []
  /// What was done to it here, and is not with the server: something that failed, or else what was done last. Nil:
  /// nothing is left to be done.
  public var operation: MessageRow.Operation?
  /// What the message answers. Nil: nothing, or it is deleted.
  public var quote: MessageRow.Quote?
  /// Mentions and spans of the text, in the app's own format. From somebody else it is to be trusted as little as the
  /// text is.
  public var formatting: Data?
  /// In order. None once it is deleted.
  public var attachments: [AttachmentRow] = []

  /// A row with these values, for previews and tests.
  public init(
    id: MessageID, sender: UserID, isMine: Bool, role: MessageRole, body: String, reasoning: String? = nil,
    createdAt: Date, editedAt: Date? = nil, isDeleted: Bool = false, reactions: [MessageRow.Reaction] = [],
    standing: MessageStanding = MessageStanding(.delivered), completeness: Completeness = .complete,
    isWrittenHere: Bool = false, actions: [MessageRow.Action] = [], operation: MessageRow.Operation? = nil,
    quote: MessageRow.Quote? = nil,
    formatting: Data? = nil, attachments: [AttachmentRow] = []
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
    self.standing = standing
    delivery = standing.delivery
    tone = Tone(standing)
    status = ShownTexts.status(of: standing)
    self.completeness = completeness
    self.isWrittenHere = isWrittenHere
    self.actions = actions
    self.operation = operation
    self.quote = quote
    self.formatting = formatting
    self.attachments = attachments
  }

  /// Shows the content. The answered message is shown by ``quote``.
  mutating func show(_ content: MessageContent) {
    (body, reasoning, formatting) = (content.body, content.reasoning, content.formatting)
  }

  private mutating func derive() {
    (delivery, tone, status) = (standing.delivery, Tone(standing), ShownTexts.status(of: standing))
  }
}

extension MessageRow.Tone {
  /// Gray is for messages that move by themselves while the server answers.
  fileprivate init(_ standing: MessageStanding) {
    switch standing.code {
    case .onItsWay, .leaving, .uploading, .lookedUp, .waitsForAnother: self = .sending
    case .failed: self = .failed
    case .unknown, .delivered, .streaming, .interrupted: self = .delivered
    default: self = .queued
    }
  }
}

extension MessageRow {
  /// The message that another one answers, as it is shown over the answer. It follows what is done to that message.
  public struct Quote: Identifiable, Sendable, Codable, Hashable {
    public var id: MessageID
    /// Nil: the message is not on this device.
    public var sender: UserID?
    /// Whether this user sent the message.
    public var isMine: Bool
    /// The first line of its text, 200 characters at most. Empty for one that was deleted, or is not here.
    public var excerpt: String
    /// Whether its sender has deleted the message.
    public var isDeleted: Bool

    /// A quote with these values, for previews and tests.
    public init(
      id: MessageID, sender: UserID? = nil, isMine: Bool = false, excerpt: String = "",
      isDeleted: Bool = false
    ) {
      self.id = id
      self.sender = sender
      self.isMine = isMine
      self.excerpt = excerpt
      self.isDeleted = isDeleted
    }
  }
}

extension MessageRow {
  /// What several people think of a message, in one sign.
  public struct Reaction: Sendable, Codable, Hashable {
    /// Mostly an emoji.
    public var value: String
    /// How many reacted with it, this user included.
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
  /// An edit, a deletion or a reaction that is not with the server (SPEC O14). While it waits, the row shows what it
  /// does; once it has failed, the row shows the message as everybody else sees it.
  public struct Operation: Identifiable, Sendable, Codable, Hashable {
    /// For `retry`, `cancel` and `explain`.
    public var id: MessageID
    /// The kind of operation.
    public var kind: MessageOperation.Kind
    /// The new text, or the reaction: for a failed edit that is to go back into a composer. Empty for a deletion.
    public var text: String
    /// How it stands: ``ChatClient/explain(_:)`` explains the same value. What follows is made from it.
    public let standing: MessageStanding
    /// Why it failed. Nil while it waits.
    public let failure: FailureReason?
    /// The look of the status line.
    public let tone: MessageRow.Tone
    /// The English text under the message: "Edit queued - Will send when online", "Deletion failed - Tap to retry".
    public let status: String

    /// An operation with these values, for previews and tests.
    public init(id: MessageID, kind: MessageOperation.Kind, text: String, standing: MessageStanding) {
      self.id = id
      self.kind = kind
      self.text = text
      self.standing = standing
      failure = standing.code == .failed ? standing.failure : nil
      tone = MessageRow.Tone(standing)
      status = ShownTexts.status(of: kind, standing)
    }
  }
}
