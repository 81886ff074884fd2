import HoldfastCore

/// Another answer in place of a complete one (rule L10).
extension MessageHandle {
  /// Writes another answer in place of a complete one. It keeps its ID and its place.
  ///
  /// ```swift
  /// let reply = try await client.message(row.id).regenerateReply()
  /// try await reply.write { reply in for try await word in model.answer(question) { try await reply.append(word) } }
  /// ```
  ///
  /// The row shows the new text as it arrives. The earlier content stays until the new answer is complete:
  ///
  /// | the new answer | the message |
  /// |---|---|
  /// | is finished | has the new content. The earlier content is one of its ``versions()`` |
  /// | is stopped before its first word | keeps the earlier content |
  /// | fails before its first word | keeps the earlier content, with the reason |
  /// | is cut off or fails later | shows the text so far: continue, retry, or ``keepEarlierReply()`` |
  ///
  /// Other devices show the earlier content until the new answer is finished, and then all of the new content, as an
  /// edit. It replaces reasoning, metadata, images and videos too.
  ///
  /// One transaction at the beginning, and one at the end. A crash in between leaves the earlier content, and the
  /// stored part of the new answer, marked as interrupted.
  ///
  /// - Throws: ``ChatError`` with code `unknownMessage`; `messageDeleted`; `messageUnfinished` when the answer is not
  ///   complete or has not reached the server; `notYourMessage` when it is not an answer of an assistant of this
  ///   account; `unsupported` when the server supports no edits; or a storage code. Nothing is
  ///   changed then.
  @discardableResult
  public func regenerateReply() async throws(ChatError) -> ReplyHandle {
    try await client.perform { try $0.replies.regenerate(id) }
    return ReplyHandle(id: id, client: client)
  }

  /// Discards a new answer that was interrupted. The message keeps its earlier content, and the text of the new
  /// answer is deleted. One transaction.
  ///
  /// - Throws: ``ChatError`` with code `unknownMessage`; `notInterrupted` when no new answer was begun;
  ///   `beingWritten` while it is being written; or a storage code.
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
  /// - Throws: ``ChatError`` with a storage code.
  public func versions() throws(ChatError) -> [MessageVersion] {
    try Regenerations(context: client.context).versions(of: id)
  }

  /// Replaces the answer's content by that of a version. The replaced content becomes a version in its place. Other
  /// devices see an edit.
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
