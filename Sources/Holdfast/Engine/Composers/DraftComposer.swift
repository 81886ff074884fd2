import Foundation
import HoldfastCore
import HoldfastStore

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
  /// The ID with which the composer was opened. The conversation may have another ID by now.
  public let conversation: ConversationID
  package let composer: ComposerID
  let drafts: Drafts
  /// The account whose messages the store has. Nil where an app keeps its messages itself.
  let user: UserID?
  let configuration: ChatConfiguration
  /// The limits of a draft of this conversation.
  let limits: Limits

  var environment: ChatEnvironment { drafts.environment }

  /// Opens the composer. It stays on the screen for as long as this value lives (rule D12).
  init(
    _ conversation: ConversationID, of drafts: Drafts, by user: UserID?, configuration: ChatConfiguration,
    limits: Limits
  ) {
    (self.conversation, self.drafts) = (conversation, drafts)
    (self.user, self.configuration, self.limits) = (user, configuration, limits)
    let key = drafts.store.key(of: conversation)
    composer = drafts.withTable { $0.join(key) }
  }

  deinit { drafts.withTable { $0.leave(composer) } }

  // MARK: The shown draft

  /// The message that is edited. Nil while a new message is written.
  public var editing: MessageID? { locked { state, _ in state.edit?.message } }

  /// The conversation that has the composer's ID now, or had it last.
  var conversationKey: ConversationKey { drafts.store.names.key(of: conversation) }

  /// The draft that the composer shows.
  package var key: DraftKey { locked { state, _ in state.key } }

  func key(_ slot: DraftSlot) -> DraftKey { DraftKey(conversation: conversationKey, slot: slot) }

  /// Gives `body` what is noted about this composer, and the drafts, under the one lock.
  func locked<Value: Sendable, Failure>(
    _ body: (inout ComposerState, inout DraftTable) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try drafts.withTable { table throws(Failure) in
      var state = table.composers[composer] ?? ComposerState(composer, in: conversationKey)
      state.shown = conversationKey
      defer { table.composers[composer] = state }
      return try body(&state, &table)
    }
  }

  /// The shown draft as it is now.
  func shown() -> ShownDraft { locked { state, table in state.draft(in: &table) } }

  /// Notes that somebody sees the composer. The first time, its restored draft is counted.
  func appear() { locked { state, table in state.appear(in: &table) } }

  // MARK: Typing

  /// The content to show: the draft, exactly as typed, with the cursor if it still fits the text (rule D9). Empty when
  /// nothing was left unsent, or when the draft was sent or discarded since (rule D8). Costs two small reads the first
  /// time. In a store that other processes write to (``StorageLocation/shared()``), a composer without unsaved text has
  /// their text.
  ///
  /// - Throws: ``ChatError`` with a storage code. Text that is typed even so joins the draft later.
  public func content() throws(ChatError) -> DraftContent {
    try locked { state, table throws(ChatError) in
      state.appear(in: &table)
      let entry = state.present(in: &table)
      if let problem = entry.problem, !entry.isLoaded { throw problem }
      state.given.isShown = entry.isLoaded
      return entry.buffer.content
    }
  }

  /// The content, which the app shows from now on.
  func given() -> DraftContent {
    locked { state, table in
      state.given.isShown = true
      return state.present(in: &table).buffer.content
    }
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
    locked { state, table in
      let entry = table.open(state.key)
      let before = entry.buffer.content
      let typed = before.typed(text, selection: selection, formatting: formatting)
      state.type(state.behindUnseen(typed, entry), basedOn: nil, over: before.text, in: &table)
    }
  }

  /// Takes over what the user typed, and returns the draft to show.
  ///
  /// - Parameters:
  ///   - base: the number of the text that it was typed into.
  ///   - shown: the text that the composer showed before.
  func edit(_ content: DraftContent, basedOn base: Int, over shown: String) -> ShownDraft {
    locked { state, table in
      state.appear(in: &table)
      state.type(content, basedOn: base, over: shown, in: &table)
      return state.draft(in: &table)
    }
  }

  /// The stored draft, while the app does not show it, with the text that was typed meanwhile. Nil when the app shows
  /// all.
  var unseen: (draft: DraftContent, typed: String)? {
    locked { state, _ in
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
    locked { state, table in
      var content = table.open(state.key).buffer.content
      content.replyTo = message
      table.apply(content, to: state.key, by: composer, basedOn: base)
    }
  }

  /// Reports that the user's cursor is in this composer. While it is, an edit that another composer of the process
  /// makes on an older text does not replace this composer's text. Such an edit is kept as a version (rule D13).
  /// Costs nothing.
  public func focus() {
    locked { state, table in
      state.hasFocus = true
      table.load(state.key)
      table[state.key]?.turn.focus(composer)
    }
  }

  /// Reports that the user's cursor has left this composer. While no composer has the focus, the one that was typed
  /// into last writes.
  public func blur() {
    locked { state, table in
      state.hasFocus = false
      table[state.key]?.turn.blur(composer)
    }
  }

  /// Flushes the content, of an unfinished edit too. When the call returns, the content is on disk. Call it on
  /// leaving the conversation (rules D4, D12). ``DraftController/hardSave()`` stores every composer.
  ///
  /// - Throws: ``ChatError`` with a storage code, with `draftTooLong`, or with `unknownConversation` for a malformed
  ///   ID. The content stays in the composer. An edit that cannot be stored does not prevent the new message from being
  ///   stored.
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
    locked { state, _ in state.presentBanner(environment) }?.localized(with: configuration.texts)
  }

  /// The time at which the banner changes by itself. Nil without a banner.
  var bannerDeadline: ChatEnvironment.Instant? {
    locked { state, _ in state.banner.deadline(now: environment.uptime()) }
  }

  /// The content was sent: its banner is removed.
  func sent() { locked { state, _ in state.banner.kept() } }

  /// Keeps an old draft: its banner goes away, and does not come back before the draft has changed (rule D11). One
  /// transaction.
  ///
  /// - Throws: ``ChatError`` with a storage code. The banner then comes back at the next launch.
  public func keepDraft() throws(ChatError) {
    sent()
    try drafts.keep(key)
  }
}

extension DraftComposer {
  /// The limits of a draft, set by the transport that will carry it. An app that sends by itself has only the first.
  struct Limits: Sendable {
    /// Gives the size of the largest allowed file, in bytes. Throws where files are not allowed.
    let largestFile: @Sendable () throws(ChatError) -> Int64
    /// Throws where a message cannot answer another one.
    let requireReplyTo: @Sendable () throws(ChatError) -> Void
  }
}
