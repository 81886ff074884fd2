import Foundation
import HoldfastCore
import HoldfastStore

/// A composer on the screen: the draft that it shows, and what its user has seen and may take back.
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

  /// The conversation, whose draft is stored when its last composer goes.
  var conversation: ConversationKey
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

  /// The slot of the draft that the composer shows.
  var slot: DraftSlot { edit == nil ? .new : .edit }
}

/// The draft of a composer as its view shows it.
package struct ShownDraft {
  package let entry: DraftEntry
  /// The message that is edited. Nil while a new message is written.
  package let editing: MessageID?
  /// The message of an edit that is neither finished nor shown. Nil without such an edit.
  let unfinishedEdit: MessageID?
  /// The banner, in English. Nil when there is nothing to report about the draft.
  let banner: DraftBanner?
}

/// The composers on the screen.
extension DraftTable {
  /// Adds a composer that comes on the screen.
  mutating func join(_ conversation: ConversationKey) -> ComposerID {
    lastComposer += 1
    let composer = ComposerID(number: lastComposer)
    composers[composer] = ComposerState(conversation: storage.store.names.whole(of: conversation))
    return composer
  }

  /// Removes a composer that leaves the screen. If the conversation has no other composer, its text is stored
  /// (rule D12) and then removed from memory.
  mutating func leave(_ composer: ComposerID) {
    guard let conversation = composers.removeValue(forKey: composer)?.conversation else { return }
    let isLast = !isOnScreen(conversation)
    for slot in [DraftSlot.new, .edit] {
      let key = DraftKey(conversation: conversation, slot: slot)
      self[key]?.turn.blur(composer)
      self[key]?.putInFront = nil
      guard isLast else { continue }
      // A text that cannot be stored stays, and the saving loop tries again.
      if self[key]?.isLoaded == true { try? write(key) }
    }
    evict()
  }

  func isOnScreen(_ conversation: ConversationKey) -> Bool {
    composers.values.contains { $0.conversation == conversation }
  }

  /// Moves the composers of merged conversations to the conversations that remain.
  mutating func joinComposers() {
    for (composer, state) in composers {
      let whole = storage.store.names.whole(of: state.conversation)
      composers[composer]?.conversation = whole
    }
  }

  /// The key of the draft that the composer shows.
  func key(_ composer: ComposerID, in conversation: ConversationKey) -> DraftKey {
    storage.whole(DraftKey(conversation: conversation, slot: composers[composer]?.slot ?? .new))
  }

  /// Notes that somebody sees the composer. The first time, its restored draft is counted.
  mutating func appear(_ composer: ComposerID, in conversation: ConversationKey) {
    guard composers[composer]?.hasAppeared == false else { return }
    composers[composer]?.hasAppeared = true
    noteSeen(composer, in: conversation)
  }

  private mutating func noteSeen(_ composer: ComposerID, in conversation: ConversationKey) {
    let key = key(composer, in: conversation)
    load(key)
    noteRestore(of: key)
    let isAboutRestored = composers[composer]?.banner.isAboutRestored == true
    guard isAboutRestored, !bannersShown.insert(key).inserted else { return }
    // Another window has shown the draft's banner meanwhile.
    composers[composer]?.banner.kept()
  }

  /// The composer's draft as it is now. An edit that was sent or dropped, here or in another composer, is over: the
  /// composer shows the new message again.
  mutating func present(by composer: ComposerID, in conversation: ConversationKey) -> DraftEntry {
    var entry = open(key(composer, in: conversation))
    if let edit = composers[composer]?.edit, entry.editing != edit.message {
      change(composer, to: nil, in: conversation)
      let new = key(composer, in: conversation)
      load(new)
      noteRestore(of: new)
      entry = open(new)
    }
    noteLoaded(composer, entry, in: conversation)
    return entry
  }

  /// The composer's draft as it is now, with what its view shows beside it.
  mutating func shown(by composer: ComposerID, in conversation: ConversationKey) -> ShownDraft {
    let entry = present(by: composer, in: conversation)
    let editing = composers[composer]?.edit?.message
    return ShownDraft(
      entry: entry, editing: editing,
      unfinishedEdit: editing == nil ? unfinishedEdit(in: conversation) : nil, banner: banner(of: composer))
  }

  /// The draft was read from the store, when the composer was opened or later: its banner is due.
  private mutating func noteLoaded(
    _ composer: ComposerID, _ entry: DraftEntry, in conversation: ConversationKey
  ) {
    guard entry.isLoaded, let state = composers[composer], !state.hasLoaded else { return }
    composers[composer]?.hasLoaded = true
    if !bannersShown.contains(key(composer, in: conversation)), !entry.isKept {
      let (now, recoveredAfter) = (storage.environment.now(), storage.intervals.recoveredAfter)
      composers[composer]?.banner.opened(
        writtenAt: entry.writtenAt, isFromEarlierSession: entry.isRecovered, now: now,
        recoveredAfter: recoveredAfter)
    }
    if state.hasAppeared { noteSeen(composer, in: conversation) }
  }

  /// The banner above the composer at this moment, in English. A discarded draft is forgotten with its banner.
  mutating func banner(of composer: ComposerID) -> DraftBanner? {
    let (now, date) = (storage.environment.uptime(), storage.environment.now())
    let banner = composers[composer]?.banner.banner(now: now, date: date)
    if banner?.kind != .discarded { composers[composer]?.discarded = nil }
    return banner
  }

  /// Shows the edit of a message, or the new message again.
  mutating func change(
    _ composer: ComposerID, to edit: ComposerState.Edit?, in conversation: ConversationKey
  ) {
    let before = key(composer, in: conversation)
    composers[composer]?.edit = edit
    composers[composer]?.given = ComposerState.Given()
    let after = key(composer, in: conversation)
    guard composers[composer]?.hasFocus == true, before != after else { return }
    self[before]?.turn.blur(composer)
    load(after)
    self[after]?.turn.focus(composer)
  }

  /// The message whose edit was begun, and neither finished nor discarded. Nil before an edit is begun, or when the
  /// edit does not differ from the message.
  mutating func unfinishedEdit(in conversation: ConversationKey) -> MessageID? {
    let entry = open(storage.whole(DraftKey(conversation: conversation, slot: .edit)))
    return entry.buffer.isNothing(entry.buffer.content) ? nil : entry.editing
  }

  /// Applies what was typed into a composer.
  ///
  /// - Parameters:
  ///   - base: the number of the text that it was typed into. Nil for the newest text.
  ///   - shown: the text that the composer showed before.
  mutating func type(
    _ typed: DraftContent, into composer: ComposerID, in conversation: ConversationKey, basedOn base: Int?,
    over shown: String
  ) {
    apply(typed, to: key(composer, in: conversation), by: composer, basedOn: base)
    if !typed.text.hasSameBytes(as: shown) { composers[composer]?.banner.typed() }
  }

  /// The typed content, behind the stored draft that the app has not been given. A text that begins with that draft has
  /// it already.
  mutating func behindUnseen(
    _ typed: DraftContent, _ composer: ComposerID, _ entry: DraftEntry
  ) -> DraftContent {
    composers[composer]?.given.typed = typed.text
    guard let given = composers[composer]?.given, !given.isShown, entry.isLoaded else { return typed }
    let unseen = given.unseen ?? entry.putInFront ?? entry.buffer.content
    composers[composer]?.given.unseen = unseen
    return typed.text.hasPrefix(unseen.text) ? typed : DraftContent.merge(unseen, typed)
  }
}
