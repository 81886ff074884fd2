import Foundation
import Holdfast
import HoldfastRelay
import HoldfastRescue

/// What the user of a phone did, as the phone's process reads it: one JSON object.
struct PhoneIntent: Sendable, Codable {
  enum Kind: String, Sendable, Codable {
    /// The text field has another text or selection.
    case edit
    /// Send the text of the text field, which comes with the intent so that nothing typed is missed.
    case send
    /// Show a conversation, at the `message` that was found in it if there is one; or the list again.
    case open, back
    /// The search field has another text; and show more of what is found (SPEC H8).
    case search, moreHits
    case loadOlder, loadNewer, loadNewest
    /// The window is on the screen: it is where it was, or in `conversation` when it has never been anywhere.
    case appear
    /// The list of messages was scrolled: `message` is at its upper edge, of which `offset` is above it. None: the end is
    /// shown (SPEC R3).
    case scroll
    /// The panel beside the phone was opened or closed.
    case panel
    /// The text field lost the focus or the page went out of sight: save without delay (SPEC D4).
    case rest
    /// What a tap on a message offers (SPEC O8, O9): each has its `message`, or what was done to one.
    case retry, takeBack, cancel, info
    /// What a reply that was cut off offers (SPEC H3).
    case continueReply, retryReply
    /// What a delivered message offers (SPEC O14). A reaction comes as `text`, and `isOn` says whether it is wanted.
    case beginEdit, delete, react
    /// The message that the new one answers; none takes that back.
    case reply
    /// The edit of a message is ended, or becomes a new message; also one that was left unfinished (SPEC D1).
    case cancelEdit, turnEditIntoNew
    /// The text field got the focus: this window writes (SPEC D13).
    case focus
    /// Bring in a file of an app that was used before; and stop that, or put its report away (SPEC H9, H10).
    case importHistory, closeImport
    /// Show the earlier texts of the composer, and put one back (SPEC D18).
    case versions, restoreVersion
    /// Try a conversation again that the server refused (SPEC O8).
    case retryConversation
    /// Delete a conversation, and bring it back; ask whether all are to go, and delete them (SPEC H5).
    case deleteConversation, undoDeletion, askDeleteAll, deleteAll
    /// Add a file to the composer; take one out again; fetch one that is too large to come by itself (SPEC O13).
    case attach, detach, download
    /// The question about messages that have waited for long: show it, and answer it (SPEC O16).
    case decide, answer
    /// The sheet that covers the screen goes.
    case close
    /// What the banner above the composer offers (SPEC D10, D11).
    case discard, undoDiscard, keepDraft
    /// The device got or lost its network.
    case network
  }

  var type: Kind
  /// In which window it was done. Nil: in the first one.
  var window: Int?
  var conversation: String?
  var message: String?
  /// The message whose edit the text field showed. Nil: it showed a new one.
  var editing: String?
  /// Of the text that was typed into: ``ComposerSnapshot/generation``.
  var generation: Int?
  var version: Int64?
  /// The path of a file to be copied or imported, with the name that it is to have.
  var file: String?
  var name: String?
  var mediaType: String?
  /// An attachment's ID, or its checksum where it is to be fetched.
  var attachment: String?
  /// What is to become of the messages that are held.
  var answer: HeldAnswer?
  var text: String?
  /// The part of a message's height that is above the upper edge.
  var offset: Double?
  /// In UTF-16 code units, which is what the DOM counts in.
  var selectionStart: Int?
  var selectionEnd: Int?
  var isOn: Bool?
  var isUp: Bool?
  /// Numbered by the phone's device from 1. The phone's snapshots say up to which one they are true.
  var number: Int?

  /// The device's own switch is asked for otherwise, and no path comes from a browser.
  var isForBrowsers: Bool { ![.network, .attach, .importHistory].contains(type) }
}
