import Foundation
import HoldfastCore
import HoldfastStore
import Observation

/// The composer of one conversation for a view: what it holds is stored by itself, restored by itself, and
/// moves to the outbox in one transaction.
///
/// ```swift
/// let composer = ComposerModel(client, conversation)       // the draft is back, with its cursor
/// composer.edit("Hal", selection: .init(start: 3, end: 3))  // each keystroke
/// composer.send()
/// composer.hardSave()                                       // on background, and on leaving
/// ```
///
/// A conversation has two drafts, the new message and the edit of an old one (SPEC D1); a composer shows the new one,
/// and after ``beginEdit(_:)`` the other. It stores what it holds when the last view lets go of it (SPEC D12).
@MainActor @Observable public final class ComposerModel {
  /// The composer's state, for the view.
  public internal(set) var snapshot: ComposerSnapshot
  @ObservationIgnored package let client: ChatClient
  /// By the ID with which it was opened: the conversation may have another by now.
  @ObservationIgnored package let conversation: ConversationID
  @ObservationIgnored package let composer: ComposerID
  /// The message that is edited here. Nil: a new one is written.
  @ObservationIgnored package var editing: MessageID?
  /// What was discarded here, for as long as Undo is offered.
  @ObservationIgnored private var discarded: DiscardedDraft?
  /// The message whose edit was discarded here: Undo goes back to it.
  @ObservationIgnored var discardedEdit: MessageID?
  @ObservationIgnored var bannerState = DraftBannerState()
  @ObservationIgnored var hasFocus = false
  /// The number of the text that is shown, and of the first one with the present generation.
  @ObservationIgnored private var shownRevision = 0
  @ObservationIgnored private var generationRevision = 0
  @ObservationIgnored package let changed = Signal()

  package var key: DraftKey { DraftKey(conversation: conversation, slot: editing == nil ? .new : .edit) }

  /// Reads the draft, if there is one: two small reads.
  public init(_ client: ChatClient, _ conversation: ConversationID) {
    self.client = client
    self.conversation = conversation
    composer = client.drafts.join(conversation)
    let entry = client.drafts.open(DraftKey(conversation: conversation), by: composer)
    bannerState.opened(
      writtenAt: entry.writtenAt, isFromEarlierSession: entry.isRecovered, now: client.environment.now())
    snapshot = ComposerSnapshot(text: "", generation: 0, canSend: false)
    show(entry, generation: 0)
  }

  deinit { client.drafts.leave(conversation, composer) }

  /// The user typed, or moved the cursor. Costs no disk access; it is stored 700 ms after the last call,
  /// and every 10 s while typing goes on (SPEC D2, D3).
  ///
  /// - Parameters:
  ///   - selection: in UTF-16 code units of `text`. It may be inside a cluster, such as a letter with its accent, and
  ///     is ignored when it is out of range or inside a surrogate pair (SPEC D9).
  ///   - formatting: mentions and spans, in the app's own format. Nil: plain text.
  ///   - generation: the ``ComposerSnapshot/generation`` of the text that the user typed into, from a text field that
  ///     takes texts over late. Nil: the one that `snapshot` has. What was typed into an older text never stands over
  ///     a newer one of another composer that has the focus, nor over a send: it becomes a version (SPEC D13, D18).
  public func edit(
    _ text: String, selection: TextRange? = nil, formatting: Data? = nil, generation: Int? = nil
  ) {
    let isOlder = generation.map { $0 < snapshot.generation } ?? false
    let entry = client.drafts.edit(
      key, DraftContent(text, selection: selection, replyTo: snapshot.replyTo, formatting: formatting),
      by: composer, basedOn: isOlder ? min(shownRevision, generationRevision - 1) : shownRevision)
    guard entry.editing == editing else { return refresh() }
    if !text.hasSameBytes(as: snapshot.text) { bannerState.typed() }
    // What could not be loaded before may have been merged in now.
    let isReplaced = !entry.buffer.content.text.hasSameBytes(as: text)
    show(entry, generation: snapshot.generation + (isReplaced ? 1 : 0))
  }

  /// The message that the new one answers, in the same conversation. Nil takes the answer back. It is stored with the
  /// draft, and goes with the message; there ``MessageRow/quote`` shows it. An ID that is none is refused, and
  /// `snapshot.problem` says so.
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

  /// Sends what the composer holds; the edit of a message becomes its text, and the new message is back. When it
  /// cannot, the text stays and `snapshot.problem` says why.
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

  /// Stores the content now. When it returns, it is on disk, or `snapshot.problem` says why not. Call it when
  /// the app resigns active, and on leaving the conversation (SPEC D4).
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

  /// Empties the composer and deletes the draft with its versions, from the file too; when this returns, that is on
  /// disk. The banner offers Undo for some seconds (SPEC D10). Does nothing to an empty composer; the edit of a message
  /// is ended.
  ///
  /// When it cannot be deleted, the text stays and `snapshot.problem` says why.
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

  /// Takes back a discard, as long as the banner offers it: the text is in the composer again, in front of what was
  /// typed since, with its attachments, and on disk when this returns. It was this process's only: a crash in between
  /// loses it. Where the disk has no room for all its attachments, the banner goes on offering the others, and
  /// `snapshot.problem` says so.
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

  /// The user goes on with an old draft: the question leaves (SPEC D11).
  public func keepDraft() {
    bannerState.kept()
    refresh()
  }

  /// Follows what changes the draft from elsewhere, until the task is cancelled: another window, or a message
  /// taken back.
  public func run() async {
    let (conversation, aliases) = (conversation, client.store.aliases)
    let subscription = client.store.changes.subscribe(changed) {
      $0.drafts.contains(aliases.current(conversation))
    }
    defer { client.store.changes.unsubscribe(subscription) }
    while !Task.isCancelled {
      refresh()
      let deadline = bannerState.deadline(now: client.environment.uptime())
      await changed.wait(until: deadline, in: client.environment)
    }
  }

  /// Does what may fail, and shows what came of it.
  @discardableResult
  package func attempt(_ body: () throws(ChatError) -> Void) -> Bool {
    do throws(ChatError) {
      try body()
      refresh()
      return true
    } catch {
      refresh()
      (snapshot.problem, snapshot.problemCode) = (error.message, error.code)
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
    let isReplaced = isOver || !entry.buffer.content.text.hasSameBytes(as: snapshot.text)
    show(entry, generation: snapshot.generation + (isReplaced ? 1 : 0))
  }

  /// Shows the new message, or the edit of a message. The text field takes over what is there.
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
      banner: bannerState.banner(now: client.environment.uptime(), date: client.environment.now()),
      attachments: content.attachments.map { client.row($0) }, problem: entry.problem?.message,
      problemCode: entry.problem?.code, editing: editing,
      unfinishedEdit: editing == nil ? client.drafts.unfinishedEdit(in: conversation) : nil,
      replyTo: content.replyTo, formatting: content.formatting, canTakeBack: entry.canTakeBack)
    if !present.text.hasSameBytes(as: snapshot.text) || present != snapshot { snapshot = present }
    if present.banner?.kind != .discarded { discarded = nil }
  }
}
