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
    show(session.shown(), inPlaceOf: nil)
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
  ///
  /// - Parameter text: the text of the field. Nil before there is a field.
  private func show(_ draft: ShownDraft, inPlaceOf text: String?) {
    let (entry, texts) = (draft.entry, client.configuration.texts)
    let isReplaced =
      text.map { draft.editing != snapshot.editing || !entry.buffer.content.text.hasSameBytes(as: $0) }
      ?? false
    let generation = snapshot.generation + (isReplaced ? 1 : 0)
    shownRevision = entry.turn.revision
    if isReplaced { generationRevision = shownRevision }
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

/// The edit of an existing message, the versions of a draft, and the focus among composers.
extension ComposerModel {
  /// Shows the text of a message, or an unfinished edit of it, for editing. The unsent new message stays untouched in
  /// its own draft, and is back when the edit is sent or cancelled (rule D1). The edit is stored like any draft.
  ///
  /// ```swift
  /// composer.beginEdit(row.id)
  /// composer.edit("Half past eight, then")
  /// composer.send()                          // the message's text, and the new message is back
  /// ```
  ///
  /// One message of a conversation is edited at a time. While an edit is neither finished nor cancelled, in this window
  /// or since an earlier launch, the edit of another message is refused with a sentence in `snapshot.problem`. If the
  /// message of an unfinished edit has been deleted, its edit is moved behind the new message. Costs two reads.
  public func beginEdit(_ message: MessageID) {
    attempt { () throws(ChatError) in _ = try session.beginEdit(message) }
  }

  /// Ends the edit without changing the message. The unsent new message is back. The text of the edit is deleted, from
  /// the file too, and the banner offers Undo for some seconds. Outside an edit, the call ends an unfinished edit.
  public func cancelEdit() {
    guard session.editing != nil || snapshot.unfinishedEdit != nil else { return }
    attempt { () throws(ChatError) in try session.cancelEdit() }
    changed.raise()
  }

  /// Moves the text of the edit behind the unsent new message, in one transaction, and ends the edit. The call is meant
  /// for the edit of a message that was deleted, and for an edit that has become a message of its own.
  public func turnEditIntoNewMessage() {
    guard session.editing != nil || snapshot.unfinishedEdit != nil else { return }
    attempt { () throws(ChatError) in try session.turnEditIntoNewMessage() }
  }

  /// Earlier texts of the composer, newest first, at most five. A text is kept when a save would have lost much of it,
  /// until the draft is sent or discarded (rule D18). The call stores unsaved content first.
  ///
  /// ```swift
  /// if let last = composer.versions().first { composer.restoreVersion(last.id) }   // "Take back"
  /// ```
  ///
  /// The list is also empty when the store cannot be read or written: `snapshot.problem` then says why.
  public func versions() -> [DraftVersion] {
    var versions: [DraftVersion] = []
    attempt { () throws(ChatError) in versions = try session.versions() }
    return versions
  }

  /// Puts an earlier text into the composer, in one transaction. The replaced text becomes a version.
  public func restoreVersion(_ id: DraftVersion.ID) {
    attempt { () throws(ChatError) in try session.restoreVersion(id) }
  }

  /// Reports that the user's cursor is in this composer. While it is, an edit that another composer of the process
  /// makes on an older text does not replace this composer's text. Such an edit is kept as a version (rule D13).
  /// Costs nothing.
  public func focus() {
    session.appear()
    session.focus()
  }

  /// Reports that the user's cursor has left this composer. While no composer has the focus, the one that was typed
  /// into last writes.
  public func blur() { session.blur() }
}

extension ComposerModel {
  /// Adds a file to the composer's content. The file is copied off the main actor. When the call returns, the file
  /// belongs to the draft and is on disk, together with the typed text. If it cannot be added, `snapshot.problem` says
  /// why.
  ///
  /// ```swift
  /// .fileImporter(isPresented: $picks, allowedContentTypes: [.item]) { result in
  ///   guard let url = try? result.get(), url.startAccessingSecurityScopedResource() else { return }
  ///   Task {
  ///     await composer.attach(url)
  ///     url.stopAccessingSecurityScopedResource()
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - file: the file. It is copied, and not needed afterwards.
  ///   - name: the file's name for others. Nil for its name on disk.
  ///   - mediaType: a type such as `image/png`. Nil to guess it from the name.
  @discardableResult
  public func attach(_ file: URL, name: String? = nil, mediaType: String? = nil) async -> ChatAttachment? {
    await copied { try $0.attach(file, name: name, mediaType: mediaType) }
  }

  /// Adds bytes to the composer's content, as a file is added: a picture from the clipboard, or from the camera.
  @discardableResult
  public func attach(_ data: Data, name: String, mediaType: String? = nil) async -> ChatAttachment? {
    await copied { try $0.attach(data, name: name, mediaType: mediaType) }
  }

  /// Removes a file from the composer's content. If it cannot be removed, `snapshot.problem` says why.
  public func removeAttachment(_ id: ChatAttachment.ID) {
    // An error becomes the draft's problem, and is shown.
    try? session.removeAttachment(id)
    refresh()
  }

  /// Copies off the main actor, so that a large file does not stop the screen. Returns nil during an edit, which
  /// changes the text only.
  private func copied(
    _ attach: @Sendable (DraftComposer) throws -> ChatAttachment
  ) async -> ChatAttachment? {
    guard attempt({ () throws(ChatError) in try session.requireNoEdit() }) else { return nil }
    let attachment = await Self.copied(session, attach)
    refresh()
    return attachment
  }

  @concurrent private nonisolated static func copied(
    _ session: DraftComposer, _ attach: @Sendable (DraftComposer) throws -> ChatAttachment
  ) async -> ChatAttachment? { try? attach(session) }
}

/// Carries out the actions that a row of the timeline offers.
extension ComposerModel {
  /// Carries out an action that a row of the timeline offers, so that no view decides which call an action stands for.
  ///
  /// ```swift
  /// .contextMenu {
  ///   ForEach(row.actions, id: \.self) { action in
  ///     Button(title(of: action)) {
  ///       Task { if await !composer.perform(action, on: row) { ask(action, row) } }
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - `retry` puts the message back into the queue, and `cancel` and `delete` remove it.
  /// - `edit` of an unsent message takes its text back into this composer, in front of the present text. `edit` of a
  ///   delivered message begins its edit here (``beginEdit(_:)``).
  /// - `react` needs an emoji: call ``MessageHandle/react(_:)``. `info` and `decide` need a sheet. `continueReply`,
  ///   `retryReply` and `regenerateReply` need the model that writes: call ``MessageHandle/continueReply()``,
  ///   ``MessageHandle/retryReply()`` or ``MessageHandle/regenerateReply()``, whose handle the model's text goes to.
  ///   For these the call changes nothing.
  ///
  /// When the call returns, the change is on disk. An action that fails, because its message was sent meanwhile,
  /// changes nothing, and `snapshot.problem` says why.
  ///
  /// - Returns: false for an action that needs something that only the view has. True for every other action, also when
  ///   it failed.
  @discardableResult
  public func perform(_ action: MessageRow.Action, on row: MessageRow) async -> Bool {
    let message = client.message(row.id)
    do throws(ChatError) {
      switch (action, row.status.state) {
      case (.info, _), (.decide, _), (.react, _), (.continueReply, _), (.retryReply, _),
        (.regenerateReply, _):
        return false
      case (.edit, .delivered): beginEdit(row.id)
      case (.edit, _): _ = try await message.takeBack()
      case (.retry, _): try await message.retry()
      case (.keepEarlierReply, _): try message.keepEarlierReply()
      case (.cancel, _), (.delete, .failed): try await message.cancel()
      case (.delete, _): try message.delete()
      }
    } catch {
      attempt { () throws(ChatError) in throw error }
    }
    return true
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
