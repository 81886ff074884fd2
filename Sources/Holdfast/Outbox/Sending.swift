import Foundation

extension ChatClient {
  /// Makes a conversation on this device. Its first message makes it on the server. Does nothing when it
  /// exists.
  ///
  /// - Parameter members: the accounts that take part; the owner is added when missing.
  /// - Throws: ``ChatError`` with code `malformedID`, or one that starts with `storage`.
  public nonisolated func createConversation(
    _ id: ConversationID, title: String? = nil, members: [UserID] = []
  ) throws(ChatError) {
    let members = members.contains(user) ? members : [user] + members
    guard id.isWellFormed, members.allSatisfy(\.isWellFormed) else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
    try store.write {
      try $0.createConversation(id, title: title?.storable, members: members, now: environment.now())
    }
  }

  /// Sends a text: trimmed, checked, and put into the timeline and the outbox in one transaction. It is on
  /// disk when this returns, online or offline, and leaves by itself (SPEC O2). A draft is not touched.
  ///
  /// ```swift
  /// let id = try client.send("On my way", in: conversation)
  /// ```
  ///
  /// - Returns: the message's ID, the same for ever and everywhere.
  /// - Throws: ``ChatError`` with code `emptyMessage`, `messageTooLong`, `unknownConversation`, `outboxFull`,
  ///   or one that starts with `storage`. Nothing was changed then.
  @discardableResult
  public nonisolated func send(
    _ text: String, in conversation: ConversationID
  ) throws(ChatError) -> MessageID {
    let body = try validated(text)
    return try measured { (id: MessageID) throws(ChatError) in
      try store.write { try enqueue(id, body, [], in: conversation, endsDraft: false, $0) }
    }
  }

  /// Sends what is in the conversation's composer: text and attachments move from the draft to the outbox in one
  /// transaction, so that they are in exactly one of them at any moment (SPEC D7). Attachments need no text.
  ///
  /// - Throws: as ``send(_:in:)``, and code `attachmentsUnsupported`, `attachmentTooLarge` or `tooManyAttachments` for
  ///   what this transport does not carry. All of it is still in the composer then.
  @discardableResult
  public nonisolated func sendDraft(in conversation: ConversationID) throws(ChatError) -> MessageID {
    try measured { (id: MessageID) throws(ChatError) in
      try drafts.take(DraftKey(conversation: conversation)) { content, transaction in
        try requireCarried(content.attachments)
        let body = try validated(content.text, besides: content.attachments)
        try enqueue(id, body, content.attachments, in: conversation, endsDraft: true, transaction)
      }
    }
  }

  /// Puts a failed or held message, or a failed operation, back into the queue, behind what waits there, with all its
  /// attempts (SPEC O8). What waits for a message to go follows it; what waits already keeps its place. A tap ends every wait: of the link, and of the message's conversation (SPEC
  /// O7), as ``reconnectNow()`` does for all of them.
  ///
  /// - Throws: ``ChatError`` with code `tooLate` when it has been delivered or removed.
  public func retry(_ id: MessageID) throws(ChatError) {
    let reading = waitingClock.reading(at: environment.uptime())
    let conversation = try store.write { try $0.requeue(id, at: reading) }
    linkState.nudge()
    linkSignal.raise()
    endWaits(of: [conversation])
  }

  /// Takes an unsent message out of queue and timeline, back into the composer, in one transaction, with its
  /// attachments. What is in the composer stays behind it.
  ///
  /// - Returns: what the composer holds now.
  /// - Throws: ``ChatError`` with code `tooLate` when it has been delivered, or is on its way; `unknownMessage` for an
  ///   operation.
  @discardableResult
  public func takeBack(_ id: MessageID) throws(ChatError) -> DraftContent {
    let conversation = try requireAtRest(id)
    let content = try drafts.put(DraftKey(conversation: conversation)) {
      DraftContent(try $0.removeUnsent(id))
    }
    deliveryTimes.forget(id)
    return content
  }

  /// Deletes an unsent message, with its text, with what was done to it, and with the files of its attachments that
  /// nothing else refers to; or an operation that has not left, or has failed: its message is shown as if it had not
  /// been.
  ///
  /// - Throws: ``ChatError`` with code `tooLate` when it has been delivered, or is on its way.
  public func cancel(_ id: MessageID) throws(ChatError) {
    let conversation = try requireAtRest(id)
    try store.write { transaction in
      if try transaction.db.pendingOperation(id) != nil {
        try transaction.removeOperations([id], in: conversation)
      } else {
        try transaction.removeUnsent(id)
      }
    }
    deliveryTimes.forget(id)
  }

  private func requireAtRest(_ id: MessageID) throws(ChatError) -> ConversationID {
    guard let (entry, conversation) = try store.read({ try $0.outboxEntry(of: id) }) else {
      throw ChatError(.tooLate, "The message has been delivered, or is gone.")
    }
    // Once it has left without an answer, the server may have it: to take it back could send it twice.
    guard try !store.read({ try $0.mayHaveArrived(entry) }) else {
      throw ChatError(.tooLate, "The message is on its way to the server.")
    }
    return conversation
  }

  nonisolated func validated(
    _ text: String, besides attachments: [Attachment] = []
  ) throws(ChatError) -> String {
    let body = text.trimmingCharacters(in: .whitespacesAndNewlines).storable
    guard !body.isEmpty || !attachments.isEmpty else {
      throw ChatError(.emptyMessage, "There is nothing to send. Type something first.")
    }
    if let maximum = transport.guarantees.maximumMessageBytes, body.utf8.count > maximum {
      throw ChatError(
        .messageTooLong, "The message has \(body.utf8.count) bytes, \(maximum) are allowed. Shorten it.")
    }
    return body
  }

  /// Makes the message's ID, and takes the time from now on, unless it cannot be sent. It begins before the commit:
  /// the receipt may come before anything else is done.
  private nonisolated func measured(
    _ enqueue: (MessageID) throws(ChatError) -> Void
  ) throws(ChatError) -> MessageID {
    let id = MessageID(rawValue: environment.makeID())
    deliveryTimes.sent(id, at: environment.uptime())
    do throws(ChatError) {
      try enqueue(id)
    } catch {
      deliveryTimes.forget(id)
      throw error
    }
    return id
  }

  private nonisolated func enqueue(
    _ id: MessageID, _ body: String, _ attachments: [Attachment], in conversation: ConversationID,
    endsDraft: Bool, _ transaction: Transaction
  ) throws {
    let now = environment.now()
    let title = title(from: body.isEmpty ? attachments.first?.name ?? "" : body)
    try transaction.noteSend(id, title: title, in: conversation, endsDraft: endsDraft, now: now)
    try transaction.requireRoom(in: conversation, limits: limits)
    try transaction.insertMessage(
      id, in: conversation, sender: user, role: .user, body: body, reasoning: nil, order: nil,
      place: TimelinePlace.underWay, createdAt: now)
    if !attachments.isEmpty { try transaction.setAttachments(attachments, of: .message(id)) }
    try transaction.enqueue(id, in: conversation, at: waitingClock.reading(at: environment.uptime()))
  }
}
