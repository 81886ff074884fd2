import HoldfastCore
import HoldfastStore

/// One conversation of a client: its timeline, its composer's draft, and the operations on the whole of it.
///
/// ```swift
/// let chat = client.conversation("chat-9f3b27c1")
/// try chat.send("Hello")
/// for await snapshot in chat.timeline() { show(snapshot.rows) }
/// ```
///
/// A handle is a value without a state of its own. Making one costs nothing and reads nothing, so it may name a
/// conversation that does not exist. It follows a conversation whose ID has changed.
public struct ConversationHandle: Sendable, Identifiable {
  /// The ID that the handle was made with.
  public let id: ConversationID
  let client: ChatClient

  /// The conversation that has this ID now, or had it last.
  var key: ConversationKey { client.store.key(of: id) }

  /// The timeline now, and after each change of it.
  ///
  /// A reader who is late misses states in between, and never the last one. Each loop is a separate observer, and
  /// ends when its task is cancelled. A timeline that could not be read has a ``ConversationSnapshot/problem``.
  ///
  /// - Parameter limit: the number of messages, from the newest back.
  public func timeline(
    limit: Int = 100
  ) -> some AsyncSequence<ConversationSnapshot, Never> & Sendable {
    client.reader.timeline(of: id, in: TimelineSpan(newest: limit))
  }

  /// Gives the conversation a title on this device. Neither the first message nor the server replaces it. Nil, or
  /// white space alone, brings back the automatic title: the beginning of the first message where nobody else takes
  /// part, otherwise the server's next title, and the other members' names until then.
  ///
  /// ```swift
  /// try chat.setTitle("Holiday")
  /// ```
  ///
  /// Costs one transaction, and survives what a message survives. Line breaks become spaces.
  ///
  /// - Throws: ``ChatError`` with code `titleTooLong`, `unknownConversation`, or a storage code. The
  ///   title is then unchanged.
  public func setTitle(_ title: String?) throws(ChatError) { try client.context.setTitle(title, of: key) }

  /// Gives the conversation another ID: the server's replaces a local one (rule D15). Drafts, versions, the outbox,
  /// the timeline and held messages keep their conversation. Composers and timelines on the screen follow, and
  /// messages in flight stay in flight. An echo, an acknowledgement or a page that still arrives under the old ID
  /// belongs to the conversation, and so does what the app does under the old ID.
  ///
  /// ```swift
  /// try await client.conversation("local-7").replaceID(with: ConversationID(rawValue: response.threadID))
  /// ```
  ///
  /// A conversation that has the new ID already, because the server's events came first, is merged with this one: the
  /// messages are in the server's order, and the texts of both drafts are joined. The call may be repeated: a
  /// conversation that already has the new ID is unchanged.
  ///
  /// One transaction: a crash leaves either ID, with everything. It costs a write for each message of the
  /// conversation.
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, `malformedID`, `sameConversation`, or a
  ///   storage code. Nothing is changed then.
  public func replaceID(with new: ConversationID) async throws(ChatError) {
    let (drafts, id) = (client.drafts, id)
    try await client.perform {
      try drafts.rename(id, to: new)
      $0.followers.follow(InboxOutcome())
    }
  }

  /// Notes that the user has read the conversation up to a message. The members see it, and this user's other devices
  /// count the messages as read. A view calls it for the newest message on the screen.
  ///
  /// ```swift
  /// .onChange(of: timeline.snapshot.rows.last?.id) { try? chat.markRead() }
  /// ```
  ///
  /// One transaction when the mark moves forward, and a read otherwise. When the call returns, the mark survives any
  /// crash. Without a connection it waits, and only the newest mark of a conversation is sent. A message that is not
  /// delivered yet is skipped.
  ///
  /// - Parameter message: the newest message that was read. Nil: the newest message of the conversation.
  /// - Throws: ``ChatError`` with code `unknownConversation`, `unknownMessage`, or a storage code.
  public func markRead(upTo message: MessageID? = nil) throws(ChatError) {
    try client.sharedStates.readMarks.move(in: key, upTo: message)
  }

  /// Whether the members see how far this user has read. False where the transport carries no read marks, and in a
  /// conversation that is kept on this device alone: ``markRead(upTo:)`` then moves the unread counts of this device,
  /// and no row ever shows who has read it. Costs one small read.
  ///
  /// - Throws: ``ChatError`` with a storage code.
  public func sendsReadReceipts() throws(ChatError) -> Bool {
    try client.sharedStates.readMarks.areSent(in: key)
  }

  /// Tries the messages again after the server has refused the whole conversation (rule O8). They are still queued,
  /// in their order. A new refusal shows in ``ConversationSnapshot/refusal`` again. For a conversation that is not
  /// refused, the call ends the waits before the next attempt.
  ///
  /// ```swift
  /// if let refusal = timeline.snapshot.refusal { Button(refusal.explanation) { Task { try await chat.retry() } } }
  /// ```
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, or a storage code.
  public func retry() async throws(ChatError) {
    try await client.perform { try $0.retries.retry(conversation: key) }
  }

  /// Counts everything that a deletion would delete, for a question that states how many messages nobody else has.
  ///
  /// ```swift
  /// let question = try chat.deletionQuestion()
  /// if question.unsent > 0 { ask("\(question.unsent) messages have not been sent. Delete them too?") }
  /// ```
  ///
  /// Costs one pass over the index of the conversation's messages and one over the outbox, and changes nothing.
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, or a storage code.
  public func deletionQuestion() throws(ChatError) -> DeletionQuestion {
    try client.context.deletionQuestion(for: key)
  }

  /// Deletes the conversation on this device. It is hidden at once, and ``undoDeletion()`` brings it back within
  /// eight seconds. Then ``ChatClient/run()`` erases it: messages, outbox, drafts with their versions, files and
  /// search words, so that nothing of it can be read in the store's files. The other members keep their messages.
  ///
  /// ```swift
  /// try await chat.delete()
  /// // list.snapshot.undoable names it now: "Conversation deleted - Undo"
  /// ```
  ///
  /// A message in flight cannot be recalled. A message that somebody writes after the deletion brings
  /// the conversation back with that message alone.
  ///
  /// One transaction, which costs a write for each message in the conversation's outbox. The deletion survives any
  /// crash. The end of the app ends the eight seconds, and the next `run()` erases the conversation.
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, with the code of a draft that cannot be saved, such as
  ///   `draftTooLong`, or with a storage code. Nothing is changed then.
  public func delete() async throws(ChatError) { try await client.perform { try $0.deletions.delete(key) } }

  /// Brings the conversation back, with everything, less than eight seconds after its deletion. Its outbox is sent
  /// now. One transaction, which costs as much as the deletion.
  ///
  /// - Throws: ``ChatError`` with code `tooLate` when the conversation is being erased, was created again, or was not
  ///   deleted; or with a storage code: the conversation is then still hidden.
  public func undoDeletion() async throws(ChatError) {
    try await client.perform { try $0.deletions.undo(deletionOf: key) }
  }

  /// Counts the messages that ``empty()`` would delete, and returns the question, which states how many nobody else
  /// has.
  ///
  /// Costs as much as ``deletionQuestion()``, and changes nothing.
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, or a storage code.
  public func emptyingQuestion() throws(ChatError) -> DeletionQuestion {
    try client.context.deletionQuestion(for: key, isEmptying: true)
  }

  /// Deletes the messages of the conversation on this device, and keeps the conversation with its members, its title
  /// and the text in its composer. The messages are hidden at once, and ``undoEmptying()`` brings them back within
  /// eight seconds. Then ``ChatClient/run()`` erases them, as ``delete()`` erases a conversation. The other members
  /// keep their messages.
  ///
  /// ```swift
  /// let question = try chat.emptyingQuestion()
  /// guard await ask(question.title, question.sentence) else { return }
  /// try await chat.empty()
  /// // list.snapshot.undoable names the conversation now: "Messages of “Weekend trip” cleared"
  /// ```
  ///
  /// A message in flight cannot be recalled. Unsent messages and an unfinished edit are deleted too.
  /// So is a title that was the beginning of the first message, and the next message gives a new one.
  ///
  /// One transaction, which costs a write for each message of the conversation. It survives any crash. The end of the
  /// app ends the eight seconds, and so does emptying or deleting the conversation again.
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, with the code of a draft that cannot be saved, such as
  ///   `draftTooLong`, or with a storage code. Nothing is changed then.
  public func empty() async throws(ChatError) { try await client.perform { try $0.deletions.empty(key) } }

  /// Brings the messages back, less than eight seconds after ``empty()``. Unsent ones are sent now, before messages
  /// that were written since. One transaction, which costs as much as the emptying.
  ///
  /// - Throws: ``ChatError`` with code `tooLate` when the messages are being erased, or there is nothing to undo; or
  ///   with a storage code: the messages are then still hidden.
  public func undoEmptying() async throws(ChatError) {
    try await client.perform { try $0.deletions.undo(emptyingOf: key) }
  }
}

extension ConversationHandle {
  /// Marks a request as under way, before it is sent. It replaces an earlier request of the conversation.
  ///
  /// ```swift
  /// try chat.beginProcessing(request)
  /// let answer = try await model.ask(question, as: request)
  /// try chat.endProcessing(request)
  /// ```
  ///
  /// ``beginReply(role:as:answering:)`` sets the mark by itself. One transaction, which costs a sync. After a kill
  /// the mark is still there, as interrupted. On each connection the backend is asked for the outcome
  /// (`TransportConnection.outcome(of:in:)`), and an outcome removes the mark. So does a message that answers the
  /// request (``MessageContent/request``), from any member.
  ///
  /// A request that another member answers needs an ID that both know. The ID of the question is one:
  ///
  /// ```swift
  /// let question = try chat.send("What is the weather like?")
  /// try chat.beginProcessing(RequestID(rawValue: question.rawValue))
  /// // The member that answers it, on another device:
  /// try chat.send(MessageContent("It rains.", request: RequestID(rawValue: question.rawValue)))
  /// ```
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, `malformedID`, or a storage code.
  public func beginProcessing(_ request: RequestID) throws(ChatError) {
    try client.sharedStates.requests.begin(request, in: key)
  }

  /// Removes the mark of a request that was answered, or for whose answer nobody waits. Does nothing when there is no
  /// such mark, or another request has replaced it. One transaction; a crash leaves the mark as it was, or removes it.
  ///
  /// - Throws: ``ChatError`` with a storage code.
  public func endProcessing(_ request: RequestID) throws(ChatError) {
    try client.sharedStates.requests.end(request, in: key)
  }

  /// Begins a message that is written piece by piece, such as an assistant's answer (rule H3).
  ///
  /// ```swift
  /// let reply = try await chat.beginReply()
  /// try await reply.write { reply in for try await word in model { try await reply.append(word) } }
  /// ```
  ///
  /// The reply to a question of this user begins with it: ``ask(_:of:)-(String,_)``.
  ///
  /// The pieces are sent as they come, and may be lost on the way. The whole text is sent as a message when it is
  /// finished, and is not lost. A crash before that leaves the stored text, marked as interrupted:
  /// ``MessageHandle/continueReply()`` and ``MessageHandle/retryReply()`` resume it.
  ///
  /// - Parameters:
  ///   - role: the role of the reply's author.
  ///   - sender: the assistant that writes: ``UserID/assistant(_:of:)``. Its messages are nobody's own on any device,
  ///     and this account continues, retries and deletes its replies. In a conversation that is kept on this device
  ///     alone, any ID. Nil: this account writes itself.
  ///   - request: the request that the reply answers. The same transaction marks it as under way, until the reply is
  ///     finished. The reply names it to all members (``MessageContent/request``).
  /// - Throws: ``ChatError`` with code `unknownConversation`, `malformedID`, or a storage code.
  public func beginReply(
    role: MessageRole = .assistant, as sender: UserID? = nil, answering request: RequestID? = nil
  ) async throws(ChatError) -> ReplyHandle {
    ReplyHandle(
      id: try await client.perform {
        try $0.replies.begin(in: key, role: role, as: sender, answering: request)
      }, client: client)
  }
}
