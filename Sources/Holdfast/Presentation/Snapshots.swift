import Foundation
import HoldfastCore
import HoldfastStore

/// A conversation's timeline, as it is shown, from the oldest loaded row to the newest.
public struct ConversationSnapshot: Sendable, Codable, Hashable {
  public var id: ConversationID
  /// The title, or the other members' names while there is none. Empty for a conversation that is gone.
  public var title: String
  /// The loaded messages, oldest first.
  public var rows: [MessageRow]
  /// There are older messages than the first row: ask for more with `ConversationModel.loadOlder()`.
  public var hasOlder: Bool
  /// There are newer messages than the last row: ask for more with `ConversationModel.loadNewer()`, or for the end with
  /// `loadNewest()`. Only where the timeline was opened around a message.
  public var hasNewer = false
  /// False when the conversation is not in the store (SPEC R5).
  public var exists: Bool
  /// Why the server refuses the whole conversation (SPEC O8): what is sent in it stays queued until
  /// ``ConversationHandle/retry()``. Nil while it does not.
  public var refusal: FailureReason?
  /// Before the first row there were older messages, which made room (``ChatConfiguration/HistoryLimits``). They are not on this device
  /// any more, and there is no way yet to fetch them again.
  public var hasEvicted = false
  /// What a backend is asked for here, and has not answered (SPEC P1). Nil: nothing.
  public var processing: ProcessingRequest?

  /// A snapshot with these values, for previews and tests.
  public init(
    id: ConversationID, title: String, rows: [MessageRow], hasOlder: Bool = false, hasNewer: Bool = false,
    exists: Bool = true, refusal: FailureReason? = nil, hasEvicted: Bool = false,
    processing: ProcessingRequest? = nil
  ) {
    self.id = id
    self.title = title
    self.rows = rows
    self.hasOlder = hasOlder
    self.hasNewer = hasNewer
    self.exists = exists
    self.refusal = refusal
    self.hasEvicted = hasEvicted
    self.processing = processing
  }
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

  /// A conversation that was deleted a moment ago, and can be brought back with ``ConversationHandle/undoDeletion()``.
  public struct Undoable: Identifiable, Sendable, Codable, Hashable {
    public var id: ConversationID
    /// The title of the deleted conversation.
    public var title: String

    /// An offer with these values, for previews and tests.
    public init(id: ConversationID, title: String) {
      self.id = id
      self.title = title
    }
  }

  /// One conversation, as the list shows it.
  public struct Row: Identifiable, Sendable, Codable, Hashable {
    public var id: ConversationID
    /// The conversation's title, or the other members' names if it has none.
    public var title: String
    /// The beginning of the newest message, or of the draft.
    public var excerpt: String
    /// Whether the excerpt is the conversation's draft.
    public var isDraft: Bool
    /// The source of the excerpt, for its style.
    public var excerptKind: ExcerptKind
    /// The time of the last change, which orders the list.
    public var updatedAt: Date
    /// Own messages that wait or failed.
    public var unsentCount: Int
    /// Why the server refuses the whole conversation. Nil while it does not.
    public var refusal: FailureReason?

    /// A row with these values, for previews and tests.
    public init(
      id: ConversationID, title: String, excerpt: String, isDraft: Bool = false,
      excerptKind: ExcerptKind = .message, updatedAt: Date, unsentCount: Int = 0,
      refusal: FailureReason? = nil
    ) {
      self.id = id
      self.title = title
      self.excerpt = excerpt
      self.isDraft = isDraft
      self.excerptKind = excerptKind
      self.updatedAt = updatedAt
      self.unsentCount = unsentCount
      self.refusal = refusal
    }
  }
  /// The conversations, newest first.
  public var rows: [Row]
  /// What was deleted in this process in the last eight seconds, the last one first: "Conversation deleted - Undo".
  public var undoable: [Undoable] = []

  /// A list with these rows, for previews and tests.
  public init(rows: [Row], undoable: [Undoable] = []) {
    self.rows = rows
    self.undoable = undoable
  }
}

/// The composer, as it is shown.
public struct ComposerSnapshot: Sendable, Codable, Hashable {
  /// The text, exactly as typed.
  public var text: String
  /// The selection in UTF-16 code units of `text` (what UITextView, NSTextView and the DOM count in).
  /// Nil when there is none to restore.
  public var selection: TextRange?
  /// Goes up each time the engine, and not the user's typing, changed the text: after a restore, a send
  /// or a message taken back. A text field takes over `text` and `selection` when this changes.
  public var generation: Int
  /// Whether the content can be sent: it has a text or an attachment.
  public var canSend: Bool
  /// The quiet line above the composer. Nil while there is nothing to say about the draft.
  public var banner: DraftBanner?
  /// What was picked, in order. Each can be taken out with ``ComposerModel/removeAttachment(_:)``.
  public var attachments: [AttachmentRow] = []
  /// Why the last send or save failed, as a sentence. The text is still in the composer.
  public var problem: String?
  /// The code of the problem, for an app that words it itself. Nil: there is none.
  public var problemCode: ChatError.Code?
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

  /// A composer with these values, for previews and tests.
  public init(
    text: String = "", selection: TextRange? = nil, generation: Int = 0, canSend: Bool = false,
    banner: DraftBanner? = nil, attachments: [AttachmentRow] = [], problem: String? = nil,
    problemCode: ChatError.Code? = nil, editing: MessageID? = nil, unfinishedEdit: MessageID? = nil,
    replyTo: MessageID? = nil,
    formatting: Data? = nil, canTakeBack: Bool = false
  ) {
    self.text = text
    self.selection = selection
    self.generation = generation
    self.canSend = canSend
    self.banner = banner
    self.attachments = attachments
    self.problem = problem
    self.problemCode = problemCode
    self.editing = editing
    self.unfinishedEdit = unfinishedEdit
    self.replyTo = replyTo
    self.formatting = formatting
    self.canTakeBack = canTakeBack
  }
}

extension TimelineWindow {
  /// Follows what was read. Returns whether the window has changed.
  @discardableResult mutating func fit(_ snapshot: ConversationSnapshot) -> Bool {
    snapshot.exists && fit(snapshot.rows.map(\.id), hasNewer: snapshot.hasNewer)
  }
}
