import HoldfastCore

/// Another answer in place of one that is whole (rule L10).
extension MessageHandle {
  /// Writes another answer in place of one that is whole. It keeps its ID and its place.
  ///
  /// ```swift
  /// let reply = try await client.message(row.id).regenerateReply()
  /// try await reply.write { reply in for try await word in model.answer(question) { try await reply.append(word) } }
  /// ```
  ///
  /// The row shows the new words as they come. What the answer said holds until the new one is whole:
  ///
  /// | the new answer | the message |
  /// |---|---|
  /// | is finished | says it. What it said before is one of its ``versions()`` |
  /// | is stopped before its first word | says what it said before |
  /// | fails before its first word | says what it said before, with the reason |
  /// | is cut off or fails later | shows the words so far. It is gone on with, retried, or given up by ``keepEarlierReply()`` |
  ///
  /// Other devices see what the answer said until the new one is finished, and then the whole of that, as an edit. It
  /// replaces reasoning, metadata, images and videos too.
  ///
  /// One transaction at the beginning, and one at the end. A crash in between leaves what the answer said, and the words
  /// that were stored of the new one, marked as interrupted.
  ///
  /// - Throws: ``ChatError`` with code `unknownMessage`; `messageDeleted`; `messageUnfinished` when the answer is not whole or
  ///   has not reached the server; `notYourMessage` when it is no answer of an assistant of this account; `unsupported` when
  ///   the server knows no edits; or one that starts with `storage`. Nothing is changed then.
  @discardableResult
  public func regenerateReply() async throws(ChatError) -> ReplyHandle {
    try await client.perform { try $0.replies.regenerate(id) }
    return ReplyHandle(id: id, client: client)
  }

  /// Gives up a new answer that was cut off. The message says what it said before, and the words of the new one are deleted.
  /// One transaction.
  ///
  /// - Throws: ``ChatError`` with code `unknownMessage`; `notInterrupted` when no new answer was begun; `beingWritten` while
  ///   it is being written; or one that starts with `storage`.
  public func keepEarlierReply() throws(ChatError) {
    try Regenerations(context: client.context).keepEarlier(id)
  }

  /// The earlier versions of a regenerated answer, the newest first. Only the device that regenerated it has
  /// them. They are kept until the message is deleted. Costs one small read.
  ///
  /// ```swift
  /// for version in try client.message(row.id).versions() { print(version.content.text) }
  /// ```
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public func versions() throws(ChatError) -> [MessageVersion] {
    try Regenerations(context: client.context).versions(of: id)
  }

  /// Makes the answer say what a version says. What it says now is a version from then on, in its place. Other devices see
  /// it as an edit.
  ///
  /// ```swift
  /// let answer = client.message(row.id)
  /// if let earlier = try answer.versions().first { try answer.restoreVersion(earlier.id) }
  /// ```
  ///
  /// One transaction. When the call returns, it survives any crash.
  ///
  /// - Throws: as ``regenerateReply()``; also code `unknownMessage` when there is no such version.
  public func restoreVersion(_ version: MessageVersion.ID) throws(ChatError) {
    try Regenerations(context: client.context).restore(version, of: id)
  }
}
