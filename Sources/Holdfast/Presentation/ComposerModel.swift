import Foundation
import HoldfastCore
import HoldfastStore
import Observation

/// The composer of one conversation, for a view. Its content is stored by itself, restored by itself, and moved to the
/// outbox in one transaction.
///
/// ```swift
/// let composer = ComposerModel(client, conversation)       // the draft is back, with its cursor
/// composer.edit("Hal", selection: .init(start: 3, end: 3))  // each keystroke
/// composer.send()
/// composer.hardSave()                                       // on background, and on leaving
/// ```
///
/// A conversation has two drafts, the new message and the edit of an existing message (SPEC D1). A composer shows the
/// new message, and after ``beginEdit(_:)`` the edit. The composer stores its content when the last view lets go of it
/// (SPEC D12).
///
/// Each value of the snapshot is a property of the composer too, observed apart from the others: a Send button that reads
/// `composer.canSend` is not made again for each keystroke.
@MainActor @Observable @dynamicMemberLookup public final class ComposerModel {
  /// The composer's state, for the view.
  public internal(set) var snapshot: ComposerSnapshot {
    get { shown.value }
    set { shown.value = newValue }
  }
  @ObservationIgnored let shown = ObservedSnapshot(ComposerSnapshot())
  @ObservationIgnored package let client: ChatClient
  /// The ID with which the composer was opened. The conversation may have another ID by now.
  @ObservationIgnored package let conversation: ConversationID
  @ObservationIgnored package let composer: ComposerID
  /// The message that is edited here. Nil while a new message is written.
  @ObservationIgnored package var editing: MessageID?
  /// The draft that was discarded here, for as long as Undo is offered.
  @ObservationIgnored private var discarded: DiscardedDraft?
  /// The message whose edit was discarded here. Undo goes back to it.
  @ObservationIgnored var discardedEdit: MessageID?
  @ObservationIgnored var bannerState = DraftBannerState()
  @ObservationIgnored var hasFocus = false
  /// Whether a view shows the composer. SwiftUI makes models whose views never appear, and a draft that nobody has seen
  /// is still to be recovered (SPEC D10).
  @ObservationIgnored private var hasAppeared = false
  /// Whether the draft was read from the store. A store that is locked or busy is read later.
  @ObservationIgnored private var hasLoaded = false
  /// The number of the shown text, and of the first text with the present generation.
  @ObservationIgnored private var shownRevision = 0
  @ObservationIgnored private var generationRevision = 0
  @ObservationIgnored package let changed = Signal()

  package var key: DraftKey { DraftKey(conversation: conversation, slot: editing == nil ? .new : .edit) }

  /// Opens the composer with its draft. Costs two small reads.
  public init(_ client: ChatClient, _ conversation: ConversationID) {
    self.client = client
    self.conversation = conversation
    composer = client.drafts.join(conversation)
    let entry = client.drafts.open(DraftKey(conversation: conversation))
    noteLoaded(entry)
    show(entry, generation: 0)
  }

  deinit { client.drafts.leave(conversation, composer) }

  /// Takes over the text that the user typed, or a new selection. Costs no disk access. The text is stored 700 ms after
  /// the last call, and every 10 s while typing goes on (SPEC D2, D3).
  ///
  /// - Parameters:
  ///   - selection: the selection in UTF-16 code units of `text`. The selection may be inside a cluster, such as a
  ///     letter with its accent. A selection is ignored when it is out of range or inside a surrogate pair (SPEC D9).
  ///   - formatting: mentions and spans, in the app's own format. Nil for plain text.
  ///   - generation: the ``ComposerSnapshot/generation`` of the text that the user typed into, from a text field that
  ///     takes over texts late. Nil for the generation of `snapshot`. An edit of an older text never replaces a newer
  ///     text of another composer that has the focus, and never comes back after a send. Such an edit becomes a version
  ///     instead (SPEC D13, D18).
  public func edit(
    _ text: String, selection: TextRange? = nil, formatting: Data? = nil, generation: Int? = nil
  ) {
    appear()
    let isOlder = generation.map { $0 < snapshot.generation } ?? false
    let entry = client.drafts.edit(
      key, DraftContent(text, selection: selection, replyTo: snapshot.replyTo, formatting: formatting),
      by: composer, basedOn: isOlder ? min(shownRevision, generationRevision - 1) : shownRevision)
    guard entry.editing == editing else { return refresh() }
    if hasLoaded, !text.hasSameBytes(as: snapshot.text) { bannerState.typed() }
    noteLoaded(entry)
    // The stored draft may have been merged in now, if it could not be loaded before.
    let isReplaced = !entry.buffer.content.text.hasSameBytes(as: text)
    show(entry, generation: snapshot.generation + (isReplaced ? 1 : 0))
  }

  /// Chooses the message of the same conversation that the new message answers. Nil takes the choice back. The choice
  /// is stored with the draft, and goes with the message. ``MessageRow/quote`` shows it in the timeline. A malformed ID
  /// is refused, and `snapshot.problem` says so.
  public func reply(to message: MessageID?) {
    guard message?.isWellFormed != false else {
      attempt { () throws(ChatError) in
        throw ChatError(.malformedID, "This is no message that could be answered.")
      }
      return
    }
    var content = client.drafts.open(key).buffer.content
    content.replyTo = message
    client.drafts.edit(key, content, by: composer, basedOn: shownRevision)
    refresh()
  }

  /// Sends the composer's content. During an edit, the text becomes the text of the edited message, and the new message
  /// is back. If the send fails, the text stays and `snapshot.problem` says why.
  @discardableResult
  public func send() -> MessageID? {
    var sent: MessageID?
    attempt { () throws(ChatError) in
      if let editing {
        try client.editor.sendEdit(of: editing, in: conversation)
        sent = editing
      } else {
        sent = try client.sender.sendDraft(in: conversation)
      }
      bannerState.kept()
    }
    return sent
  }

  /// Stores the content now. When the call returns, the content is on disk, or `snapshot.problem` says why not. Call it
  /// when the app resigns active, and on leaving the conversation (SPEC D4).
  public func hardSave() {
    attempt { () throws(ChatError) in
      // An edit that cannot be saved, because it is too long, does not keep the new message from the disk.
      let edit = Result { () throws(ChatError) in
        try client.drafts.save(DraftKey(conversation: conversation, slot: .edit))
      }
      try client.drafts.save(DraftKey(conversation: conversation))
      try edit.get()
    }
  }

  /// Empties the composer and deletes the draft with its versions, from the file too. When the call returns, the
  /// deletion is on disk. The banner offers Undo for some seconds (SPEC D10). During an edit, the call ends the edit.
  /// An empty composer is left alone.
  ///
  /// If the draft cannot be deleted, the text stays and `snapshot.problem` says why.
  public func discard() {
    guard editing == nil else { return cancelEdit() }
    let entry = client.drafts.open(key)
    guard !entry.buffer.content.isEmpty else { return }
    attempt { () throws(ChatError) in
      let draft = try client.drafts.discard(key, isRecovered: bannerState.tellsOfRestored)
      discarded(draft, of: nil, writtenAt: entry.writtenAt)
    }
    changed.raise()
  }

  package func discarded(_ draft: DiscardedDraft, of message: MessageID?, writtenAt: Date?) {
    (discarded, discardedEdit) = (draft, message)
    bannerState.discarded(
      draft.content, writtenAt: writtenAt ?? client.environment.now(), at: client.environment.uptime())
  }

  /// Takes back a discard, as long as the banner offers Undo. The text is in the composer again with its attachments,
  /// in front of the text that was typed since, and on disk when the call returns. The discarded draft is in memory
  /// only, so that a crash before the call loses it. If the disk has no room for all attachments, the banner still
  /// offers the others, and `snapshot.problem` says so.
  public func undoDiscard() {
    guard bannerState.undone(at: client.environment.uptime()) != nil, let discarded else { return refresh() }
    guard discardedEdit == nil else { return undoCancelEdit(discarded) }
    bringBack(discarded)
  }

  package func bringBack(_ draft: DiscardedDraft) {
    var draft = draft
    attempt { () throws(ChatError) in
      defer { if draft.hasFilesLeft { discarded(draft, of: nil, writtenAt: nil) } }
      try client.drafts.restore(DraftKey(conversation: conversation), &draft)
    }
  }

  /// Keeps an old draft: the banner's question goes, and does not come back before the draft has changed (SPEC D11).
  /// One transaction. If it fails, the question comes back at the next launch, and `snapshot.problem` says why.
  public func keepDraft() {
    bannerState.kept()
    attempt { () throws(ChatError) in try client.drafts.keep(key) }
  }

  /// Follows changes of the draft from elsewhere until the task is cancelled: from another window, or when a message is
  /// taken back.
  public func run() async {
    let (conversation, aliases) = (conversation, client.store.aliases)
    let subscription = client.store.changes.subscribe(changed) {
      $0.drafts.contains(aliases.current(conversation))
    }
    defer { client.store.changes.unsubscribe(subscription) }
    appear()
    while !Task.isCancelled {
      refresh()
      let deadline = bannerState.deadline(now: client.environment.uptime())
      await changed.wait(until: deadline, in: client.environment)
    }
  }

  /// Counts the restored draft, the first time that a view shows the composer.
  func appear() {
    guard !hasAppeared else { return }
    hasAppeared = true
    present()
  }

  private func present() {
    _ = client.drafts.open(key, by: composer)
    // Another window has told of the draft meanwhile.
    if bannerState.tellsOfRestored, !client.drafts.tell(key) { bannerState.kept() }
  }

  /// The draft was read from the store, when the composer was opened or later: its banner is due.
  private func noteLoaded(_ entry: DraftEntry) {
    guard !hasLoaded, entry.isLoaded else { return }
    hasLoaded = true
    if client.drafts.isToBeTold(key) {
      bannerState.opened(
        writtenAt: entry.writtenAt, isFromEarlierSession: entry.isRecovered, now: client.environment.now(),
        recoveredAfter: client.configuration.saving.recoveredAfter)
    }
    if hasAppeared { present() }
  }

  /// Runs an operation that may fail, and shows its outcome.
  @discardableResult
  package func attempt(_ body: () throws(ChatError) -> Void) -> Bool {
    appear()
    do throws(ChatError) {
      try body()
      refresh()
      return true
    } catch {
      refresh()
      (snapshot.problem, snapshot.problemCode) = (
        client.configuration.texts(.error(error)), error.code
      )
      return false
    }
  }

  func refresh() {
    var entry = client.drafts.open(key)
    // The edit was sent or dropped, here or in another window.
    let isOver = editing != nil && entry.editing != editing
    if isOver {
      switchSlot(to: nil)
      entry = client.drafts.open(key, by: composer)
    }
    noteLoaded(entry)
    let isReplaced = isOver || !entry.buffer.content.text.hasSameBytes(as: snapshot.text)
    show(entry, generation: snapshot.generation + (isReplaced ? 1 : 0))
  }

  /// Shows the new message, or the edit of a message. The text field takes over the shown text.
  func switchSlot(to message: MessageID?) {
    let before = key
    editing = message
    guard hasFocus, before != key else { return }
    client.drafts.blur(before, composer)
    client.drafts.focus(key, composer)
  }

  package func show(_ entry: DraftEntry, generation: Int) {
    shownRevision = entry.turn.revision
    if generation != snapshot.generation { generationRevision = shownRevision }
    let content = entry.buffer.content
    let present = ComposerSnapshot(
      text: content.text, selection: content.selection, generation: generation,
      canSend: !content.isEmpty,
      banner: bannerState.banner(now: client.environment.uptime(), date: client.environment.now())?
        .worded(with: client.configuration.texts),
      attachments: content.attachments.map { client.row($0) },
      problem: entry.problem.map { client.configuration.texts(.error($0)) },
      problemCode: entry.problem?.code, editing: editing,
      unfinishedEdit: editing == nil ? client.drafts.unfinishedEdit(in: conversation) : nil,
      replyTo: content.replyTo, formatting: content.formatting, canTakeBack: entry.canTakeBack)
    if !present.text.hasSameBytes(as: snapshot.text) || present != snapshot { snapshot = present }
    if present.banner?.kind != .discarded { discarded = nil }
  }
}
