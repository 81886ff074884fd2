import Foundation
import HoldfastCore
import HoldfastStore

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
