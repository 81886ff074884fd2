import Foundation
import HoldfastCore
import HoldfastStore
import Synchronization

/// Drafts for an app that sends by itself: with the store, and without outbox, transport or `ChatClient` (SPEC D7).
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
/// The store has the format of `ChatClient`'s: an app that moves to the outbox later opens the same folder with it, and
/// every draft is there. One of the two at a time. A conversation is made when something is typed into it. All calls may
/// come from any thread.
public final class DraftController: Sendable {
  /// A draft that is back in its composer.
  public struct Restored: Sendable, Hashable {
    /// Exactly as typed, with its cursor where it still fits (SPEC D9).
    public var content: DraftContent
    /// What the quiet line above the composer says. Nil: nothing, the user was here a moment ago (SPEC D10, D11).
    public var banner: DraftBanner?
    /// The text alone.
    public var text: String { content.text }
  }

  package let drafts: Drafts
  package let environment: ChatEnvironment
  package var store: Store { drafts.store }
  private let open = Mutex<[ConversationID: Open]>([:])

  /// A conversation whose composer is on the screen.
  private struct Open {
    var composer: ComposerID
    var banner = DraftBannerState()
    /// For as long as it can be brought back.
    var discarded: DiscardedDraft?
  }

  /// Opens the store, and makes it when there is none.
  ///
  /// - Parameters:
  ///   - user: the account. A store that belongs to another is refused.
  ///   - configuration: of its settings, the times of saving and the environment count here.
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The file is left as it is.
  public convenience init(
    storage: StorageLocation, user: UserID, configuration: ChatConfiguration = ChatConfiguration()
  ) throws {
    let store = try Store(folder: try storage.resolve(), owner: user, protection: storage.protection)
    self.init(store: store, user: user, configuration: configuration)
  }

  package init(store: Store, user: UserID, configuration: ChatConfiguration) {
    environment = configuration.environment
    drafts = Drafts(
      store: store, environment: environment, intervals: configuration.saving, conversationOwner: user)
  }

  /// Stores what is typed 700 ms after the last keystroke, and every 10 s while typing goes on (SPEC D2, D3), until the
  /// task is cancelled. Without it, ``background()`` and ``closed(_:)`` are what stores.
  public func run() async {
    let alarm = Alarm(environment)
    let saving = SavingLoop([drafts], signal: drafts.wake, alarm: alarm, environment: environment)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await alarm.run() }
      group.addTask { await saving.run() }
    }
  }

  /// A conversation is opened: what its composer is to hold. Nil: nothing was left unsent, or it was sent since, or
  /// discarded (SPEC D8). Costs two small reads the first time.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`: what is typed all the same joins the draft later.
  public func restore(in conversation: ConversationID) throws(ChatError) -> Restored? {
    let entry = drafts.open(key(conversation), by: composer(of: conversation))
    if let problem = entry.problem, !entry.isLoaded { throw problem }
    open.withLock {
      $0[conversation]?.banner.opened(
        writtenAt: entry.writtenAt, isFromEarlierSession: entry.isRecovered, now: environment.now())
    }
    guard !entry.buffer.content.isEmpty else { return nil }
    return Restored(content: entry.buffer.content, banner: banner(in: conversation))
  }

  /// What the line above the composer says now: its words grow older, and Undo leaves after some seconds.
  public func banner(in conversation: ConversationID) -> DraftBanner? {
    open.withLock { open in
      let banner = open[conversation]?.banner.banner(now: environment.uptime(), date: environment.now())
      if banner?.kind != .discarded { open[conversation]?.discarded = nil }
      return banner
    }
  }

  /// The user typed, or moved the cursor. Costs no disk access.
  ///
  /// - Parameter selection: in UTF-16 code units of `text`.
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

  /// Stores every composer's content now: the app resigns active or enters the background, or a conversation is left
  /// (SPEC D4, D12). When it returns, all of it is on disk.
  ///
  /// - Throws: ``ChatError``: a code that starts with `storage`, `draftTooLong`, or `unknownConversation` for an ID that
  ///   is none. What could not be stored stays in its composer.
  public func background() throws(ChatError) { try drafts.saveAll() }

  /// The composer has left the screen: it is stored, and forgotten in memory.
  public func closed(_ conversation: ConversationID) {
    guard let open = open.withLock({ $0.removeValue(forKey: conversation) }) else { return }
    drafts.leave(conversation, open.composer)
  }

  /// The app's server has the message: its draft is deleted, in one transaction that is on disk when this returns. It
  /// does not come back, whatever any clock says (SPEC D8). A send that has failed needs no call: the draft is there, and
  /// the text stays in the composer (SPEC D7).
  ///
  /// - Parameters:
  ///   - message: the ID by which the app knows it.
  ///   - text: what was sent, where the user can type on meanwhile: a composer that holds another text by now keeps it.
  ///     Nil: whatever the composer holds was sent.
  /// - Throws: ``ChatError`` with code `malformedID`, or one that starts with `storage`. The draft is there still.
  public func sendSucceeded(
    _ message: MessageID, text: String? = nil, in conversation: ConversationID
  ) throws(ChatError) {
    guard message.isWellFormed, conversation.isWellFormed else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
    try drafts.sendSucceeded(key(conversation), message, text: text?.storable)
    open.withLock { $0[conversation]?.banner.kept() }
  }

  /// Empties the composer and deletes its draft, from the file too; ``undoDiscard(in:)`` brings it back for some
  /// seconds (SPEC D10).
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The draft is there still.
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

  /// Takes back a discard, as long as its banner is there. Gives what the composer is to hold: the text, in front of what
  /// was typed since. Nil: it is too late. It was in memory only.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The text is in the composer all the same. Attachments
  ///   for which there was no room are offered by the banner again: call this once more.
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

  /// The user goes on with an old draft: the question leaves (SPEC D11).
  public func keep(in conversation: ConversationID) {
    open.withLock { $0[conversation]?.banner.kept() }
  }

  /// How drafts fare on this device, as ``ChatClient/draftMetrics()``.
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
  /// An app that sends by itself has sent: the draft ends, unless the composer holds another text by now. That one is
  /// stored again, newer than what was sent.
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
