import Foundation
import HoldfastCore
import HoldfastStore
import Synchronization

/// Drafts for an app that sends its messages itself. They use the store, without outbox, transport or ``ChatClient``
/// (SPEC D7).
///
/// ```swift
/// let drafts = try DraftController(storage: .applicationSupport("alice"), user: "alice")
/// if let draft = drafts.restore(in: chat) { field.text = draft.text }      // on opening a conversation
/// drafts.edit(field.text, in: chat)                                // each keystroke
/// try drafts.hardSave()                                                 // on background, and on leaving
/// try drafts.sendSucceeded(id, in: chat)                                  // the app's own server has it
/// await drafts.run()                                                      // saves by itself, until cancelled
/// ```
///
/// The store has the format of ``ChatClient``: an app that adopts the outbox later opens the same folder with a client,
/// and finds every draft. Only one of the two may be in use at a time. Typing into a conversation creates it. Calls may
/// come from any thread.
public final class DraftController: Sendable {
  /// A stored draft that is back in its composer.
  public struct Restored: Sendable, Hashable {
    /// The content, exactly as typed. The cursor is included when it still fits the text (SPEC D9).
    public var content: DraftContent
    /// The quiet line above the composer (SPEC D10, D11). Nil when the draft was written in this session, less than an
    /// hour ago, when the line was shown in this session already, and when its user has kept the draft.
    public var banner: DraftBanner?
    /// The text alone.
    public var text: String { content.text }
  }

  package let drafts: Drafts
  package let environment: ChatEnvironment
  package var store: Store { drafts.store }
  private let configuration: ChatConfiguration
  var limits: ChatConfiguration.AttachmentLimits { configuration.attachments }
  /// The composers on the screen, by the present IDs of their conversations.
  let open = Mutex<[ConversationID: Open]>([:])

  /// A conversation whose composer is on the screen.
  struct Open {
    let session: DraftSession
    /// Whether the app has been given the composer's content, and shows it.
    var isShown = false
    /// The draft that the app has not been given. Text that is typed before goes behind it (SPEC D17). Nil until the
    /// draft is loaded.
    var unseen: DraftContent?
    /// The text that the app has typed last.
    var typed = ""

    /// The composer changes between the new message and an edit.
    mutating func change(isShown: Bool) { (self.isShown, unseen, typed) = (isShown, nil, "") }
  }

  /// Opens the store, or creates it when it does not exist.
  ///
  /// - Parameters:
  ///   - user: the account. A store that belongs to another account is refused.
  ///   - configuration: the settings. Only the saving times, the sizes of files, the texts and the environment are
  ///     used.
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The file is left as it is.
  public convenience init(
    storage: StorageLocation, user: UserID, configuration: ChatConfiguration = ChatConfiguration()
  ) throws {
    let store = try Store(
      folder: try storage.resolve(), owner: user, isShared: storage.isShared, protection: storage.protection)
    self.init(store: store, user: user, configuration: configuration)
  }

  package init(store: Store, user: UserID, configuration: ChatConfiguration) {
    environment = configuration.environment
    self.configuration = configuration
    drafts = Drafts(
      store: store, environment: environment, intervals: configuration.saving, conversationOwner: user)
  }

  /// Stores typed text 700 ms after the last keystroke, and every 10 s while typing goes on (SPEC D2, D3). Returns when
  /// the task is cancelled. Without this call, ``hardSave()`` and ``close(_:)`` store the text. In a store that other
  /// processes write to (``StorageLocation/shared()``), a composer without unsaved text follows their drafts, and
  /// ``restore(in:)`` returns them.
  public func run() async {
    let alarm = Alarm(environment)
    let saving = SavingLoop([drafts], signal: drafts.wake, alarm: alarm, environment: environment)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await alarm.run() }
      group.addTask { await saving.run() }
      group.addTask { [drafts, store, environment] in
        await CommitWatch(store, environment).run { drafts.noticeOthers() }
      }
    }
  }

  /// Opens a conversation and returns the draft for its composer. Nil when nothing was left unsent, or when the draft
  /// was sent or discarded since (SPEC D8). During an edit, it is the text of the edit. Costs two small reads the first
  /// time.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. Text that is typed even so joins the draft later.
  public func restore(in conversation: ConversationID) throws(ChatError) -> Restored? {
    let session = session(of: conversation)
    session.appear()
    let (entry, _) = session.present()
    if let problem = entry.problem, !entry.isLoaded { throw problem }
    withOpen(conversation) { $0.isShown = entry.isLoaded }
    guard !entry.buffer.content.isEmpty else { return nil }
    return Restored(content: entry.buffer.content, banner: session.banner())
  }

  /// The line above the composer at this moment. Its words grow older, and Undo goes away after 8 seconds.
  public func banner(in conversation: ConversationID) -> DraftBanner? {
    withOpen(conversation) { $0.session }?.banner()
  }

  /// Takes over the composer's text and cursor, after each keystroke and each move of the cursor. Costs no disk access
  /// once the draft is loaded.
  ///
  /// Text that is typed before ``restore(in:)`` has returned the stored draft does not replace that draft: it goes
  /// behind it, and ``restore(in:)`` then returns both (SPEC D17).
  ///
  /// - Parameters:
  ///   - selection: the selection, in UTF-16 code units of `text`. Nil when it is unknown.
  ///   - formatting: mentions and spans, in the app's own format. Nil for plain text.
  public func edit(
    _ text: String, selection: TextRange? = nil, formatting: Data? = nil, in conversation: ConversationID
  ) {
    let session = session(of: conversation)
    let entry = drafts.open(session.key)
    let before = entry.buffer.content
    let typed = DraftContent(
      text, selection: selection, replyTo: before.replyTo, formatting: formatting)
    let content = behindUnseen(typed, entry, in: conversation)
    _ = session.edit(content, isOther: !before.text.hasSameBytes(as: content.text))
  }

  /// Chooses the message that the new message answers. Nil takes the choice back. The choice is stored with the draft,
  /// and ``restore(in:)`` returns it.
  ///
  /// - Throws: ``ChatError`` with code `malformedID`.
  public func reply(to message: MessageID?, in conversation: ConversationID) throws(ChatError) {
    try session(of: conversation).reply(to: message)
  }

  /// Tells that the user's cursor is in this conversation's composer, as ``ComposerModel/focus()`` does (SPEC D13). Costs
  /// nothing.
  public func focus(in conversation: ConversationID) { session(of: conversation).focus() }

  /// Tells that the user's cursor has left this conversation's composer.
  public func blur(in conversation: ConversationID) { session(of: conversation).blur() }

  /// The typed content, behind the stored draft that the app has not been given. A text that begins with that draft has
  /// it already.
  private func behindUnseen(
    _ typed: DraftContent, _ entry: DraftEntry, in conversation: ConversationID
  ) -> DraftContent {
    let unseen =
      withOpen(conversation) { open -> DraftContent? in
        open.typed = typed.text
        guard !open.isShown, entry.isLoaded else { return nil }
        if open.unseen == nil { open.unseen = entry.putInFront ?? entry.buffer.content }
        return open.unseen
      } ?? nil
    guard let unseen, !typed.text.hasPrefix(unseen.text) else { return typed }
    return DraftContent.merge(unseen, typed)
  }

  /// Stores the content of every composer now. Call it when the app resigns active or enters the background, and when a
  /// conversation is left (SPEC D4, D12). When the call returns, all of the content is on disk.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, with `draftTooLong`, or with `unknownConversation`
  ///   for a malformed ID. Content that could not be stored stays in its composer.
  public func hardSave() throws(ChatError) { try drafts.saveAll() }

  /// Stores the content of a composer that has left the screen, and removes it from memory. Content that cannot be
  /// stored stays in memory.
  public func close(_ conversation: ConversationID) {
    let present = store.aliases.current(conversation)
    _ = open.withLock { $0.removeValue(forKey: present) }
  }

  /// Deletes the draft of a message that the app's server has. The transaction is on disk when the call returns. The
  /// draft does not come back, whatever a clock says (SPEC D8). A failed send needs no call: the draft still exists,
  /// and the text stays in the composer (SPEC D7). The versions of the draft are removed too.
  ///
  /// During an edit, the call ends the edit, and ``restore(in:)`` returns the unsent new message.
  ///
  /// - Parameters:
  ///   - message: the ID by which the app knows the message.
  ///   - text: the text that was sent, for an app whose user can go on typing meanwhile. A composer that holds another
  ///     text by now keeps that text. Nil when the composer's present content was sent.
  ///   - attachments: the files that were sent with `text`. A composer that keeps its text does not keep these.
  /// - Throws: ``ChatError`` with code `malformedID`, or one that starts with `storage`. The draft then still exists.
  public func sendSucceeded(
    _ message: MessageID, text: String? = nil, attachments: [ChatAttachment] = [],
    in conversation: ConversationID
  ) throws(ChatError) {
    guard message.isWellFormed, conversation.isWellFormed else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
    guard editing(in: conversation) == nil else {
      return try editSucceeded(text: text?.storable, in: conversation)
    }
    let unseen = unseen(in: conversation)
    let text = text?.storable ?? unseen?.typed
    try drafts.sendSucceeded(key(conversation), message, text: text) { present in
      if let unseen, let text, unseen.typed.hasSameBytes(as: text) { return unseen.draft }
      var left = present
      left.attachments.removeAll { attachment in attachments.contains { $0.id == attachment.id } }
      return left
    }
    withOpen(conversation) { $0.session }?.sent()
  }

  /// The stored draft that the app has not been given, and the text that was typed behind it. Nil when there is none.
  private func unseen(in conversation: ConversationID) -> (draft: DraftContent, typed: String)? {
    withOpen(conversation) { open -> (draft: DraftContent, typed: String)? in
      guard !open.isShown, let unseen = open.unseen, !unseen.isEmpty else { return nil }
      guard unseen.hasBlankText || !open.typed.hasPrefix(unseen.text) else { return nil }
      return (unseen, open.typed.storable)
    } ?? nil
  }

  /// Empties the composer and deletes its draft, also from the file. ``undoDiscard(in:)`` brings the draft back within
  /// 8 seconds (SPEC D10). The versions of the draft are removed too. During an edit, the call is ``cancelEdit(in:)``.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, or `draftChanged` when text was typed before
  ///   ``restore(in:)`` has returned the stored draft: nobody has seen what would be deleted. The draft then still
  ///   exists.
  public func discard(in conversation: ConversationID) throws(ChatError) {
    let session = session(of: conversation)
    guard unseen(in: conversation) == nil else { throw DraftStorage.changedElsewhere }
    try session.discard()
    withOpen(conversation) { $0.change(isShown: true) }
  }

  /// Takes back a discard while its banner is shown. Returns the composer's new content: the discarded text, in front
  /// of text that was typed since. A discarded edit goes on. Nil when it is too late. The discarded draft was kept in
  /// memory only.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The text is in the composer even then. The banner
  ///   offers attachments for which there was no room a second time, and another call tries them again.
  public func undoDiscard(in conversation: ConversationID) throws(ChatError) -> DraftContent? {
    guard let session = withOpen(conversation, { $0.session }), try session.undoDiscard() else { return nil }
    withOpen(conversation) { $0.change(isShown: true) }
    return shownContent(in: conversation)
  }

  /// Keeps an old draft: its banner goes away, and does not come back before the draft has changed (SPEC D11). One
  /// transaction.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The banner then comes back at the next launch.
  public func keepDraft(in conversation: ConversationID) throws(ChatError) {
    try session(of: conversation).keepDraft()
  }

  /// Statistics about drafts on this device, like ``ChatClient/draftMetrics()``.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public func draftMetrics() throws(ChatError) -> DraftMetrics { try drafts.metrics() }

  /// The draft that the conversation's composer shows: the new message, or the edit of a message.
  func key(_ conversation: ConversationID) -> DraftKey {
    withOpen(conversation) { $0.session.key } ?? DraftKey(conversation: conversation)
  }

  /// The composer's content, which the app shows from now on.
  func shownContent(in conversation: ConversationID) -> DraftContent {
    withOpen(conversation) { $0.isShown = true }
    return session(of: conversation).present().entry.buffer.content
  }

  func session(of conversation: ConversationID) -> DraftSession {
    let present = store.aliases.current(conversation)
    return open.withLock { open in
      if let there = open[present] { return there.session }
      let new = Open(
        session: DraftSession(conversation, of: drafts, by: nil, configuration: configuration))
      open[present] = new
      return new.session
    }
  }

  /// Gives `body` the composer of a conversation. Returns nil when it is not on the screen.
  @discardableResult
  func withOpen<Value: Sendable>(
    _ conversation: ConversationID, _ body: (inout Open) -> Value
  ) -> Value? {
    let present = store.aliases.current(conversation)
    return open.withLock { open in
      guard var there = open[present] else { return nil }
      defer { open[present] = there }
      return body(&there)
    }
  }
}

extension Drafts {
  /// Ends the draft of a message that the app has sent itself. If the composer holds another text by now, what stays of
  /// it is stored again, newer than the sent message.
  ///
  /// - Parameter staying: gets the composer's content, and returns what was not sent.
  fileprivate func sendSucceeded(
    _ key: DraftKey, _ message: MessageID, text: String?, staying: (DraftContent) -> DraftContent
  ) throws(ChatError) {
    func note(_ sent: String, _ transaction: Transaction) throws {
      let now = environment.now()
      let conversation = transaction.current(key.conversation)
      try storage.makeConversation(conversation, in: transaction, now: now)
      let words = title(from: sent.trimmingCharacters(in: .whitespacesAndNewlines))
      try transaction.noteSend(message, title: words, in: conversation, endsDraft: true, now: now)
    }
    try changing(key) { table, key, entry throws(ChatError) in
      guard let text, !entry.buffer.content.text.hasSameBytes(as: text) else {
        return try table.take(key) { try note($0.text, $1) }
      }
      try table.replace(key, entry) { present, transaction in
        try note(text, transaction)
        return staying(present)
      }
    }
  }
}
