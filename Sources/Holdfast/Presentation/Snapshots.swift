import Foundation
import HoldfastCore
import HoldfastStore

/// A conversation's timeline as it is shown, from the oldest loaded row to the newest.
public struct ConversationSnapshot: Sendable, Codable, Hashable {
  public var id: ConversationID
  /// The title, or the other members' names if it has none. Empty when the conversation does not exist.
  public var title: String
  /// The loaded messages, oldest first.
  public var rows: [MessageRow]
  /// Whether there are messages before the first row. `ConversationModel.loadOlder()` loads more of them.
  public var hasOlder: Bool
  /// Whether there are messages after the last row, which is possible in a timeline that was opened around a message.
  /// `ConversationModel.loadNewer()` loads more of them, and `loadNewest()` goes to the end.
  public var hasNewer = false
  /// Whether the conversation is in the store and not deleted (rule R5).
  public var exists: Bool
  /// The reason why the server refuses the whole conversation (rule O8). Its messages stay queued until
  /// ``ConversationHandle/retry()``. Nil while the server does not refuse it.
  public var refusal: FailureReason?
  /// Whether messages older than all stored ones are not on this device although the server has them: they were
  /// removed to make room (``ChatConfiguration/HistoryLimits``), or have never arrived.
  public var hasEvicted = false
  /// The messages before the first row (rule B6), for the line or the button above it.
  /// `ConversationModel.loadOlder()` loads them.
  public var older: OlderMessages
  /// The request that a backend has not answered yet (rule P1). Nil when every request is answered.
  public var processing: ProcessingRequest?
  /// The text in place of rows, in English or by ``ChatConfiguration/texts``: "No messages yet", or "Conversation not
  /// found". Nil when there are rows, and in a model that could not read its timeline or has not read it yet.
  public internal(set) var note: String?
  /// The reason why the timeline could not be read (rule V5). The other values are then those of the last read, or
  /// empty. Nil while it can be read. ``ConversationModel/problem`` is the same for a view.
  public package(set) var problem: ChatError?
  /// The text above the first row, in English or by ``ChatConfiguration/texts``: older messages are being loaded,
  /// load when the device is online, could not be loaded, or were removed to make room. Nil when there is nothing to
  /// report, and without rows, where ``note`` reports it.
  public internal(set) var noteAbove: String?

  /// A snapshot with these values, for previews and tests.
  public init(
    id: ConversationID, title: String, rows: [MessageRow], hasOlder: Bool = false, hasNewer: Bool = false,
    exists: Bool = true, refusal: FailureReason? = nil, hasEvicted: Bool = false,
    processing: ProcessingRequest? = nil, older: OlderMessages? = nil
  ) {
    self.init(
      id: id, title: title, rows: rows, hasOlder: hasOlder, hasNewer: hasNewer, exists: exists,
      refusal: refusal,
      hasEvicted: hasEvicted, processing: processing, older: older, texts: \.english)
  }

  /// - Parameter texts: makes the texts. Making them in English first would cost as much again.
  init(
    id: ConversationID, title: String, rows: [MessageRow], hasOlder: Bool = false, hasNewer: Bool = false,
    exists: Bool = true, refusal: FailureReason? = nil, hasEvicted: Bool = false,
    processing: ProcessingRequest? = nil, older: OlderMessages? = nil,
    texts: (ChatConfiguration.ShownText) -> String
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
    self.older = older ?? (hasOlder ? .onDevice : hasEvicted ? .removed : .none)
    localize(with: texts)
  }
}

extension ConversationSnapshot {
  /// The location of the messages before a timeline's first row.
  public enum OlderMessages: Sendable, Codable, Hashable {
    /// Older messages are on this device. They are shown at once.
    case onDevice
    /// The server may have older messages, and can be asked.
    case onServer
    /// The server is being asked.
    case loading
    /// The server may have older messages, and cannot be asked now. A requested page arrives when it can.
    case offline
    /// The server was asked and has not given them. They can be asked for again.
    case failed(FailureReason)
    /// They were removed to make room, and cannot be loaded again.
    case removed
    /// The first row is the beginning of the conversation.
    case none
  }
}

/// The list of conversations, newest first (rule H4).
public struct ConversationListSnapshot: Sendable, Codable, Hashable {
  /// The kind of a row's excerpt, for its style or an icon. Excerpts in place of a message's text are in English, or
  /// by ``ChatConfiguration/texts``.
  public enum ExcerptKind: String, Sendable, Codable, Hashable {
    /// The beginning of the newest message.
    case message
    /// There is no text to show: no message, or a reply before its first word. The excerpt says so.
    case empty
    /// The name of the newest message's first file. The message has no text.
    case file
    /// The newest message has images, and neither a text nor a file. The excerpt says so.
    case image
    /// The newest message has videos, and nothing else. The excerpt says so.
    case video
    /// The beginning of the draft, or the name of its first file.
    case draft
    /// The newest message was deleted by its sender. The excerpt says so.
    case deleted
  }

  /// A conversation that was deleted or emptied a moment ago. ``ConversationHandle/undoDeletion()`` brings it back, or
  /// ``ConversationHandle/undoEmptying()`` its messages.
  public struct Undoable: Identifiable, Sendable, Codable, Hashable {
    public var id: ConversationID
    /// The title that the conversation had.
    public var title: String
    /// Whether the conversation was emptied, and is itself still there.
    public var isEmptied = false
    /// The text of the banner in English, or by ``ChatConfiguration/texts``: "“Weekend trip” deleted". A button with
    /// Undo is beside it.
    public internal(set) var text = ""

    /// A deletion with these values, for previews and tests.
    public init(id: ConversationID, title: String, isEmptied: Bool = false) {
      self.id = id
      self.title = title
      self.isEmptied = isEmptied
      localizeInEnglish()
    }
  }

  /// One conversation, as the list shows it.
  public struct Row: Identifiable, Sendable, Codable, Hashable {
    public var id: ConversationID
    /// The conversation's title, or the other members' names if it has none.
    public var title: String
    /// The accounts that take part, this user's included. ``ChatConfiguration/displayName`` has their names.
    public var members: [UserID]
    /// The app's own data about the conversation: ``ConversationHandle/setMetadata(_:)``. Nil when it gave none.
    public var metadata: Data?
    /// The beginning of the newest message, or of the draft.
    public var excerpt: String
    /// Whether the excerpt is the conversation's draft.
    public var isDraft: Bool
    /// The source of the excerpt, for its style.
    public var excerptKind: ExcerptKind
    /// The author of the newest message: an account, or an assistant. Nil while there is no message, and for a draft.
    public var excerptSender: UserID?
    /// The name of that author: ``ChatConfiguration/displayName``, or else the ID.
    public var excerptSenderName: String?
    /// The time of the last change, which orders the list.
    public var updatedAt: Date
    /// The number of own messages that wait or failed.
    public var unsentCount: Int
    /// The number of messages of others that this user has not read, up to 1,000:
    /// ``ConversationHandle/markRead(upTo:)``.
    public var unreadCount: Int
    /// The reason why the server refuses the whole conversation. Nil while it does not.
    public var refusal: FailureReason?

    /// A row with these values, for previews and tests.
    public init(
      id: ConversationID, title: String, members: [UserID] = [], metadata: Data? = nil, excerpt: String,
      isDraft: Bool = false, excerptKind: ExcerptKind = .message, excerptSender: UserID? = nil,
      excerptSenderName: String? = nil, updatedAt: Date, unsentCount: Int = 0, unreadCount: Int = 0,
      refusal: FailureReason? = nil
    ) {
      self.id = id
      self.title = title
      self.members = members
      self.metadata = metadata
      self.excerpt = excerpt
      self.isDraft = isDraft
      self.excerptKind = excerptKind
      self.excerptSender = excerptSender
      self.excerptSenderName = excerptSenderName ?? excerptSender.map { ShownNames(for: $0).name(of: $0) }
      self.updatedAt = updatedAt
      self.unsentCount = unsentCount
      self.unreadCount = unreadCount
      self.refusal = refusal
    }
  }
  /// The conversations, newest first.
  public var rows: [Row]
  /// The reason why the list could not be read (rule V5). The other values are then those of the last read, or empty.
  /// Nil while it can be read. ``ConversationListModel/problem`` is the same for a view.
  public package(set) var problem: ChatError?
  /// The conversations that were deleted or emptied in this process in the last eight seconds, the last one first.
  public var undoable: [Undoable] = []
  /// Whether there are conversations after the last row. ``ConversationListModel/loadMore()`` shows more of them.
  public var hasMore = false
  /// The text in place of rows, in English or by ``ChatConfiguration/texts``: "No conversations yet". Nil when there
  /// are rows, and in a model that could not read its list or has not read it yet.
  public internal(set) var note: String?

  /// A list with these rows, for previews and tests.
  public init(rows: [Row], undoable: [Undoable] = [], hasMore: Bool = false) {
    self.rows = rows
    self.undoable = undoable
    self.hasMore = hasMore
    localizeInEnglish()
  }
}

/// The composer as it is shown.
public struct ComposerSnapshot: Sendable, Codable, Hashable {
  /// The text, exactly as typed.
  public var text: String
  /// The selection in UTF-16 code units of `text`, the unit of UITextView, NSTextView and the DOM. Nil when there is
  /// none to restore.
  public var selection: TextRange?
  /// The number of the text's generation. The number increases each time the engine, and not the user's typing,
  /// changes the text: after a restore, a send or a message taken back. A text field takes over `text` and
  /// `selection` when it changes.
  public var generation: Int
  /// Whether the content can be sent, because it has a text or an attachment.
  public var canSend: Bool
  /// The banner above the composer. Nil when there is nothing to report about the draft.
  public var banner: DraftBanner?
  /// The picked attachments, in order. ``ComposerModel/removeAttachment(_:)`` removes one.
  public var attachments: [AttachmentRow] = []
  /// The reason why the last send or save failed, as a sentence. The text is still in the composer. Nil when there is
  /// no problem.
  public var problem: String?
  /// The code of the problem, for an app that writes its own sentence. Nil without a problem.
  public var problemCode: ChatError.Code?
  /// The message that is being edited. Sending gives it the text. Nil while a new message is written.
  public var editing: MessageID?
  /// A message whose edit was begun earlier and not finished. ``ComposerModel/beginEdit(_:)`` continues it. Nil
  /// without such an edit, or while it is being edited here.
  public var unfinishedEdit: MessageID?
  /// The message that this one answers. Nil when it answers none.
  public var replyTo: MessageID?
  /// The formatting that the app gave with the text: mentions and spans. Nil for plain text.
  public var formatting: Data?
  /// Whether there are earlier texts to go back to. ``ComposerModel/versions()`` gives them.
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

extension TimelineSpan {
  /// Adjusts the span to the rows that were read. Returns whether the span has changed.
  @discardableResult mutating func fit(_ snapshot: ConversationSnapshot) -> Bool {
    snapshot.exists && fit(snapshot.rows.map(\.id), hasNewer: snapshot.hasNewer)
  }
}
