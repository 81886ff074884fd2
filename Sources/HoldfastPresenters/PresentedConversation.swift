import Foundation
import Holdfast

/// The look of a row in the list of conversations.
package struct PresentedConversation: Sendable, Codable, Hashable, Identifiable {
  /// A number at the row's end.
  package struct Badge: Sendable, Codable, Hashable {
    package var text: String
    /// The text for a screen reader.
    package var spoken: String
    /// Whether the counted messages cannot be sent.
    package var isRefused = false
  }

  package var id: ConversationID
  /// The first letter of the title, for a picture. "?" when the title has no letter.
  package var initial: String
  /// The label before the excerpt: "Draft:", or the name of an assistant. Nil without a label.
  package var mark: String?
  /// Whether the mark is that of a draft.
  package var isDraft: Bool
  package var excerpt: String
  /// Whether the excerpt is the reason why nothing can be sent.
  package var isRefused: Bool
  /// Whether the last change was on another day, so that its date is shown in place of its time.
  package var showsDate = false
  package var unread: Badge?
  package var unsent: Badge?

  /// - Parameters:
  ///   - now: the present time. Nil: no row shows a date.
  ///   - calendar: decides where a day begins.
  package init(
    _ row: ConversationListSnapshot.Row, now: Date? = nil, calendar: Calendar = .autoupdatingCurrent,
    _ texts: (ChatConfiguration.ShownText) -> String
  ) {
    id = row.id
    showsDate = now.map { !calendar.isDate(row.updatedAt, inSameDayAs: $0) } ?? false
    initial = row.title.first { !$0.isWhitespace }.map { $0.uppercased() } ?? "?"
    isDraft = row.isDraft
    // A draft takes precedence over the reason why the rest cannot be sent.
    isRefused = row.refusal != nil && row.unsentCount > 0 && !row.isDraft
    excerpt = isRefused ? row.refusal?.explanation ?? "" : row.excerpt
    if row.isDraft {
      mark = texts(.draftMark)
    } else if !isRefused, !row.excerpt.isEmpty, let sender = row.excerptSender, sender.assistantName != nil {
      mark = "\(row.excerptSenderName ?? sender.rawValue):"
    }
    if row.unreadCount > 0 {
      unread = Badge(
        text: row.unreadCount < 1_000 ? "\(row.unreadCount)" : "999+", spoken: texts(.unread(row.unreadCount))
      )
    }
    if row.unsentCount > 0 {
      let count = texts(.notSent(row.unsentCount))
      let reason = isRefused ? nil : row.refusal?.explanation
      unsent = Badge(
        text: "\(row.unsentCount)", spoken: reason.map { "\(count): \($0)" } ?? count,
        isRefused: row.refusal != nil)
    }
  }
}
