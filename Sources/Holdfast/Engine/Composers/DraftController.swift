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
/// drafts.textChanged(field.text, in: chat)                                // each keystroke
/// try drafts.background()                                                 // on background, and on leaving
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
    /// hour ago.
    public var banner: DraftBanner?
    /// The text alone.
    public var text: String { content.text }
  }

  package let drafts: Drafts
  package let environment: ChatEnvironment
  package var store: Store { drafts.store }
  private let recoveredAfter: Duration
  private let open = Mutex<[ConversationID: Open]>([:])

  /// A conversation whose composer is on the screen.
  private struct Open {
    var composer: ComposerID
    var banner = DraftBannerState()
    /// The discarded draft, while Undo can bring it back. Nil otherwise.
    var discarded: DiscardedDraft?
  }

  /// Opens the store, or creates it when it does not exist.
  ///
  /// - Parameters:
  ///   - user: the account. A store that belongs to another account is refused.
  ///   - configuration: the settings. Only the saving times and the environment are used.
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The file is left as it is.
  public convenience init(
    storage: StorageLocation, user: UserID, configuration: ChatConfiguration = ChatConfiguration()
  ) throws {
    let store = try Store(folder: try storage.resolve(), owner: user, protection: storage.protection)
    self.init(store: store, user: user, configuration: configuration)
  }

  package init(store: Store, user: UserID, configuration: ChatConfiguration) {
    environment = configuration.environment
    recoveredAfter = configuration.saving.recoveredAfter
    drafts = Drafts(
      store: store, environment: environment, intervals: configuration.saving, conversationOwner: user)
  }

  /// Stores typed text 700 ms after the last keystroke, and every 10 s while typing goes on (SPEC D2, D3). Returns when
  /// the task is cancelled. Without this call, ``background()`` and ``closed(_:)`` store the text.
  public func run() async {
    let alarm = Alarm(environment)
    let saving = SavingLoop([drafts], signal: drafts.wake, alarm: alarm, environment: environment)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await alarm.run() }
      group.addTask { await saving.run() }
    }
  }

  /// Opens a conversation and returns the draft for its composer. Nil when nothing was left unsent, or when the draft
  /// was sent or discarded since (SPEC D8). Costs two small reads the first time.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. Text that is typed even so joins the draft later.
  public func restore(in conversation: ConversationID) throws(ChatError) -> Restored? {
    let entry = drafts.open(key(conversation), by: composer(of: conversation))
    if let problem = entry.problem, !entry.isLoaded { throw problem }
    open.withLock {
      $0[conversation]?.banner.opened(
        writtenAt: entry.writtenAt, isFromEarlierSession: entry.isRecovered, now: environment.now(),
        recoveredAfter: recoveredAfter)
    }
    guard !entry.buffer.content.isEmpty else { return nil }
    return Restored(content: entry.buffer.content, banner: banner(in: conversation))
  }

  /// The line above the composer at this moment. Its words grow older, and Undo goes away after 8 seconds.
  public func banner(in conversation: ConversationID) -> DraftBanner? {
    open.withLock { open in
      let banner = open[conversation]?.banner.banner(now: environment.uptime(), date: environment.now())
      if banner?.kind != .discarded { open[conversation]?.discarded = nil }
      return banner
    }
  }

  /// Takes over the composer's text and cursor, after each keystroke and each move of the cursor. Costs no disk access.
  ///
  /// - Parameter selection: the selection, in UTF-16 code units of `text`. Nil when it is unknown.
  public func textChanged(
    _ text: String, selection: TextRange? = nil, in conversation: ConversationID
  ) {
    let composer = composer(of: conversation)
    let before = drafts.open(key(conversation)).buffer.content
    drafts.edit(
      key(conversation),
      DraftContent(text, selection: selection, replyTo: before.replyTo, formatting: before.formatting),
      by: composer)
    guard !before.text.hasSameBytes(as: text) else { return }
    open.withLock { $0[conversation]?.banner.typed() }
  }

  /// Stores the content of every composer now. Call it when the app resigns active or enters the background, and when a
  /// conversation is left (SPEC D4, D12). When the call returns, all of the content is on disk.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, with `draftTooLong`, or with `unknownConversation`
  ///   for a malformed ID. Content that could not be stored stays in its composer.
  public func background() throws(ChatError) { try drafts.saveAll() }

  /// Stores the content of a composer that has left the screen, and removes it from memory. Content that cannot be
  /// stored stays in memory.
  public func closed(_ conversation: ConversationID) {
    guard let open = open.withLock({ $0.removeValue(forKey: conversation) }) else { return }
    drafts.leave(conversation, open.composer)
  }

  /// Deletes the draft of a message that the app's server has. The transaction is on disk when the call returns. The
  /// draft does not come back, whatever a clock says (SPEC D8). A failed send needs no call: the draft still exists,
  /// and the text stays in the composer (SPEC D7).
  ///
  /// - Parameters:
  ///   - message: the ID by which the app knows the message.
  ///   - text: the text that was sent, for an app whose user can go on typing meanwhile. A composer that holds another
  ///     text by now keeps that text. Nil when the composer's present content was sent.
  /// - Throws: ``ChatError`` with code `malformedID`, or one that starts with `storage`. The draft then still exists.
  public func sendSucceeded(
    _ message: MessageID, text: String? = nil, in conversation: ConversationID
  ) throws(ChatError) {
    guard message.isWellFormed, conversation.isWellFormed else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
    try drafts.sendSucceeded(key(conversation), message, text: text?.storable)
    open.withLock { $0[conversation]?.banner.kept() }
  }

  /// Empties the composer and deletes its draft, also from the file. ``undoDiscard(in:)`` brings the draft back within
  /// 8 seconds (SPEC D10).
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The draft then still exists.
  public func discard(in conversation: ConversationID) throws(ChatError) {
    _ = composer(of: conversation)
    let entry = drafts.open(key(conversation))
    guard !entry.buffer.content.isEmpty else { return }
    let isRecovered = open.withLock { $0[conversation]?.banner.tellsOfRestored } ?? false
    let discarded = try drafts.discard(key(conversation), isRecovered: isRecovered)
    offer(discarded, writtenAt: entry.writtenAt, in: conversation)
  }

  private func offer(_ discarded: DiscardedDraft, writtenAt: Date?, in conversation: ConversationID) {
    let (date, uptime) = (environment.now(), environment.uptime())
    open.withLock {
      $0[conversation]?.discarded = discarded
      $0[conversation]?.banner.discarded(discarded.content, writtenAt: writtenAt ?? date, at: uptime)
    }
  }

  /// Takes back a discard while its banner is shown. Returns the composer's new content: the discarded text, in front
  /// of text that was typed since. Nil when it is too late. The discarded draft was kept in memory only.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The text is in the composer even then. The banner
  ///   offers attachments for which there was no room a second time, and another call tries them again.
  public func undoDiscard(in conversation: ConversationID) throws(ChatError) -> DraftContent? {
    let uptime = environment.uptime()
    let last = open.withLock { open -> DiscardedDraft? in
      defer { open[conversation]?.discarded = nil }
      return open[conversation]?.banner.undone(at: uptime) == nil ? nil : open[conversation]?.discarded
    }
    guard var discarded = last else { return nil }
    do throws(ChatError) {
      try drafts.restore(key(conversation), &discarded)
    } catch {
      if discarded.hasFilesLeft { offer(discarded, writtenAt: nil, in: conversation) }
      throw error
    }
    return drafts.open(key(conversation)).buffer.content
  }

  /// Keeps an old draft: its banner goes away (SPEC D11).
  public func keep(in conversation: ConversationID) {
    open.withLock { $0[conversation]?.banner.kept() }
  }

  /// Statistics about drafts on this device, like ``ChatClient/draftMetrics()``.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public func metrics() throws(ChatError) -> DraftMetrics { try drafts.metrics() }

  private func key(_ conversation: ConversationID) -> DraftKey { DraftKey(conversation: conversation) }

  private func composer(of conversation: ConversationID) -> ComposerID {
    open.withLock { open in
      if let there = open[conversation] { return there.composer }
      let new = Open(composer: drafts.join(conversation))
      open[conversation] = new
      return new.composer
    }
  }
}

extension Drafts {
  /// Ends the draft of a message that the app has sent itself. If the composer holds another text by now, that text is
  /// stored again, newer than the sent message.
  fileprivate func sendSucceeded(
    _ key: DraftKey, _ message: MessageID, text: String?
  ) throws(ChatError) {
    func note(_ sent: String, _ transaction: Transaction) throws {
      let now = environment.now()
      try storage.makeConversation(key.conversation, in: transaction, now: now)
      let words = title(from: sent.trimmingCharacters(in: .whitespacesAndNewlines))
      try transaction.noteSend(message, title: words, in: key.conversation, endsDraft: true, now: now)
    }
    let result = table.withLock { table -> Result<Void, ChatError> in
      table.load(key)
      guard let text, let entry = table.entries[key], entry.isLoaded,
        !entry.buffer.content.text.hasSameBytes(as: text)
      else { return table.take(key) { try note($0.text, $1) } }
      return table.replace(key, entry) { present, transaction in
        try note(text, transaction)
        return present
      }.map { _ in }
    }
    announce(key)
    try result.get()
  }
}
