import Foundation
import HoldfastCore
import HoldfastStore
import Synchronization

/// The composer of one conversation, for an app that sends its messages itself. ``ComposerModel`` is its counterpart
/// for an app with an outbox. ``DraftController/composer(in:)`` makes it.
///
/// ```swift
/// let composer = drafts.composer(in: chat)       // on opening a conversation; keep it while the composer is shown
/// field.text = try composer.content().text      // the draft is back
/// composer.edit(field.text)                     // each keystroke
/// try composer.sendSucceeded(id)                // the app's own server has the message
/// ```
///
/// A conversation has two drafts, the new message and the edit of an existing message (rule D1). A composer shows the
/// new message, and after ``beginEdit(_:text:)`` the edit, until it is sent or cancelled, here or in another
/// composer. The content is stored when the last composer of the conversation is released (rule D12). Calls may come
/// from any thread.
public final class DraftComposer: Sendable {
  /// A message that is edited.
  struct Edit {
    let message: MessageID
    /// The message's content, as an app that keeps its messages itself knows it. Nil where the store has the message.
    let original: DraftContent?
  }

  struct State {
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
  }

  /// The content that the app shows, as ``content()`` returned it.
  struct Given {
    /// Whether the app has been given the composer's content, and shows it.
    var isShown = false
    /// The draft that the app has not been given. Text that is typed before goes behind it (rule D17). Nil until the
    /// draft is loaded.
    var unseen: DraftContent?
    /// The text that the app has typed last.
    var typed = ""
  }

  /// The ID with which the composer was opened. The conversation may have another ID by now.
  public let conversation: ConversationID
  package let composer: ComposerID
  let drafts: Drafts
  /// The account whose messages the store has. Nil where an app keeps its messages itself.
  let user: UserID?
  let configuration: ChatConfiguration
  /// The limits of a draft of this conversation.
  let limits: Limits
  let state = Mutex(State())

  var environment: ChatEnvironment { drafts.environment }

  /// Opens the composer. It stays on the screen for as long as this value lives (rule D12).
  init(
    _ conversation: ConversationID, of drafts: Drafts, by user: UserID?, configuration: ChatConfiguration,
    limits: Limits
  ) {
    (self.conversation, self.drafts) = (conversation, drafts)
    (self.user, self.configuration, self.limits) = (user, configuration, limits)
    composer = drafts.join(drafts.store.key(of: conversation))
  }

  deinit { drafts.leave(conversationKey, composer) }

  // MARK: The shown draft

  /// The message that is edited. Nil while a new message is written.
  public var editing: MessageID? { state.withLock { $0.edit?.message } }

  /// The conversation that has the composer's ID now, or had it last.
  var conversationKey: ConversationKey { drafts.store.names.key(of: conversation) }

  /// The draft that the composer shows.
  package var key: DraftKey { key(editing == nil ? .new : .edit) }

  func key(_ slot: DraftSlot) -> DraftKey { DraftKey(conversation: conversationKey, slot: slot) }

  /// The shown draft as it is now. An edit that was sent or dropped, here or in another composer, is over: the composer
  /// shows the new message again.
  func present() -> DraftEntry {
    var entry = drafts.open(key)
    if editing != nil, entry.editing != editing {
      change(to: nil)
      entry = drafts.open(key, by: composer)
    }
    noteLoaded(entry)
    return entry
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
    // Another window has shown the draft's banner meanwhile.
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

  func change(to edit: Edit?) {
    let before = key
    let hasFocus = state.withLock { state in
      (state.edit, state.given) = (edit, Given())
      return state.hasFocus
    }
    guard hasFocus, before != key else { return }
    drafts.blur(before, composer)
    drafts.focus(key, composer)
  }

  // MARK: Typing

  /// The content to show: the draft, exactly as typed, with the cursor if it still fits the text (rule D9). Empty when
  /// nothing was left unsent, or when the draft was sent or discarded since (rule D8). Costs two small reads the first
  /// time. In a store that other processes write to (``StorageLocation/shared()``), a composer without unsaved text has
  /// their text.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. Text that is typed even so joins the draft later.
  public func content() throws(ChatError) -> DraftContent {
    appear()
    let entry = present()
    if let problem = entry.problem, !entry.isLoaded { throw problem }
    state.withLock { $0.given.isShown = entry.isLoaded }
    return entry.buffer.content
  }

  /// The content, which the app shows from now on.
  func given() -> DraftContent {
    state.withLock { $0.given.isShown = true }
    return present().buffer.content
  }

  /// Takes over the text that the user typed, or a new selection: after each keystroke and each move of the cursor.
  /// Costs no disk access once the draft is loaded. The text is stored 700 ms after the last call, and every 10 s
  /// while typing continues, while ``DraftController/run()`` runs (rules D2, D3).
  ///
  /// Text that is typed before ``content()`` has returned the stored draft does not replace that draft: it goes
  /// behind it, and ``content()`` then returns both (rule D17).
  ///
  /// - Parameters:
  ///   - text: the whole text of the field.
  ///   - selection: the selection, in UTF-16 code units of `text`. Nil when it is unknown.
  ///   - formatting: mentions and spans, in the app's own format. Nil for plain text.
  public func edit(_ text: String, selection: TextRange? = nil, formatting: Data? = nil) {
    let entry = drafts.open(key)
    let before = entry.buffer.content
    let content = behindUnseen(
      before.typed(text, selection: selection, formatting: formatting), entry)
    _ = edit(content, basedOn: nil, isOther: !before.text.hasSameBytes(as: content.text))
  }

  /// Takes over what the user typed.
  ///
  /// - Parameters:
  ///   - base: the number of the text that it was typed into. Nil for the newest text.
  ///   - isOther: whether the text differs from the shown one.
  func edit(_ content: DraftContent, basedOn base: Int?, isOther: Bool) -> DraftEntry {
    let entry = drafts.edit(key, content, by: composer, basedOn: base)
    if isOther { state.withLock { $0.banner.typed() } }
    return entry
  }

  /// The typed content, behind the stored draft that the app has not been given. A text that begins with that draft has
  /// it already.
  private func behindUnseen(_ typed: DraftContent, _ entry: DraftEntry) -> DraftContent {
    let unseen = state.withLock { state -> DraftContent? in
      state.given.typed = typed.text
      guard !state.given.isShown, entry.isLoaded else { return nil }
      if state.given.unseen == nil { state.given.unseen = entry.putInFront ?? entry.buffer.content }
      return state.given.unseen
    }
    guard let unseen, !typed.text.hasPrefix(unseen.text) else { return typed }
    return DraftContent.merge(unseen, typed)
  }

  /// The stored draft, while the app does not show it, with the text that was typed meanwhile. Nil when the app shows
  /// all.
  var unseen: (draft: DraftContent, typed: String)? {
    state.withLock { state in
      let given = state.given
      guard !given.isShown, let unseen = given.unseen, !unseen.isEmpty else { return nil }
      guard unseen.hasBlankText || !given.typed.hasPrefix(unseen.text) else { return nil }
      return (unseen, given.typed.storable)
    }
  }

  /// Chooses the message of the same conversation that the new message answers. Nil clears the choice. The choice is
  /// stored with the draft, and ``content()`` returns it.
  ///
  /// - Throws: ``ChatError`` with code `malformedID`, or `repliesUnsupported` where the transport carries no replies.
  public func reply(to message: MessageID?) throws(ChatError) { try reply(to: message, basedOn: nil) }

  func reply(to message: MessageID?, basedOn base: Int?) throws(ChatError) {
    guard message?.isWellFormed != false else {
      throw ChatError(.malformedID, "This is no message that could be answered.")
    }
    if message != nil { try limits.requireReplyTo() }
    var content = drafts.open(key).buffer.content
    content.replyTo = message
    drafts.edit(key, content, by: composer, basedOn: base)
  }

  /// Reports that the user's cursor is in this composer. While it is, an edit that another composer of the process
  /// makes on an older text does not replace this composer's text. Such an edit is kept as a version (rule D13).
  /// Costs nothing.
  public func focus() {
    state.withLock { $0.hasFocus = true }
    drafts.focus(key, composer)
  }

  /// Reports that the user's cursor has left this composer. While no composer has the focus, the one that was typed
  /// into last writes.
  public func blur() {
    state.withLock { $0.hasFocus = false }
    drafts.blur(key, composer)
  }

  /// Flushes the content, of an unfinished edit too. When the call returns, the content is on disk. Call it on
  /// leaving the conversation (rules D4, D12). ``DraftController/hardSave()`` stores every composer.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, with `draftTooLong`, or with
  ///   `unknownConversation`
  ///   for a malformed ID. The content stays in the composer. An edit that cannot be stored does not prevent the new
  ///   message
  ///   from being stored.
  public func hardSave() throws(ChatError) {
    let edit = Result { () throws(ChatError) in try drafts.save(key(.edit)) }
    try drafts.save(key(.new))
    try edit.get()
  }

  // MARK: The banner

  /// The banner above the composer at this moment (rules D10, D11). Its age advances, and Undo expires after 8
  /// seconds. Nil when the draft was written in this session, less than an hour ago, when the banner was shown in
  /// this session already, and when the user has kept the draft.
  public var banner: DraftBanner? {
    state.withLock { state in
      let banner = state.banner.banner(now: environment.uptime(), date: environment.now())
      if banner?.kind != .discarded { state.discarded = nil }
      return banner?.localized(with: configuration.texts)
    }
  }

  /// The time at which the banner changes by itself. Nil without a banner.
  var bannerDeadline: ChatEnvironment.Instant? {
    state.withLock { $0.banner.deadline(now: environment.uptime()) }
  }

  var tellsOfRestored: Bool { state.withLock { $0.banner.tellsOfRestored } }

  /// The content was sent: its banner is removed.
  func sent() { state.withLock { $0.banner.kept() } }

  /// Keeps an old draft: its banner goes away, and does not come back before the draft has changed (rule D11). One
  /// transaction.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The banner then comes back at the next launch.
  public func keepDraft() throws(ChatError) {
    sent()
    try drafts.keep(key)
  }
}
