import Foundation
import HoldfastCore
import HoldfastStore

/// A composer on the screen: the draft that it shows, and what its user has seen and may take back. The lock of
/// ``Drafts`` guards it: ``DraftComposer`` takes it out of the table, and puts it back changed.
package struct ComposerState: Sendable {
  /// A message that is edited.
  struct Edit: Sendable {
    let message: MessageID
    /// The message's content, as an app that keeps its messages itself knows it. Nil where the store has the message.
    let original: DraftContent?
  }

  /// The content that an app without a view model shows, as ``DraftComposer/content()`` returned it.
  struct Given: Sendable {
    /// Whether the app has been given the composer's content, and shows it.
    var isShown = false
    /// The draft that the app has not been given. Text that is typed before goes behind it (rule D17). Nil until the
    /// draft is loaded.
    var unseen: DraftContent?
    /// The text that the app has typed last.
    var typed = ""
  }

  let id: ComposerID
  /// The conversation whose draft is stored when its last composer goes.
  var conversation: ConversationKey
  /// The conversation that has the composer's ID now, or had it last. Its draft is shown.
  var shown: ConversationKey
  /// The message that is edited. Nil while a new message is written.
  var edit: Edit?
  var banner = DraftBannerState()
  /// The discarded draft, for as long as Undo is offered, with the edit that it belongs to. Nil otherwise.
  var discarded: (draft: DiscardedDraft, edit: Edit?)?
  var hasFocus = false
  /// Whether somebody sees the composer. SwiftUI makes models whose views never appear, and a draft that nobody has
  /// seen is still to be recovered (rule D10).
  var hasAppeared = false
  /// Whether the draft was read from the store. A store that is locked or busy is read later.
  var hasLoaded = false
  var given = Given()

  init(_ id: ComposerID, in conversation: ConversationKey) {
    (self.id, self.conversation, shown) = (id, conversation, conversation)
  }

  /// The draft that the composer shows.
  var key: DraftKey { DraftKey(conversation: shown, slot: edit == nil ? .new : .edit) }
}

/// The draft of a composer as its view shows it.
struct ShownDraft {
  let entry: DraftEntry
  /// The message that is edited. Nil while a new message is written.
  let editing: MessageID?
  /// The message of an edit that is neither finished nor shown. Nil without such an edit.
  let unfinishedEdit: MessageID?
  /// The banner, in English. Nil when there is nothing to report about the draft.
  let banner: DraftBanner?
}

extension ComposerState {
  /// Notes that somebody sees the composer. The first time, its restored draft is counted.
  mutating func appear(in table: inout DraftTable) {
    guard !hasAppeared else { return }
    hasAppeared = true
    noteSeen(in: &table)
  }

  private mutating func noteSeen(in table: inout DraftTable) {
    table.load(key)
    table.noteRestore(of: key)
    guard banner.isAboutRestored, !table.bannersShown.insert(key).inserted else { return }
    // Another window has shown the draft's banner meanwhile.
    banner.kept()
  }

  /// The composer's draft as it is now. An edit that was sent or dropped, here or in another composer, is over: the
  /// composer shows the new message again.
  mutating func present(in table: inout DraftTable) -> DraftEntry {
    var entry = table.open(key)
    if let edit, entry.editing != edit.message {
      show(nil, in: &table)
      table.load(key)
      table.noteRestore(of: key)
      entry = table.open(key)
    }
    guard entry.isLoaded, !hasLoaded else { return entry }
    // The draft was read from the store, when the composer was opened or later: its banner is due.
    hasLoaded = true
    if !table.bannersShown.contains(key), !entry.isKept {
      banner.opened(
        writtenAt: entry.writtenAt, isFromEarlierSession: entry.isRecovered,
        now: table.storage.environment.now(), recoveredAfter: table.storage.intervals.recoveredAfter)
    }
    if hasAppeared { noteSeen(in: &table) }
    return entry
  }

  /// The composer's draft as it is now, with what its view shows beside it.
  mutating func draft(in table: inout DraftTable) -> ShownDraft {
    let entry = present(in: &table)
    return ShownDraft(
      entry: entry, editing: edit?.message,
      unfinishedEdit: edit == nil ? table.unfinishedEdit(in: shown) : nil,
      banner: presentBanner(table.storage.environment))
  }

  /// The banner above the composer at this moment, in English. A discarded draft is forgotten with its banner.
  mutating func presentBanner(_ environment: ChatEnvironment) -> DraftBanner? {
    let banner = banner.banner(now: environment.uptime(), date: environment.now())
    if banner?.kind != .discarded { discarded = nil }
    return banner
  }

  /// Shows the edit of a message, or the new message again.
  mutating func show(_ edit: Edit?, in table: inout DraftTable) {
    let before = key
    (self.edit, given) = (edit, Given())
    guard hasFocus, before != key else { return }
    table[before]?.turn.blur(id)
    table.load(key)
    table[key]?.turn.focus(id)
  }

  /// Applies what was typed into the composer.
  ///
  /// - Parameters:
  ///   - base: the number of the text that it was typed into. Nil for the newest text.
  ///   - shown: the text that the composer showed before.
  mutating func type(
    _ typed: DraftContent, basedOn base: Int?, over shown: String, in table: inout DraftTable
  ) {
    table.apply(typed, to: key, by: id, basedOn: base)
    if !typed.text.hasSameBytes(as: shown) { banner.typed() }
  }

  /// The typed content, behind the stored draft that the app has not been given. A text that begins with that draft has
  /// it already.
  mutating func behindUnseen(_ typed: DraftContent, _ entry: DraftEntry) -> DraftContent {
    given.typed = typed.text
    guard !given.isShown, entry.isLoaded else { return typed }
    let unseen = given.unseen ?? entry.putInFront ?? entry.buffer.content
    given.unseen = unseen
    return typed.text.hasPrefix(unseen.text) ? typed : DraftContent.merge(unseen, typed)
  }
}
