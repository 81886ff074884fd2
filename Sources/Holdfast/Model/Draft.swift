import Foundation

/// Which of a conversation's two drafts: the new message, or the edit of an old one (SPEC D1).
public enum DraftSlot: String, Sendable, Codable, Hashable {
  case new, edit
}

/// What a composer holds: exactly as typed, untrimmed.
public struct DraftContent: Sendable, Codable, Hashable {
  public var text: String
  /// In UTF-16 code units of `text`. Nil when unknown.
  public var selection: TextSelection?
  /// In the order in which they were picked.
  public var attachments: [Attachment]

  public init(_ text: String = "", selection: TextSelection? = nil, attachments: [Attachment] = []) {
    self.text = text
    self.selection = selection
    self.attachments = attachments
  }

  /// Nothing worth keeping: white space is no draft, and an attachment is one (SPEC D6).
  var isEmpty: Bool { attachments.isEmpty && hasBlankText }

  /// Decided by scalars, as sending trims by scalars: a space with a combining mark is something.
  var hasBlankText: Bool { text.unicodeScalars.allSatisfy(\.properties.isWhitespace) }

  /// Exactly as typed: two texts that differ in their code units only are two.
  public static func == (left: DraftContent, right: DraftContent) -> Bool {
    left.selection == right.selection && left.attachments == right.attachments
      && left.text.hasSameBytes(as: right.text)
  }

  /// The selection where it fits the text, else none (SPEC D9): in range, in order, and never inside a
  /// surrogate pair.
  var restorable: DraftContent {
    guard let selection, fits(selection) else { return DraftContent(text, attachments: attachments) }
    return self
  }

  private func fits(_ selection: TextSelection) -> Bool {
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
  /// What was sent and has not left, as it goes back into a composer.
  init(_ unsent: UnsentMessage) { self.init(unsent.body, attachments: unsent.attachments) }
}

/// A draft as stored.
struct StoredDraft: Equatable {
  var content: DraftContent
  var revision: Int64
  /// The session of the app that wrote it.
  var session: String
  var updatedAt: Date
}

/// Which draft: a conversation's new message, or its edit.
struct DraftKey: Hashable, Sendable {
  var conversation: ConversationID
  var slot: DraftSlot = .new
}
