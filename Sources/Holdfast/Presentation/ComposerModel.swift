import Foundation
import HoldfastCore
import HoldfastStore
import Observation

/// The composer of one conversation, for a view. Its content is stored and restored automatically, and moved to the
/// outbox in one transaction.
///
/// ```swift
/// let composer = ComposerModel(client, conversation)       // the draft is back, with its cursor
/// composer.edit("Hal", selection: .init(start: 3, end: 3))  // each keystroke
/// composer.send()
/// composer.hardSave()                                       // on background, and on leaving
/// ```
///
/// A conversation has two drafts, the new message and the edit of an existing message (rule D1). A composer shows the
/// new message, and after ``beginEdit(_:)`` the edit. The composer stores its content when the last view lets go of it
/// (rule D12).
///
/// Each value of the snapshot is a property of the composer too, observed apart from the others: a Send button that
/// reads `composer.canSend` is not evaluated again for each keystroke.
@MainActor @Observable @dynamicMemberLookup public final class ComposerModel {
  /// The composer's state, for the view.
  public internal(set) var snapshot: ComposerSnapshot {
    get { shown.value }
    set { shown.value = newValue }
  }
  @ObservationIgnored let shown = ObservedSnapshot(ComposerSnapshot())
  @ObservationIgnored package let client: ChatClient
  @ObservationIgnored package let session: DraftComposer
  /// The number of the shown text, and of the first text with the present generation.
  @ObservationIgnored private var shownRevision = 0
  @ObservationIgnored private var generationRevision = 0
  @ObservationIgnored package let changed = Signal()

  /// Opens the composer with its draft. Costs two small reads.
  public init(_ client: ChatClient, _ conversation: ConversationID) {
    self.client = client
    session = client.sender.composer(in: conversation)
    show(session.shown(), generation: 0)
  }

  /// Takes over the text that the user typed, or a new selection. Costs no disk access. The text is stored 700 ms after
  /// the last call, and every 10 s while typing continues (rules D2, D3).
  ///
  /// - Parameters:
  ///   - text: the whole text of the field.
  ///   - selection: the selection in UTF-16 code units of `text`. The selection may be inside a cluster, such as a
  ///     letter with its accent. A selection is ignored when it is out of range or inside a surrogate pair (rule D9).
  ///   - formatting: mentions and spans, in the app's own format. Nil for plain text.
  ///   - generation: the ``ComposerSnapshot/generation`` of the text that the user typed into, from a text field that
  ///     takes over texts late. Nil for the generation of `snapshot`. An edit of an older text never replaces a newer
  ///     text of another composer that has the focus, and never comes back after a send. Such an edit becomes a version
  ///     instead (rules D13, D18).
  public func edit(
    _ text: String, selection: TextRange? = nil, formatting: Data? = nil, generation: Int? = nil
  ) {
    let isOlder = generation.map { $0 < snapshot.generation } ?? false
    let draft = session.edit(
      DraftContent(text, selection: selection, replyTo: snapshot.replyTo, formatting: formatting),
      basedOn: isOlder ? min(shownRevision, generationRevision - 1) : shownRevision, over: snapshot.text)
    // The stored draft may have been merged in now, if it could not be loaded before.
    show(draft, inPlaceOf: text)
  }

  /// Chooses the message of the same conversation that the new message answers. Nil clears the choice. The choice is
  /// stored with the draft, and sent with the message. ``MessageRow/quote`` shows it in the timeline. A malformed ID
  /// is refused, and `snapshot.problem` says so.
  public func reply(to message: MessageID?) {
    attempt { () throws(ChatError) in try session.reply(to: message, basedOn: shownRevision) }
  }

  /// Sends the composer's content. During an edit, the text becomes the text of the edited message, and the new message
  /// is back. If the send fails, the text stays and `snapshot.problem` says why.
  @discardableResult
  public func send() -> MessageID? {
    var sent: MessageID?
    attempt { () throws(ChatError) in
      if let editing = session.editing {
        try client.sharedStates.editor.sendEdit(of: editing, in: session.conversationKey)
        sent = editing
      } else {
        sent = try client.sender.sendDraft(in: session.conversationKey)
      }
      session.sent()
    }
    return sent
  }

  /// Flushes the content. When the call returns, the content is on disk, or `snapshot.problem` says why not. Call it
  /// when the app resigns active, and on leaving the conversation (rule D4).
  public func hardSave() {
    attempt { () throws(ChatError) in try session.hardSave() }
  }

  /// Empties the composer and deletes the draft with its versions, from the file too. When the call returns, the
  /// deletion is on disk. The banner offers Undo for some seconds (rule D10). During an edit, the call ends the edit.
  /// An empty composer is unchanged.
  ///
  /// If the draft cannot be deleted, the text stays and `snapshot.problem` says why.
  public func discard() {
    attempt { () throws(ChatError) in try session.discard() }
    changed.raise()
  }

  /// Takes back a discard, as long as the banner offers Undo. The text is in the composer again with its attachments,
  /// in front of the text that was typed since, and on disk when the call returns. The discarded draft is in memory
  /// only, so that a crash before the call loses it. If the disk has no room for all attachments, the banner still
  /// offers the others, and `snapshot.problem` says so.
  public func undoDiscard() {
    attempt { () throws(ChatError) in _ = try session.undoDiscard() }
  }

  /// Keeps an old draft: its banner goes away, and does not come back before the draft has changed (rule D11). One
  /// transaction. If it fails, the banner comes back at the next launch, and `snapshot.problem` says why.
  public func keepDraft() {
    attempt { () throws(ChatError) in try session.keepDraft() }
  }

  /// Follows changes of the draft from elsewhere until the task is cancelled: from another window, or when a message is
  /// taken back.
  public func run() async {
    // The observer has no composer: a save notifies it under the lock of the drafts, which a composer takes to leave.
    let (names, conversation) = (client.store.names, session.conversation)
    let subscription = client.store.changes.subscribe(changed) {
      $0.drafts.contains(names.key(of: conversation))
    }
    defer { client.store.changes.unsubscribe(subscription) }
    session.appear()
    while !Task.isCancelled {
      refresh()
      await changed.wait(until: session.bannerDeadline, in: client.environment)
    }
  }

  /// Runs an operation that may fail, and shows its outcome.
  @discardableResult
  package func attempt(_ body: () throws(ChatError) -> Void) -> Bool {
    session.appear()
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

  func refresh() { show(session.shown(), inPlaceOf: snapshot.text) }

  /// Shows the draft. Its text gets a new generation where it is not the one that the text field has. The generation
  /// also increases when an edit begins or ends and both texts are the same.
  private func show(_ draft: ShownDraft, inPlaceOf text: String) {
    let isReplaced =
      draft.editing != snapshot.editing || !draft.entry.buffer.content.text.hasSameBytes(as: text)
    show(draft, generation: snapshot.generation + (isReplaced ? 1 : 0))
  }

  private func show(_ draft: ShownDraft, generation: Int) {
    let (entry, texts) = (draft.entry, client.configuration.texts)
    shownRevision = entry.turn.revision
    if generation != snapshot.generation { generationRevision = shownRevision }
    let content = entry.buffer.content
    let present = ComposerSnapshot(
      text: content.text, selection: content.selection, generation: generation,
      canSend: !content.isEmpty, banner: draft.banner?.localized(with: texts),
      attachments: content.attachments.map { client.reader.row($0) },
      problem: entry.problem.map { texts(.error($0)) }, problemCode: entry.problem?.code,
      editing: draft.editing, unfinishedEdit: draft.unfinishedEdit, replyTo: content.replyTo,
      formatting: content.formatting, canTakeBack: entry.canTakeBack)
    if !present.text.hasSameBytes(as: snapshot.text) || present != snapshot { snapshot = present }
  }
}

extension ComposerModel {
  /// One value of ``snapshot``, observed apart from the others.
  public subscript<Value: Equatable>(
    dynamicMember path: KeyPath<ComposerSnapshot, Value> & Sendable
  ) -> Value { shown[path] }

  /// The reason why the last send or save failed. The text is still in the composer. Nil when there is no problem.
  public var problem: ChatError? {
    guard let message = shown[\.problem] else { return nil }
    return ChatError(shown[\.problemCode] ?? .storageFailed, message)
  }

  /// The text, for a text field.
  ///
  /// ```swift
  /// TextField("Message", text: $composer.text)
  /// ```
  ///
  /// A new value is typed: ``edit(_:selection:formatting:generation:)`` describes the cost. A text with the same
  /// bytes changes nothing, because a text field sets it again and again.
  public var text: String {
    get { shown[\.text] }
    set { if !newValue.hasSameBytes(as: snapshot.text) { edit(newValue) } }
  }

  /// The selection, in UTF-16 code units of ``text``. Nil without a selection. A new value keeps text and formatting.
  public var selection: TextRange? {
    get { shown[\.selection] }
    set {
      guard newValue != snapshot.selection else { return }
      edit(snapshot.text, selection: newValue, formatting: snapshot.formatting)
    }
  }
}
