import Foundation
import Holdfast

/// The look of a row of a timeline, and the actions of a tap on it. A view draws it and decides nothing.
///
/// A time is given as a date, because a view formats it in its user's language.
package struct PresentedMessage: Sendable, Codable, Hashable, Identifiable {
  /// The line under the text.
  package struct Line: Sendable, Codable, Hashable {
    /// The look of the line.
    package enum Look: String, Sendable, Codable, Hashable {
      /// A gray sentence.
      case quiet
      /// A yellow badge.
      case badge
      /// A red sentence, with an icon.
      case failed
      /// The time, and the other facts about a delivered message.
      case time
    }

    package var look: Look
    /// The sentence. Nil for the time.
    package var text: String?
    /// The reason why a reply failed.
    package var reason: String?
    /// The buttons beside the sentence.
    package var buttons: [MessageAction] = []
    /// The time of the last change of the text. Nil when it is not shown.
    package var editedAt: Date?
    /// The operation on the message that the server does not have.
    package var change: Change?
    /// Whether others have read the message. Nil when it is not shown.
    package var receipt: Receipt?
  }

  /// An operation on the message that the server has not carried out.
  package struct Change: Sendable, Codable, Hashable {
    /// The operation's ID, which its actions are about.
    package var id: MessageID
    package var look: Line.Look
    package var text: String
    /// The reason why it failed, for the head of the menu.
    package var reason: String?
    package var offers: [MessageAction]
  }

  /// Whether a message has arrived, and who has read it.
  package struct Receipt: Sendable, Codable, Hashable {
    package var isRead: Bool
    /// "Delivered", or "Read by Bob".
    package var text: String
  }

  package var id: MessageID
  /// Whether the user wrote the message, which is then on the user's side. An assistant's answer is also sent from
  /// this device, and does not count.
  package var isOwn: Bool
  /// Whether a day begins with the row, so that its date is shown above it.
  package var beginsDay: Bool
  /// Whether the row above is of somebody else, or of another day. The sender's name is shown above the first row of
  /// a group.
  package var beginsGroup: Bool
  /// Whether the next row is of somebody else, or of another day.
  package var endsGroup: Bool
  /// Whether the text is one to three emoji, which are shown large.
  package var isLarge: Bool
  /// The text of the message, or the note in its place.
  package var body: String
  /// Whether a reply stopped before its end.
  package var isCutOff: Bool
  /// Whether the reasoning is open, because there is nothing else to read yet. A later manual toggle is kept.
  package var showsReasoning: Bool
  package var line: Line
  /// The actions of a tap on the message.
  package var tap: [MessageAction]
  /// The reason why the message failed, for the head of that menu.
  package var reason: String?
  /// The menu of a delivered message. Nil: it has none.
  package var menu: [MessageAction]?
  /// Whether reactions are shown above that menu, and can be tapped.
  package var canReact: Bool
  /// The text for a screen reader: the sender, the text and the status.
  package var spoken: String
}
