import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Makes a conversation on this device. Its first message makes it on the server. Does nothing when it
  /// exists. One that was deleted a moment ago is erased for good, and made anew: nothing undoes its deletion then.
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
      let id = $0.current(id)
      try $0.eraseToMakeAnew(id)
      try $0.createConversation(id, title: title?.storable, members: members, now: environment.now())
      try $0.restoreHead(of: id)
    }
  }

  /// Sends a text: trimmed, checked, and put into the timeline and the outbox in one transaction. It is on
  /// disk when this returns, online or offline, and leaves by itself (SPEC O2). A draft is not touched.
  ///
  /// ```swift
  /// let id = try client.send("On my way", in: conversation)
  /// ```
  ///
  /// - Parameter replyTo: the message of this conversation that it answers.
  /// - Returns: the message's ID, the same for ever and everywhere.
  /// - Throws: ``ChatError`` with code `emptyMessage`, `messageTooLong`, `malformedID`, `unknownConversation`,
  ///   `outboxFull`, or one that starts with `storage`. Nothing was changed then.
  @discardableResult
  public nonisolated func send(
    _ text: String, in conversation: ConversationID, replyTo: MessageID? = nil
  ) throws(ChatError) -> MessageID {
    let body = try validated(text)
    guard replyTo?.isWellFormed != false else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
    return try measured { (id: MessageID) throws(ChatError) in
      try store.write {
        try enqueue(id, DraftContent(body, replyTo: replyTo), in: conversation, endsDraft: false, $0)
      }
    }
  }

  /// Sends a text under an ID that the caller made, once: for a bot that answers, or whoever else may do the same again
  /// after a crash. When the message is here already, sent from here or come back from the server, nothing changes.
  ///
  /// ```swift
  /// for question in questions {
  ///   try client.sendOnce(answer(question), in: conversation, id: .init(rawValue: "answer-\(question.id)"))
  /// }
  /// ```
  ///
  /// One transaction, which costs a sync when the message is new and none when it is not. What was stored survives any
  /// crash, and the server takes an ID once: even a device that has lost its store sends no second copy.
  ///
  /// - Parameter id: one that nobody else makes, in 1 to 255 bytes. The text belongs to it for good.
  /// - Returns: whether it is new.
  /// - Throws: as ``send(_:in:)``; and code `malformedID`, also when the ID is that of somebody else's message, or of
  ///   one in another conversation.
  @discardableResult
  public nonisolated func sendOnce(
    _ text: String, in conversation: ConversationID, id: MessageID
  ) throws(ChatError) -> Bool {
    guard id.isWellFormed else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
    let body = try validated(text)
    let sentAt = environment.uptime()
    return try store.write { transaction in
      let isHidden = transaction.isHidden(transaction.current(conversation))
      if !isHidden, let known = try transaction.knownMessage(id) {
        guard known.sender == user, known.conversation == transaction.current(conversation) else {
          throw ChatError(.malformedID, "Another message has this ID. Make one that nobody else makes.")
        }
        return false
      }
      try enqueue(id, DraftContent(body), in: conversation, endsDraft: false, transaction)
      deliveryTimes.sent(id, at: sentAt)
      return true
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
        try requireCarried(formatting: content.formatting)
        var sent = content
        sent.text = try validated(content.text, besides: content.attachments)
        try enqueue(id, sent, in: conversation, endsDraft: true, transaction)
      }
    }
  }

  package nonisolated func validated(
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

  /// Mentions and spans go with the text, and are bounded as it is.
  nonisolated func requireCarried(formatting: Data?) throws(ChatError) {
    guard let maximum = transport.guarantees.maximumMessageBytes, let formatting, formatting.count > maximum
    else { return }
    throw ChatError(
      .messageTooLong,
      "The formatting has \(formatting.count) bytes, \(maximum) are allowed. Shorten the text, or send it plain."
    )
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
    _ id: MessageID, _ content: DraftContent, in conversation: ConversationID, endsDraft: Bool,
    _ transaction: Transaction
  ) throws {
    let (now, body) = (environment.now(), content.text)
    let conversation = transaction.current(conversation)
    let title = title(from: body.isEmpty ? content.attachments.first?.name ?? "" : body)
    try transaction.noteSend(id, title: title, in: conversation, endsDraft: endsDraft, now: now)
    try transaction.requireRoom(in: conversation, limits: limits)
    try transaction.insertMessage(
      id, in: conversation, sender: user, role: .user, body: body, reasoning: nil, order: nil,
      place: TimelinePlace.underWay, createdAt: now)
    try transaction.setContext(of: id, replyTo: content.replyTo, formatting: content.formatting)
    if !content.attachments.isEmpty {
      try transaction.setAttachments(content.attachments, of: .message(id))
    }
    try transaction.enqueue(id, in: conversation, at: waitingClock.reading(at: environment.uptime()))
  }
}
