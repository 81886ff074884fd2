import Foundation
import HoldfastCore
import HoldfastStore
import Synchronization

/// One open composer: which of the conversation's two drafts it shows, its banner, and what it can bring back.
/// ``ComposerModel`` is its observed form, and ``DraftController`` its plain one. Any thread may use it. The content is in
/// ``Drafts``, which all composers share.
///
/// ```
///   new message ──beginEdit──► edit ──sent, cancelled, here or elsewhere──► new message
/// ```
package final class DraftSession: Sendable {
  /// A message that is edited.
  struct Edit {
    let message: MessageID
    /// The message's content, as an app that keeps its messages itself knows it. Nil where the store has the message.
    let original: DraftContent?
  }

  private struct State {
    /// The message that is edited. Nil while a new message is written.
    var edit: Edit?
    var banner = DraftBannerState()
    /// The discarded draft, for as long as Undo is offered, with the edit that it belongs to. Nil otherwise.
    var discarded: (draft: DiscardedDraft, edit: Edit?)?
    var hasFocus = false
    /// Whether somebody sees the composer. SwiftUI makes models whose views never appear, and a draft that nobody has
    /// seen is still to be recovered (SPEC D10).
    var hasAppeared = false
    /// Whether the draft was read from the store. A store that is locked or busy is read later.
    var hasLoaded = false
  }

  /// The ID with which the composer was opened. The conversation may have another ID by now.
  package let conversation: ConversationID
  package let composer: ComposerID
  let drafts: Drafts
  /// The account whose messages the store has. Nil where an app keeps its messages itself.
  private let user: UserID?
  private let configuration: ChatConfiguration
  private let state = Mutex(State())

  private var environment: ChatEnvironment { drafts.environment }

  /// Opens the composer. It stays on the screen for as long as this value lives (SPEC D12).
  init(_ conversation: ConversationID, of drafts: Drafts, by user: UserID?, configuration: ChatConfiguration)
  {
    (self.conversation, self.drafts) = (conversation, drafts)
    (self.user, self.configuration) = (user, configuration)
    composer = drafts.join(conversation)
  }

  deinit { drafts.leave(conversation, composer) }

  // MARK: The shown draft

  /// The message that is edited. Nil while a new message is written.
  package var editing: MessageID? { state.withLock { $0.edit?.message } }

  /// The draft that the composer shows.
  package var key: DraftKey { key(editing == nil ? .new : .edit) }

  private func key(_ slot: DraftSlot) -> DraftKey { DraftKey(conversation: conversation, slot: slot) }

  /// The shown draft as it is now. An edit that was sent or dropped, here or in another window, is over: the composer
  /// shows the new message again.
  func present() -> (entry: DraftEntry, isEditOver: Bool) {
    var entry = drafts.open(key)
    let isEditOver = editing != nil && entry.editing != editing
    if isEditOver {
      change(to: nil)
      entry = drafts.open(key, by: composer)
    }
    noteLoaded(entry)
    return (entry, isEditOver)
  }

  /// Notes that somebody sees the composer. The first time, its restored draft is counted.
  func appear() {
    let isFirst = state.withLock { state in
      defer { state.hasAppeared = true }
      return !state.hasAppeared
    }
    if isFirst { noteSeen() }
  }

  private func noteSeen() {
    _ = drafts.open(key, by: composer)
    // Another window has told of the draft meanwhile.
    guard tellsOfRestored, !drafts.tell(key) else { return }
    state.withLock { $0.banner.kept() }
  }

  /// The draft was read from the store, when the composer was opened or later: its banner is due.
  private func noteLoaded(_ entry: DraftEntry) {
    let isFirst = state.withLock { state in
      defer { state.hasLoaded = state.hasLoaded || entry.isLoaded }
      return entry.isLoaded && !state.hasLoaded
    }
    guard isFirst else { return }
    if drafts.isToBeTold(key) {
      state.withLock {
        $0.banner.opened(
          writtenAt: entry.writtenAt, isFromEarlierSession: entry.isRecovered, now: environment.now(),
          recoveredAfter: configuration.saving.recoveredAfter)
      }
    }
    if state.withLock({ $0.hasAppeared }) { noteSeen() }
  }

  private func change(to edit: Edit?) {
    let before = key
    let hasFocus = state.withLock { state in
      state.edit = edit
      return state.hasFocus
    }
    guard hasFocus, before != key else { return }
    drafts.blur(before, composer)
    drafts.focus(key, composer)
  }

  // MARK: Typing

  /// Takes over what the user typed.
  ///
  /// - Parameters:
  ///   - base: the number of the text that it was typed into. Nil for the newest text.
  ///   - isOther: whether the text differs from the shown one.
  func edit(_ content: DraftContent, basedOn base: Int? = nil, isOther: Bool) -> DraftEntry {
    let entry = drafts.edit(key, content, by: composer, basedOn: base)
    if isOther { state.withLock { $0.banner.typed() } }
    return entry
  }

  /// Chooses the message that the new message answers. Nil takes the choice back.
  func reply(to message: MessageID?, basedOn base: Int? = nil) throws(ChatError) {
    guard message?.isWellFormed != false else {
      throw ChatError(.malformedID, "This is no message that could be answered.")
    }
    var content = drafts.open(key).buffer.content
    content.replyTo = message
    drafts.edit(key, content, by: composer, basedOn: base)
  }

  /// The user's cursor is in this composer. While it is, another composer's edit of an older text becomes a version
  /// (SPEC D13).
  func focus() {
    state.withLock { $0.hasFocus = true }
    drafts.focus(key, composer)
  }

  func blur() {
    state.withLock { $0.hasFocus = false }
    drafts.blur(key, composer)
  }

  /// Stores both drafts now. An edit that cannot be saved, because it is too long, does not keep the new message from
  /// the disk.
  func hardSave() throws(ChatError) {
    let edit = Result { () throws(ChatError) in try drafts.save(key(.edit)) }
    try drafts.save(key(.new))
    try edit.get()
  }

  func requireNoEdit() throws(ChatError) {
    guard editing == nil else {
      throw ChatError(
        .editInProgress, "An edit changes the text only. Finish or cancel it, then add the file.")
    }
  }

  // MARK: The banner

  /// The line above the composer at this moment.
  func banner() -> DraftBanner? {
    state.withLock { state in
      let banner = state.banner.banner(now: environment.uptime(), date: environment.now())
      if banner?.kind != .discarded { state.discarded = nil }
      return banner?.worded(with: configuration.texts)
    }
  }

  /// The time at which the banner changes by itself. Nil without a banner.
  var bannerDeadline: ChatEnvironment.Instant? {
    state.withLock { $0.banner.deadline(now: environment.uptime()) }
  }

  private var tellsOfRestored: Bool { state.withLock { $0.banner.tellsOfRestored } }

  /// The content was sent: there is nothing to tell of.
  func sent() { state.withLock { $0.banner.kept() } }

  /// Stores that the user keeps an old draft (SPEC D11).
  func keepDraft() throws(ChatError) {
    state.withLock { $0.banner.kept() }
    try drafts.keep(key)
  }

  // MARK: Discarding

  /// Empties the composer and deletes its draft with its versions (SPEC D10). During an edit, the edit is cancelled. An
  /// empty composer is left alone.
  func discard() throws(ChatError) {
    guard editing == nil else { return try cancelEdit() }
    let entry = drafts.open(key)
    guard !entry.buffer.content.isEmpty else { return }
    offer(
      try drafts.discard(key, isRecovered: tellsOfRestored), of: nil,
      writtenAt: entry.writtenAt)
  }

  private func offer(_ draft: DiscardedDraft, of edit: Edit?, writtenAt: Date?) {
    let (now, uptime) = (environment.now(), environment.uptime())
    state.withLock { state in
      state.discarded = (draft, edit)
      state.banner.discarded(draft.content, writtenAt: writtenAt ?? now, at: uptime)
    }
  }

  /// Takes back a discard, as long as the banner offers Undo. The text of an edit whose message is gone, or beside which
  /// another message is edited, goes to the new message and is not lost.
  ///
  /// - Returns: false when it is too late.
  func undoDiscard() throws(ChatError) -> Bool {
    let uptime = environment.uptime()
    let last = state.withLock { state in
      let isOffered = state.banner.undone(at: uptime) != nil
      defer { state.discarded = nil }
      return isOffered ? state.discarded : nil
    }
    guard let last else { return false }
    if let edit = last.edit, (try? beginEdit(edit.message, of: edit.original)) == true {
      drafts.edit(key, last.draft.content)
      try drafts.save(key)
    } else {
      try bringBack(last.draft)
    }
    return true
  }

  private func bringBack(_ draft: DiscardedDraft) throws(ChatError) {
    var draft = draft
    defer { if draft.hasFilesLeft { offer(draft, of: nil, writtenAt: nil) } }
    try drafts.restore(key(.new), &draft)
  }

  // MARK: Edits

  /// Begins the edit of a message, or continues it (SPEC D1).
  ///
  /// - Parameter original: the message's content, from an app that keeps its messages itself.
  /// - Returns: false when the message was deleted meanwhile. Its unfinished edit is then behind the new message.
  func beginEdit(_ message: MessageID, of original: DraftContent? = nil) throws(ChatError) -> Bool {
    if let original {
      _ = try drafts.beginEdit(message, of: original, in: conversation)
    } else {
      guard try drafts.beginEdit(message, in: conversation, by: user ?? "") else { return false }
    }
    change(to: Edit(message: message, original: original))
    return true
  }

  /// Ends the edit, or an unfinished one of an earlier launch, without changing its message.
  func cancelEdit() throws(ChatError) {
    let edit = state.withLock { $0.edit } ?? unfinishedEdit()
    let writtenAt = drafts.open(key(.edit)).writtenAt
    let discarded = try drafts.cancelEdit(in: conversation)
    if let edit, let discarded { offer(discarded, of: edit, writtenAt: writtenAt) }
  }

  /// The edit of an earlier launch. Nil where an app keeps its messages itself, because their texts are not known here.
  private func unfinishedEdit() -> Edit? {
    guard user != nil else { return nil }
    return drafts.unfinishedEdit(in: conversation).map { Edit(message: $0, original: nil) }
  }

  // MARK: Versions

  func versions() throws(ChatError) -> [DraftVersion] { try drafts.versions(key) }

  func restoreVersion(_ id: DraftVersion.ID) throws(ChatError) { try drafts.restoreVersion(id, key) }
}
