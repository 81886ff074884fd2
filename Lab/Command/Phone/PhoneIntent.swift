import Foundation
import Holdfast
import HoldfastRelay
import HoldfastRescue

/// An action of a phone's user, as the phone's process reads it: one JSON object.
struct PhoneIntent: Sendable, Codable {
  enum Kind: String, Sendable, Codable {
    /// The text or the selection in the text field has changed.
    case edit
    /// Send the text of the text field. The text comes with the intent, so that nothing typed is missed.
    case send
    /// Show a conversation, at `message` if one was found in it; or show the list again.
    case open, back
    /// The text in the search field has changed; or show more hits (rule H8).
    case search, moreHits, searchAgain
    case loadOlder, loadNewer, loadNewest
    /// Show `message`, which an answer quotes. If it is not on this device, it is fetched (rule B6).
    case goTo
    /// The window is on the screen, at its last place. A window that has never been anywhere opens `conversation`.
    case appear
    /// The list of messages was scrolled. `message` is at its upper edge, and `offset` of that message is above the
    /// edge. Without a message, the end of the list is shown (rule R3).
    case scroll
    /// Read `conversation` again, or without one the list, after a read that has failed (rule V5).
    case reload
    /// The panel beside the phone was opened or closed.
    case panel
    /// The text field lost the focus or the page went out of sight: save without delay (rule D4).
    case rest
    /// The choices after a tap on a message (rules O8, O9). `message` is the message, or a change that was made to
    /// one.
    case retry, takeBack, cancel, info
    /// The choices for a reply that was cut off (rule H3).
    case continueReply, retryReply
    /// End a reply that is being written.
    case stopReply
    /// Ask for another answer in place of one that is whole; give up one that was cut off; or say again what it said
    /// before (rule L10).
    case regenerateReply, keepEarlierReply, restoreReply
    /// The choices for a delivered message (rule O14). A reaction comes as `text`, and `isOn` says whether it is
    /// wanted.
    case beginEdit, delete, react
    /// Set `message` as the message that the new one answers. Without a message, the choice is taken back.
    case reply
    /// End the edit of a message, or turn it into a new message. Either also applies to an edit that was left
    /// unfinished (rule D1).
    case cancelEdit, turnEditIntoNew
    /// The text field got the focus, so that this window writes (rule D13).
    case focus
    /// Import a file of an app that was used before; or stop the import, or put its report away (rules H9, H10).
    case importHistory, closeImport
    /// Show the earlier texts of the composer; or put one of them back (rule D18).
    case versions, restoreVersion
    /// Wait no longer for the answer to the question `message` (rule P1).
    case stopWaiting
    /// Retry a conversation that the server refused (rule O8).
    case retryConversation
    /// Begin a conversation with the assistant, and show it.
    case newChat
    /// Give a conversation the title `text`, and with an empty one the automatic title (rule H18).
    case rename
    /// Delete a conversation, or bring it back; ask whether to delete all conversations (rule H5).
    case deleteConversation, undoDeletion, askDeleteAll
    /// Ask whether to empty a conversation, or bring its messages back (rule L7).
    case askEmpty, undoEmptying
    /// The answer to either question: delete.
    case deleteAll
    /// Add a file to the composer; remove an attachment; fetch an attachment that is too large to be fetched
    /// unasked (rule O13).
    case attach, detach, download
    /// Show the question about messages that have waited for long; or answer it (rule O16).
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
  /// The ``ComposerSnapshot/generation`` of the text that was typed into.
  var generation: Int?
  var version: Int64?
  /// The path of a file to copy or import, with the name that it is to have.
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
  /// In UTF-16 code units, as the DOM counts.
  var selectionStart: Int?
  var selectionEnd: Int?
  var isOn: Bool?
  var isUp: Bool?
  /// The intent's number, counted by the phone's device from 1. Each snapshot names the last intent whose effect it
  /// shows.
  var number: Int?

  /// Whether a browser may send the intent. The network has the device's own switch, and no file path comes from a
  /// browser.
  var isForBrowsers: Bool { ![.network, .attach, .importHistory].contains(type) }
}
