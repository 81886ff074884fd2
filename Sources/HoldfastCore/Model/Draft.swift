import Foundation

/// Which of a conversation's two drafts: the new message, or the edit of an old one (SPEC D1).
public enum DraftSlot: String, Sendable, Codable, Hashable {
  case new, edit
}

/// What a composer holds: exactly as typed, untrimmed.
public struct DraftContent: Sendable, Codable, Hashable {
  public var text: String
  /// In UTF-16 code units of `text`. Nil when unknown.
  public var selection: TextRange?
  /// The message that this one answers. Nil: none.
  public var replyTo: MessageID?
  /// Mentions and spans of `text`, in the app's own format: the engine keeps them, and reads nothing in them.
  /// Nil: plain text.
  public var formatting: Data?
  /// In the order in which they were picked. An edit has none.
  public var attachments: [Attachment]

  public init(
    _ text: String = "", selection: TextRange? = nil, replyTo: MessageID? = nil, formatting: Data? = nil,
    attachments: [Attachment] = []
  ) {
    self.text = text
    self.selection = selection
    self.replyTo = replyTo
    self.formatting = formatting
    self.attachments = attachments
  }

  /// Nothing worth keeping: white space is no draft, and an attachment is one (SPEC D6).
  package var isEmpty: Bool { attachments.isEmpty && hasBlankText }

  /// Decided by scalars, as sending trims by scalars: a space with a combining mark is something.
  package var hasBlankText: Bool { text.unicodeScalars.allSatisfy(\.properties.isWhitespace) }

  /// Exactly as typed: two texts that differ in their code units only are two.
  public static func == (left: DraftContent, right: DraftContent) -> Bool {
    left.selection == right.selection && left.replyTo == right.replyTo && left.formatting == right.formatting
      && left.attachments == right.attachments
      && left.text.hasSameBytes(as: right.text)
  }

  /// Both texts and the files of both, the older first: nothing is dropped. Spans of the second would be in the wrong place, and stay
  /// behind.
  package static func merge(_ first: DraftContent, _ second: DraftContent) -> DraftContent {
    if first.isEmpty { return second }
    var merged = first.hasBlankText ? second : DraftContent(first.text, formatting: first.formatting)
    if !first.hasBlankText, !second.hasBlankText { merged.text += "\n" + second.text }
    merged.replyTo = first.replyTo ?? second.replyTo
    merged.attachments = joined(first.attachments, second.attachments)
    return merged
  }

  /// The files of both, each once.
  package static func joined(_ first: [Attachment], _ second: [Attachment]) -> [Attachment] {
    first + second.filter { attachment in !first.contains { $0.id == attachment.id } }
  }

  /// The selection where it fits the text, else none (SPEC D9): in range, in order, and never inside a surrogate
  /// pair, where no text field can put its cursor. Inside a cluster of several scalars, such as a family of emoji or a
  /// letter with its accent, it may be: fields put it there, and what is one cluster changes with each edition of
  /// Unicode.
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

/// A draft as stored.
package struct StoredDraft: Equatable {
  package var content: DraftContent
  /// The message that it is the edit of. Nil in the other slot.
  package var editing: MessageID?
  package var edition: DraftEdition
  /// The session of the app that wrote it.
  package var session: String
  package var updatedAt: Date

  package init(
    content: DraftContent, editing: MessageID? = nil, edition: DraftEdition, session: String, updatedAt: Date
  ) {
    self.content = content
    self.editing = editing
    self.edition = edition
    self.session = session
    self.updatedAt = updatedAt
  }

}

/// What is stored of a draft, as one process tells it from what another has stored since.
package struct DraftEdition: Equatable, Sendable {
  /// The draft's own, from its first save until it is sent or discarded. What is written after that has another.
  package var id: String
  /// Each save's own.
  package var revision: Int64

  package init(id: String, revision: Int64) {
    self.id = id
    self.revision = revision
  }

}

/// Which draft: a conversation's new message, or its edit.
package struct DraftKey: Hashable, Sendable {
  package var conversation: ConversationID
  package var slot: DraftSlot = .new

  package init(conversation: ConversationID, slot: DraftSlot = .new) {
    self.conversation = conversation
    self.slot = slot
  }

}
