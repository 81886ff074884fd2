import Foundation
import Holdfast
import HoldfastRelay
import HoldfastRescue

/// An action of a phone's user, as the phone's process reads it: one JSON object.
struct PhoneIntent: Sendable, Codable {
  enum Kind: String, Sendable, Codable {
    /// The text or the selection in the text field has changed.
    case edit
    /// Send the text of the text field. The text is part of the intent, so that nothing typed is missed.
    case send
    /// Show a conversation, at `message` if one was found in it; or show the list again.
    case open, back
    /// The text in the search field has changed; or show more hits (rule H8).
    case search, moreHits, searchAgain
    case loadOlder, loadNewer, loadNewest
    /// Show `message`, which a reply quotes. If it is not on this device, it is fetched (rule B6).
    case goTo
    /// The window is on the screen, at its last place. A window without a place opens `conversation`.
    case appear
    /// The list of messages was scrolled. `message` is at its upper edge, and `offset` of that message is above the
    /// edge. Without a message, the end of the list is shown (rule R3).
    case scroll
    /// Read `conversation` again, or without one the list, after a failed read (rule V5).
    case reload
    /// The panel beside the phone was opened or closed.
    case panel
    /// The text field lost the focus or the page was hidden: save without delay (rule D4).
    case rest
    /// The choices after a tap on a message (rules O8, O9). `message` is the message, or a change that was made to
    /// one.
    case retry, takeBack, cancel, info
    /// The choices for a reply that was cut off (rule H3).
    case continueReply, retryReply
    /// End a reply that is being written.
    case stopReply
    /// Regenerate a whole reply; drop a regeneration that was cut off; or restore the earlier reply (rule L10).
    case regenerateReply, keepEarlierReply, restoreReply
    /// The choices for a delivered message (rule O14). A reaction is in `text`, and `isOn` says whether it is
    /// wanted.
    case beginEdit, delete, react
    /// Set `message` as the one that the new message replies to. Without a message, the choice is undone.
    case reply
    /// End the edit of a message, or turn it into a new message. Either also applies to an unfinished edit (rule
    /// D1).
    case cancelEdit, turnEditIntoNew
    /// The text field got the focus, so that this window writes (rule D13).
    case focus
    /// Import a file of an earlier app; stop the import; or close its report (rules H9, H10).
    case importHistory, closeImport
    /// Show the earlier texts of the composer; or restore one of them (rule D18).
    case versions, restoreVersion
    /// Stop waiting for the answer to the question `message` (rule P1).
    case stopWaiting
    /// Retry a conversation that the server refused (rule O8).
    case retryConversation
    /// Begin a conversation with the assistant, and show it.
    case newChat
    /// Set a conversation's title to `text`, or to the automatic title if it is empty (rule H18).
    case rename
    /// Delete a conversation, or restore it; ask whether to delete all conversations (rule H5).
    case deleteConversation, undoDeletion, askDeleteAll
    /// Ask whether to empty a conversation, or restore its messages (rule L7).
    case askEmpty, undoEmptying
    /// The answer to either question: delete.
    case deleteAll
    /// Add a file to the composer; remove an attachment; fetch an attachment that is too large for automatic
    /// download (rule O13).
    case attach, detach, download
    /// Show the prompt about messages that have waited for long; or answer it (rule O16).
    case decide, answer
    /// Close the sheet that covers the screen.
    case close
    /// The choices in the banner above the composer (rules D10, D11).
    case discard, undoDiscard, keepDraft
    /// The device got or lost its network.
    case network
  }

  var type: Kind
  /// The number of the window. Nil means the first one.
  var window: Int?
  var conversation: String?
  var message: String?
  /// The message whose edit the text field showed. Nil when it showed a new message.
  var editing: String?
  /// The ``ComposerSnapshot/generation`` of the text that was edited.
  var generation: Int?
  var version: Int64?
  /// The path of a file to copy or import, with its new name.
  var file: String?
  var name: String?
  var mediaType: String?
  /// An attachment's ID. For a download, its checksum.
  var attachment: String?
  /// The user's decision about the held messages.
  var answer: HeldMessages.Answer?
  var text: String?
  /// The part of the message's height that is above the upper edge.
  var offset: Double?
  /// In UTF-16 code units, as in the DOM.
  var selectionStart: Int?
  var selectionEnd: Int?
  var isOn: Bool?
  var isUp: Bool?
  /// The intent's number, counted by the phone's device from 1. Each snapshot contains the number of the last intent
  /// whose effect it shows.
  var number: Int?

  /// Whether a browser may send the intent. The network has the device's own switch, and a browser may send no file
  /// paths.
  var isForBrowsers: Bool { ![.network, .attach, .importHistory].contains(type) }
}
