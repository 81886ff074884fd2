import Foundation
import Holdfast

/// How a row of a timeline looks, and what a tap on it offers. A view draws it and decides nothing.
///
/// A time is given as a date, because a view has the words for it in its user's language.
package struct PresentedMessage: Sendable, Codable, Hashable, Identifiable {
  /// The line under the text.
  package struct Line: Sendable, Codable, Hashable {
    /// How the line looks.
    package enum Look: String, Sendable, Codable, Hashable {
      /// A gray sentence.
      case quiet
      /// A yellow badge.
      case badge
      /// A red sentence, with an icon.
      case failed
      /// The time, and what else is known of a delivered message.
      case time
    }

    package var look: Look
    /// The sentence. Nil for the time.
    package var text: String?
    /// Why a reply failed.
    package var reason: String?
    /// What stands beside the sentence as buttons.
    package var buttons: [Offer] = []
    /// When the text was last changed. Nil when that is not said.
    package var editedAt: Date?
    /// What was done to the message, and is not with the server.
    package var change: Change?
    /// Whether others have read the message. Nil when that is not said.
    package var receipt: Receipt?
  }

  /// An operation on the message that the server has not carried out.
  package struct Change: Sendable, Codable, Hashable {
    /// The operation's ID, which its offers are about.
    package var id: MessageID
    package var look: Line.Look
    package var text: String
    /// Why it failed, for the head of the menu.
    package var reason: String?
    package var offers: [Offer]
  }

  /// Whether a message has arrived, and who has read it.
  package struct Receipt: Sendable, Codable, Hashable {
    package var isRead: Bool
    /// "Delivered", or "Read by Bob".
    package var text: String
  }

  package var id: MessageID
  /// Whether it is the user's own word, on its own side. What an assistant says on this device is sent from it, and is not.
  package var isOwn: Bool
  /// Whether a day begins with the row, so that its date stands above it.
  package var beginsDay: Bool
  /// Whether the row above is of somebody else, or of another day. The sender's name stands above the first row of a group.
  package var beginsGroup: Bool
  /// Whether the next row is of somebody else, or of another day.
  package var endsGroup: Bool
  /// Whether the text is one to three emoji, which are shown large.
  package var isLarge: Bool
  /// The text of the message, or what is said in its place.
  package var body: String
  /// Whether a reply stopped before its end.
  package var isCutOff: Bool
  /// Whether the reasoning is open: there is nothing else to read yet. Whoever opens or closes it later is left in peace.
  package var showsReasoning: Bool
  package var line: Line
  /// What a tap on the message offers. A single offer is carried out at once.
  package var tap: [Offer]
  /// Why the message failed, for the head of that menu.
  package var reason: String?
  /// The menu of a delivered message. Nil: it has none.
  package var menu: [Offer]?
  /// Whether reactions stand above that menu, and can be tapped.
  package var canReact: Bool
  /// What a screen reader says: who says what, and how it stands.
  package var spoken: String
}
