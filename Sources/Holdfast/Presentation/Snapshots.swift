import Foundation

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

/// A conversation's timeline, as it is shown, from the oldest loaded row to the newest.
public struct ConversationSnapshot: Sendable, Codable, Hashable {
  public var id: ConversationID
  /// The title, or the other members' names while there is none. Empty for a conversation that is gone.
  public var title: String
  public var rows: [MessageRow]
  /// There are older messages than the first row: ask for more with `ConversationModel.loadOlder()`.
  public var hasOlder: Bool
  /// There are newer messages than the last row: ask for more with `ConversationModel.loadNewer()`, or for the end with
  /// `loadNewest()`. Only where the timeline was opened around a message.
  public var hasNewer = false
  /// False when the conversation is not in the store (SPEC R5).
  public var exists: Bool
  /// Why the server refuses the whole conversation (SPEC O8): what is sent in it stays queued until
  /// ``ChatClient/retryConversation(_:)``. Nil while it does not.
  public var refusal: FailureReason?
  /// Before the first row there were older messages, which made room (``HistoryLimits``). They are not on this device
  /// any more, and there is no way yet to fetch them again.
  public var hasEvicted = false
  /// What a backend is asked for here, and has not answered (SPEC P1). Nil: nothing.
  public var processing: ProcessingRequest?
}

/// The list of conversations, newest first (SPEC H4).
public struct ConversationListSnapshot: Sendable, Codable, Hashable {
  /// What a row's excerpt is, for an app that says it in its user's language, or draws an icon.
  public enum ExcerptKind: String, Sendable, Codable, Hashable {
    /// The beginning of the newest message, or nothing while there is none.
    case message
    /// The name of the newest message's first file: it has no text.
    case file
    /// The beginning of the draft, or its first file's name.
    case draft
    /// The newest message was deleted by its sender: the excerpt says so in English.
    case deleted
  }

  /// A conversation that was deleted a moment ago, and can be brought back with ``ChatClient/undoDeletion(of:)``.
  public struct Undoable: Identifiable, Sendable, Codable, Hashable {
    public var id: ConversationID
    public var title: String
  }

  /// One conversation, as the list shows it.
  public struct Row: Identifiable, Sendable, Codable, Hashable {
    public var id: ConversationID
    public var title: String
    /// The beginning of the newest message, or of the draft.
    public var excerpt: String
    public var isDraft: Bool
    public var excerptKind: ExcerptKind
    public var updatedAt: Date
    /// Own messages that wait or failed.
    public var unsentCount: Int
    /// Why the server refuses the whole conversation. Nil while it does not.
    public var refusal: FailureReason?
  }
  public var rows: [Row]
  /// What was deleted in this process in the last eight seconds, the last one first: "Conversation deleted - Undo".
  public var undoable: [Undoable] = []
}

/// The composer, as it is shown.
public struct ComposerSnapshot: Sendable, Codable, Hashable {
  public var text: String
  /// The selection in UTF-16 code units of `text` (what UITextView, NSTextView and the DOM count in).
  /// Nil when there is none to restore.
  public var selection: TextRange?
  /// Goes up each time the engine, and not the user's typing, changed the text: after a restore, a send
  /// or a message taken back. A text field takes over `text` and `selection` when this changes.
  public var generation: Int
  public var canSend: Bool
  /// The quiet line above the composer. Nil while there is nothing to say about the draft.
  public var banner: DraftBanner?
  /// What was picked, in order. Each can be taken out with ``ComposerModel/removeAttachment(_:)``.
  public var attachments: [AttachmentRow] = []
  /// Why the last send or save failed, as a sentence. The text is still in the composer.
  public var problem: String?
  /// The message that is being edited: sending makes the text its own. Nil: a new message is being written.
  public var editing: MessageID?
  /// A message whose edit was begun earlier and not finished: ``ComposerModel/beginEdit(_:)`` goes on with it. Nil while
  /// it is being edited here, and when there is none.
  public var unfinishedEdit: MessageID?
  /// The message that this one answers.
  public var replyTo: MessageID?
  /// What the app gave with the text: mentions and spans.
  public var formatting: Data?
  /// There are earlier texts to go back to: ``ComposerModel/versions()``.
  public var canTakeBack = false
}

/// The quiet line above a composer that tells of a restored draft, and of one that was discarded (SPEC D10, D11).
public struct DraftBanner: Sendable, Codable, Hashable {
  /// What it says, and which buttons it offers.
  public enum Kind: String, Sendable, Codable, Hashable {
    /// The draft is from an earlier session of the app, or an hour old: **Discard**.
    case recovered
    /// The draft is more than a week old: **Keep** or **Discard**.
    case old
    /// It was discarded just now: **Undo**.
    case discarded
  }
  public var kind: Kind
  /// When the draft was written, on this device's clock: for an app that says it in its own words.
  public var writtenAt: Date
  /// How long ago that was, for an app that says it in its user's language:
  ///
  /// ```swift
  /// switch banner.age {
  /// case .justNow: "à l’instant"
  /// case .minutes(let count): "il y a \(count) min"
  /// case .hours(let count): "il y a \(count) h"
  /// case .yesterday: "hier"
  /// case .days(let count): "il y a \(count) jours"
  /// }
  /// ```
  public var age: DraftAge
  /// In English: "Recovered draft • 5 minutes ago".
  public var text: String
}

/// How long ago something was written, as a person would say it.
///
/// Counted in hours, not by the calendar: *yesterday* is from 24 up to 48 hours ago. So it needs no time zone, and a
/// journey or a changed clock of summer makes nothing younger. An app that wants its calendar's yesterday has the date.
public enum DraftAge: Sendable, Codable, Hashable {
  /// Less than a minute; also for a date in the future, which a clock that was turned back makes.
  case justNow
  /// 1 to 59.
  case minutes(Int)
  /// 1 to 23.
  case hours(Int)
  case yesterday
  /// 2 or more.
  case days(Int)

  init(of date: Date, from now: Date) {
    let seconds = now.timeIntervalSince(date)
    // A date that is none is no age either.
    guard seconds >= 60 else {
      self = .justNow
      return
    }
    func count(_ length: TimeInterval) -> Int { Int(min(seconds / length, 1_000_000)) }
    switch seconds {
    case ..<3600: self = .minutes(count(60))
    case ..<86_400: self = .hours(count(3600))
    case ..<(2 * 86_400): self = .yesterday
    default: self = .days(count(86_400))
    }
  }

  /// In English: "just now", "5 minutes ago", "yesterday".
  var words: String {
    func ago(_ count: Int, _ unit: String) -> String {
      count == 1 ? "1 \(unit) ago" : "\(count) \(unit)s ago"
    }
    return switch self {
    case .justNow: "just now"
    case .minutes(let count): ago(count, "minute")
    case .hours(let count): ago(count, "hour")
    case .yesterday: "yesterday"
    case .days(let count): ago(count, "day")
    }
  }
}

/// A range in UTF-16 code units, from `start` to before `end`.
public struct TextRange: Sendable, Codable, Hashable {
  public var start: Int
  public var end: Int
  public init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }
}

/// The state of the way to the server (SPEC N1).
public enum Connectivity: String, Sendable, Codable, Hashable {
  /// The device has no network.
  case offline
  /// There is a network, and the server does not answer yet, or not any more.
  case reconnecting
  /// The server answers.
  case online
  /// Another process of the app has the connection, and sends what is stored here. What the server says is shown as
  /// that process stores it.
  case elsewhere
}

/// The banner below the navigation bar (SPEC N2).
public struct LinkBanner: Sendable, Codable, Hashable {
  /// Which look and colour it has; connected is green.
  public enum Kind: String, Sendable, Codable, Hashable {
    case offline, reconnecting, connected
  }
  public var kind: Kind
  /// "Offline - 3 messages queued", "Reconnecting...", "Connected".
  public var text: String
}
