import Foundation

/// One of a conversation's two drafts: the new message, or the edit of an old one (rule D1).
package enum DraftSlot: String, Sendable, Codable, Hashable {
  case new, edit
}

/// The content of a composer, exactly as typed and untrimmed.
public struct DraftContent: Sendable, Codable, Hashable {
  /// The message that the content is sent as, without the attachments.
  package private(set) var message: MessageContent
  /// The selection, in UTF-16 code units of `text`. Nil when it is unknown.
  public var selection: TextRange?
  /// The attachments, in the order in which they were picked. An edit has none.
  public var attachments: [ChatAttachment]

  /// Content with this text. An empty composer by default.
  public init(
    _ text: String = "", selection: TextRange? = nil, replyTo: MessageID? = nil, formatting: Data? = nil,
    attachments: [ChatAttachment] = []
  ) {
    self.init(
      MessageContent(text, formatting: formatting, replyTo: replyTo), selection: selection,
      attachments: attachments)
  }

  /// The content of a message, and its attachments, in a composer. Fields that nobody types are left out.
  package init(
    _ message: MessageContent, selection: TextRange? = nil, attachments: [ChatAttachment] = []
  ) {
    (self.message, self.selection, self.attachments) = (message.composed, selection, attachments)
  }

  /// The text, exactly as typed.
  public var text: String {
    get { message.text }
    set { message.text = newValue }
  }

  /// The message that this one answers. Nil when it answers none.
  public var replyTo: MessageID? {
    get { message.replyTo }
    set { message.replyTo = newValue }
  }

  /// Mentions and spans of `text`, in the app's own format. The engine keeps them without reading them. Nil for
  /// plain text.
  public var formatting: Data? {
    get { message.formatting }
    set { message.formatting = newValue }
  }

  /// The content with this text, selection and formatting. The other fields stay.
  package func typed(_ text: String, selection: TextRange?, formatting: Data? = nil) -> DraftContent {
    var typed = self
    (typed.text, typed.selection, typed.formatting) = (text, selection, formatting)
    return typed
  }

  /// Whether nothing is worth keeping. A text without a visible character is not a draft; an attachment alone is one
  /// (rule D6).
  package var isEmpty: Bool { attachments.isEmpty && hasBlankText }

  /// Whether the text has no visible character. Sending uses the same rule.
  package var hasBlankText: Bool { text.isBlank }

  /// Compares the text exactly as typed: texts that differ only in their code units are different.
  public static func == (left: DraftContent, right: DraftContent) -> Bool {
    left.selection == right.selection && left.message == right.message
      && left.attachments == right.attachments && left.text.hasSameBytes(as: right.text)
  }

  /// Joins both texts, the older first, and the files of both, so that neither draft is lost. The formatting of
  /// the second text is left out, because its spans would be in the wrong place.
  package static func merge(_ first: DraftContent, _ second: DraftContent) -> DraftContent {
    if first.isEmpty { return second }
    var merged =
      first.hasBlankText ? second : first.typed(first.text, selection: nil, formatting: first.formatting)
    if !first.hasBlankText, !second.hasBlankText { merged.text += "\n" + second.text }
    merged.replyTo = first.replyTo ?? second.replyTo
    merged.attachments = joined(first.attachments, second.attachments)
    return merged
  }

  /// The files of both drafts, each once.
  package static func joined(_ first: [ChatAttachment], _ second: [ChatAttachment]) -> [ChatAttachment] {
    first + second.filter { attachment in !first.contains { $0.id == attachment.id } }
  }

  /// The content, without a selection that does not fit the text (rule D9).
  ///
  /// A selection fits when it is in range and in order, and never inside a surrogate pair, where no text field
  /// can put its cursor. It may be inside a cluster of several scalars, such as a family of emoji or a letter
  /// with its accent: text fields put the cursor there, and each edition of Unicode changes which scalars form
  /// a cluster.
  package var restorable: DraftContent {
    guard let selection, !fits(selection) else { return self }
    var content = self
    content.selection = nil
    return content
  }

  private func fits(_ selection: TextRange) -> Bool {
    let units = text.utf16
    guard selection.start >= 0, selection.start <= selection.end, selection.end <= units.count else {
      return false
    }
    return [selection.start, selection.end].allSatisfy { offset in
      units.index(units.startIndex, offsetBy: offset).samePosition(in: text.unicodeScalars) != nil
    }
  }
}

extension DraftContent {
  private enum CodingKeys: String, CodingKey {
    case selection, attachments
  }

  /// Reads what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try MessageContent(from: decoder),
      selection: try values.decodeIfPresent(TextRange.self, forKey: .selection),
      attachments: try values.decode([ChatAttachment].self, forKey: .attachments))
  }

  /// Writes the parts of the message and those of the composer side by side, each under its own name.
  public func encode(to encoder: any Encoder) throws {
    try message.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(selection, forKey: .selection)
    try values.encode(attachments, forKey: .attachments)
  }
}

/// A draft as stored.
package struct StoredDraft: Equatable {
  package var content: DraftContent
  /// The message that is edited. Nil for the draft of a new message.
  package var editing: MessageID?
  package var edition: DraftEdition
  /// The app session that wrote the draft.
  package var session: String
  package var updatedAt: Date
  /// Whether the user was asked about the old draft and kept it. A change of the draft resets this.
  package var isKept: Bool

  package init(
    content: DraftContent, editing: MessageID? = nil, edition: DraftEdition, session: String, updatedAt: Date,
    isKept: Bool = false
  ) {
    self.content = content
    self.editing = editing
    self.edition = edition
    self.session = session
    self.updatedAt = updatedAt
    self.isKept = isKept
  }

}

/// Identifies one stored state of a draft, so that a process can distinguish it from a state that another process has
/// stored since.
package struct DraftEdition: Equatable, Sendable {
  /// The draft's ID, from its first save until it is sent or discarded. The next draft has another ID.
  package var id: String
  /// The number of the save. Each save has its own.
  package var revision: Int64

  package init(id: String, revision: Int64) {
    self.id = id
    self.revision = revision
  }

}

/// Identifies a draft: the new message of a conversation, or its edit.
package struct DraftKey: Hashable, Sendable {
  package var conversation: ConversationKey
  package var slot: DraftSlot = .new

  package init(conversation: ConversationKey, slot: DraftSlot = .new) {
    self.conversation = conversation
    self.slot = slot
  }

}
