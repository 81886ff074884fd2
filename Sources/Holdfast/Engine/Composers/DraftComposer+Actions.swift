import Foundation
import HoldfastCore
import HoldfastStore

/// The end of a draft, edits, versions and files.
extension DraftComposer {
  /// Deletes the draft of a message that the app's server has. The transaction is on disk when the call returns. The
  /// draft does not come back, whatever a clock says (rule D8). A failed send needs no call: the draft still exists,
  /// and the text stays in the composer (rule D7). The versions of the draft are removed too.
  ///
  /// During an edit, the call ends the edit, and ``content()`` returns the unsent new message.
  ///
  /// - Parameters:
  ///   - message: the ID by which the app knows the message.
  ///   - text: the text that was sent, for an app whose user can continue typing meanwhile. A composer that holds
  ///     another text by now keeps that text. Nil when the composer's present content was sent.
  ///   - attachments: the files that were sent with `text`. A composer that keeps its text does not keep these.
  /// - Throws: ``ChatError`` with code `malformedID`, or a storage code. The draft then still exists.
  public func sendSucceeded(
    _ message: MessageID, text: String? = nil, attachments: [ChatAttachment] = []
  ) throws(ChatError) {
    try requireWellFormed(message)
    guard editing == nil else { return try editSucceeded(text: text?.storable) }
    let unseen = unseen
    let text = text?.storable ?? unseen?.typed
    try drafts.sendSucceeded(key, message, text: text) { present in
      if let unseen, let text, unseen.typed.hasSameBytes(as: text) { return unseen.draft }
      var left = present
      left.attachments.removeAll { attachment in attachments.contains { $0.id == attachment.id } }
      return left
    }
    sent()
  }

  private func requireWellFormed(_ message: MessageID) throws(ChatError) {
    guard message.isWellFormed, conversation.isWellFormed else { throw .malformedID }
  }

  /// Ends an edit that the app's server has. If the composer holds another text by now, the edit continues.
  private func editSucceeded(text: String?) throws(ChatError) {
    if let text, !drafts.open(key).buffer.content.text.hasSameBytes(as: text) { return }
    try drafts.move(key) { _, _ in }
    sent()
    _ = shown()
  }

  /// Empties the composer and deletes its draft with its versions, from the file too. When the call returns, the
  /// deletion is on disk. The banner offers Undo for 8 seconds (rule D10). During an edit, the call is
  /// ``cancelEdit()``. An empty composer is unchanged.
  ///
  /// - Throws: ``ChatError`` with a storage code, or `draftChanged` when text was typed before
  ///   ``content()`` has returned the stored draft: nobody has seen what would be deleted. The draft then still exists.
  public func discard() throws(ChatError) {
    guard editing == nil else {
      try cancelEdit()
      return
    }
    guard unseen == nil else { throw DraftStorage.changedElsewhere }
    let entry = drafts.open(key)
    guard !entry.buffer.content.isEmpty else { return }
    let isRecovered = locked { state, _ in state.banner.isAboutRestored }
    offer(try drafts.discard(key, isRecovered: isRecovered), of: nil, writtenAt: entry.writtenAt)
    locked { state, _ in state.given = ComposerState.Given(isShown: true) }
  }

  private func offer(_ draft: DiscardedDraft, of edit: ComposerState.Edit?, writtenAt: Date?) {
    let (now, uptime) = (environment.now(), environment.uptime())
    locked { state, _ in
      state.discarded = (draft, edit)
      state.banner.discarded(draft.content, writtenAt: writtenAt ?? now, at: uptime)
    }
  }

  /// Takes back a discard, as long as the banner offers Undo. The text is in the composer again with its attachments,
  /// in front of the text that was typed since, and on disk when the call returns. The discarded draft is in memory
  /// only, so that a crash before the call loses it. A discarded edit is resumed. If its message no longer exists, or
  /// another message is edited meanwhile, its text goes to the new message.
  ///
  /// - Returns: the new content. Nil when it is too late.
  /// - Throws: ``ChatError`` with a storage code. The text is in the composer even then. The banner
  ///   offers attachments for which there was no room a second time, and another call tries them again.
  public func undoDiscard() throws(ChatError) -> DraftContent? {
    let uptime = environment.uptime()
    let last = locked { state, _ in
      let isOffered = state.banner.undone(at: uptime) != nil
      defer { state.discarded = nil }
      return isOffered ? state.discarded : nil
    }
    guard let last else { return nil }
    if let edit = last.edit, (try? beginEdit(edit.message, of: edit.original)) == true {
      drafts.edit(key, last.draft.content)
      try drafts.save(key)
    } else {
      try bringBack(last.draft)
    }
    return given()
  }

  private func bringBack(_ draft: DiscardedDraft) throws(ChatError) {
    var draft = draft
    defer { if draft.hasFilesLeft { offer(draft, of: nil, writtenAt: nil) } }
    try drafts.restore(key(.new), &draft)
  }

  // MARK: Edits

  /// Begins the edit of a message, or continues it. The unsent new message stays untouched in its own draft, and is
  /// back when the edit is sent or cancelled (rule D1). The edit is stored like any draft.
  ///
  /// ```swift
  /// field.text = try composer.beginEdit(id, text: message.text).text
  /// composer.edit(field.text)
  /// try composer.sendSucceeded(id)                // the app's own server has the new text
  /// field.text = try composer.content().text      // the new message is back
  /// ```
  ///
  /// - Parameter message: the message that the user edits.
  /// - Parameter text: the message's present text. An edit that equals it is not stored.
  /// - Returns: the content to show: the message's text, or that of its unfinished edit.
  /// - Throws: ``ChatError`` with code `editInProgress` while the edit of another message is unfinished, `malformedID`,
  ///   or a storage code.
  public func beginEdit(_ message: MessageID, text: String) throws(ChatError) -> DraftContent {
    try requireWellFormed(message)
    _ = try beginEdit(message, of: DraftContent(text.storable))
    return given()
  }

  /// Begins the edit of a message, or continues it (rule D1).
  ///
  /// - Parameter original: the message's content, from an app that keeps its messages itself.
  /// - Returns: false when the message was deleted meanwhile. Its unfinished edit is then behind the new message.
  func beginEdit(_ message: MessageID, of original: DraftContent? = nil) throws(ChatError) -> Bool {
    guard try drafts.beginEdit(message, of: original, in: conversationKey, by: user ?? "") else {
      return false
    }
    locked { state, table in state.show(ComposerState.Edit(message: message, original: original), in: &table)
    }
    return true
  }

  /// The message of an edit that was begun, and neither sent nor cancelled, at this launch or an earlier one. Nil
  /// without such an edit. An edit with the text of its message does not count.
  public var unfinishedEdit: MessageID? { drafts.unfinishedEdit(in: conversationKey) }

  /// Ends the edit without changing the message, and deletes its text, from the file too. ``undoDiscard()`` brings it
  /// back within 8 seconds. Outside an edit, the call ends an unfinished edit of an earlier launch.
  ///
  /// - Returns: the content to show: the unsent new message.
  /// - Throws: ``ChatError`` with a storage code. The edit then still exists.
  @discardableResult
  public func cancelEdit() throws(ChatError) -> DraftContent {
    // The edit of an earlier launch counts too. Where an app keeps its messages itself, its text is not known here.
    let edit =
      locked { state, _ in state.edit }
      ?? (user == nil ? nil : unfinishedEdit).map { ComposerState.Edit(message: $0, original: nil) }
    let writtenAt = drafts.open(key(.edit)).writtenAt
    let discarded = try drafts.cancelEdit(in: conversationKey)
    if let edit, let discarded { offer(discarded, of: edit, writtenAt: writtenAt) }
    return given()
  }

  /// Moves the text of the edit behind the unsent new message, in one transaction, and ends the edit: for the edit of a
  /// message that was deleted, and for one that has become a message of its own.
  ///
  /// - Returns: the content to show.
  /// - Throws: ``ChatError`` with a storage code. The edit then still exists.
  @discardableResult
  public func turnEditIntoNewMessage() throws(ChatError) -> DraftContent {
    try drafts.turnEditIntoNew(in: conversationKey)
    return given()
  }

  // MARK: Versions

  /// Earlier texts of the composer, newest first, at most five. A text is kept when a save would have lost much of it,
  /// until the draft is sent or discarded (rule D18). The call stores unsaved content first.
  ///
  /// ```swift
  /// if let last = try composer.versions().first {
  ///   field.text = try composer.restoreVersion(last.id).text    // "Take back"
  /// }
  /// ```
  ///
  /// - Throws: as ``hardSave()``.
  public func versions() throws(ChatError) -> [DraftVersion] { try drafts.versions(key) }

  /// Puts an earlier text into the composer, in one transaction. The replaced text becomes a version.
  ///
  /// - Returns: the content to show.
  /// - Throws: ``ChatError`` with code `invalidDraft` when the version does not exist, or a
  ///   storage code.
  @discardableResult
  public func restoreVersion(_ id: DraftVersion.ID) throws(ChatError) -> DraftContent {
    try drafts.restoreVersion(id, key)
    return given()
  }

  // MARK: Files

  /// Adds a file to the draft. The file is copied into the store, so that the original may change or disappear. When
  /// the call returns, copy and draft are on disk, with the typed text (rule D16). The same file under the same name
  /// is added once.
  ///
  /// The call reads and writes the whole file, in pieces of 256 KB, on the caller's thread. A crash leaves the draft as
  /// it was.
  ///
  /// - Parameters:
  ///   - file: the file. It is copied, and not needed afterwards.
  ///   - name: the file's name for others; without a folder, and cut to 255 bytes. Nil for the name of the file.
  ///   - mediaType: a type such as `image/png`. Nil to guess it from the name.
  /// - Throws: ``ChatError`` with code `attachmentUnreadable`, `attachmentTooLarge`, `tooManyAttachments`,
  ///   `malformedMediaType`, `editInProgress`, or a storage code. The draft is then unchanged.
  @discardableResult
  public func attach(
    _ file: URL, name: String? = nil, mediaType: String? = nil
  ) throws(ChatError) -> ChatAttachment {
    try attach(AttachmentSource(file, name: name), mediaType: mediaType)
  }

  /// Adds bytes to the draft, as a file with this name.
  ///
  /// - Throws: as ``attach(_:name:mediaType:)-(URL,_,_)``.
  @discardableResult
  public func attach(
    _ data: Data, name: String, mediaType: String? = nil
  ) throws(ChatError) -> ChatAttachment {
    try attach(AttachmentSource(data, name: name), mediaType: mediaType)
  }

  private func attach(
    _ source: @autoclosure () throws(ChatError) -> AttachmentSource, mediaType: String?
  ) throws(ChatError) -> ChatAttachment {
    try requireNoEdit()
    return try drafts.attach(
      key(.new), try source(), mediaType: mediaType, atMost: configuration.attachments.perDraft,
      largest: limits.largestFile)
  }

  func requireNoEdit() throws(ChatError) {
    guard editing == nil else {
      throw ChatError(
        .editInProgress, "An edit changes the text only. Finish or cancel it, then add the file.")
    }
  }

  /// Removes a file from the draft. Does nothing when the draft does not have it. When the call returns, the file is
  /// gone from the store, unless something else refers to it.
  ///
  /// - Throws: ``ChatError`` with a storage code. The draft is then unchanged.
  public func removeAttachment(_ id: ChatAttachment.ID) throws(ChatError) {
    try drafts.detach(key(.new), id)
  }
}
