import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// A piece of a message that somebody is writing: on the screen at once, on disk within a moment.
  package func receive(_ piece: StreamPiece) throws {
    guard try openBuffer(for: piece) else { return }
    let deadline = buffers[piece.id]?.deadline
    // In place: a copy of all that has come so far, for each piece, would make the whole quadratic.
    guard buffers[piece.id]?.receive(piece, now: environment.uptime()) == .appended else { return }
    let isShown = live.append(piece.text.storable, reasoning: piece.reasoning.storable, to: piece.id)
    if !isShown, let buffer = buffers[piece.id] {
      live.set(.init(text: buffer.text, reasoning: buffer.reasoning), for: piece.id)
    }
    store.changes.publish(Changes(timelines: [piece.conversation]))
    // Else the one who writes sleeps until the right moment already.
    if buffers[piece.id]?.deadline != deadline { tokenSignal.raise() }
  }

  /// Begins a message that is written piece by piece, as an assistant's answer is.
  ///
  /// ```swift
  /// let id = try await client.beginStream(in: conversation)
  /// for try await token in model { try await client.append(token, to: id) }
  /// try await client.finishStream(id)
  /// ```
  ///
  /// The pieces go out as they come and may be lost on the way; the whole text goes out as a message once it
  /// is finished, and is not lost. A crash in between leaves what was stored, marked interrupted: ``continueStream(_:)``
  /// and ``retryStream(_:)`` lead on from there.
  ///
  /// - Parameter request: what it answers. It is marked as under way in the same transaction, as
  ///   ``beginProcessing(_:in:)`` does, until the reply is finished.
  /// - Throws: ``ChatError`` with code `unknownConversation`, `malformedID`, or one that starts with `storage`.
  public func beginStream(
    in conversation: ConversationID, role: MessageRole = .assistant, answering request: RequestID? = nil
  ) throws(ChatError) -> MessageID {
    try requireWellFormed(request)
    store.lookForRenames()
    let conversation = store.aliases.current(conversation)
    let first = StreamPiece(
      id: MessageID(rawValue: environment.makeID()), conversation: conversation, sender: user, role: role,
      sequence: 0, text: "")
    try store.write { transaction in
      let conversation = transaction.current(conversation)
      try transaction.requireConversation(conversation)
      if let request {
        try transaction.beginWork(request, in: conversation, by: session, now: environment.now())
      }
      try transaction.beginStream(first, by: session, answering: request, now: environment.now())
    }
    buffers[first.id] = TokenBuffer(
      conversation: conversation, sender: user, stored: StreamPrefix(), isWrittenHere: true)
    live.set(.init(text: "", reasoning: ""), for: first.id)
    // Whoever read between the commit and this saw an interrupted message.
    store.changes.publish(Changes(timelines: [conversation]))
    return first.id
  }

  /// Adds to a message that was begun here. It is shown at once, and on disk 250 ms or 64 KB later: that much
  /// of it can be lost with the process.
  ///
  /// - Throws: ``ChatError`` with code `unknownMessage` when it is not written by this client: it was not begun here, is
  ///   finished or cut off, or another process of the app went on with it.
  public func append(_ text: String, reasoning: String = "", to id: MessageID) throws {
    guard let buffer = buffers[id], buffer.isWrittenHere else { throw ChatError.notWrittenHere }
    let piece = StreamPiece(
      id: id, conversation: buffer.conversation, sender: user, sequence: buffer.nextSequence, text: text,
      reasoning: reasoning)
    try receive(piece)
    outgoingPieces.append(piece)
    outboxSignal.raise()
  }

  /// Ends a message that was begun here, and puts its whole text into the outbox in one transaction.
  ///
  /// The text is in the timeline already, so nothing of it is turned away: it enters a full outbox too, and only the
  /// next message does not. One that is longer than the backend accepts is finished as a failed message with code
  /// `tooLong`, whose user can take it back and shorten it.
  ///
  /// The request that it answers is not under way any more.
  ///
  /// - Throws: as ``append(_:reasoning:to:)``; code `emptyMessage` when nothing was written; and `beingWritten` when
  ///   another process of the app has found it cut off, and goes on with it.
  public func finishStream(_ id: MessageID) throws(ChatError) {
    guard let buffer = buffers[id], buffer.isWrittenHere else { throw ChatError.notWrittenHere }
    guard !buffer.text.isEmpty else {
      throw ChatError(.emptyMessage, "Nothing has been written yet. Append something, then finish.")
    }
    let size = max(buffer.text.utf8.count, buffer.reasoning.utf8.count)
    let isTooLong = transport.guarantees.maximumMessageBytes.map { size > $0 } ?? false
    try writing(id) { transaction in
      // Another process may have renamed it a moment ago.
      let conversation = transaction.current(buffer.conversation)
      try transaction.finishStream(
        id, body: buffer.text, reasoning: buffer.reasoning.isEmpty ? nil : buffer.reasoning)
      try transaction.enqueue(id, in: conversation, at: waitingClock.reading(at: environment.uptime()))
      if isTooLong, let (entry, conversation) = try transaction.outboxEntry(of: id) {
        try transaction.park(
          entry, in: conversation,
          reason: FailureReason(.tooLong, "This message is longer than the server accepts."))
      }
    }
    outgoingPieces.finish(id)
    endStream(id)
  }

  /// The final text is stored: what was kept for the screen is not needed any more.
  func endStream(_ id: MessageID) {
    buffers[id] = nil
    live.set(nil, for: id)
  }

  /// The server's stream ended with the connection; the next one sends its pieces again from the first.
  func interruptStreams() throws {
    guard !buffers.isEmpty else { return }
    try storeDueTokens(all: true)
    let others = buffers.filter { !$0.value.isWrittenHere }
    guard !others.isEmpty else { return }
    // First here, then in the store: readers look at both. They are told in any case, because a disk that is
    // full keeps nobody from seeing that the text has stopped.
    for id in others.keys { endStream(id) }
    store.changes.publish(Changes(timelines: Set(others.values.map(\.conversation))))
    try store.writeUnsynced { transaction in
      for (id, buffer) in others {
        try transaction.interruptStream(id, in: transaction.current(buffer.conversation))
      }
    }
  }

  /// Writes tokens as they become due. Returns when the task is cancelled.
  func storeTokens() async {
    while !Task.isCancelled {
      do {
        try storeDueTokens(all: false)
      } catch {
        // They stay in memory, and the final text comes as a message of its own.
        logger.error("tokens not stored", metadata: ["error": "\(error)"])
        let again = environment.uptime() + TokenBuffer.interval * 4
        await tokenSignal.wait(until: again, in: environment)
        continue
      }
      await tokenSignal.wait(until: buffers.values.compactMap(\.deadline).min(), in: environment)
    }
  }

  func storeDueTokens(all: Bool) throws {
    let now = environment.uptime()
    let due = buffers.compactMap { id, buffer -> (MessageID, TokenBuffer, TokenBuffer.Chunk)? in
      guard let deadline = buffer.deadline, all || deadline <= now, let chunk = buffer.unsavedChunk else {
        return nil
      }
      return (id, buffer, chunk)
    }
    guard !due.isEmpty else { return }
    let taken = try store.write { transaction in
      var taken: [MessageID] = []
      for (id, buffer, chunk) in due {
        if try !isWriter(of: id, transaction) {
          taken.append(id)
        } else {
          try transaction.appendChunk(chunk, to: id, in: transaction.current(buffer.conversation))
        }
      }
      return taken
    }
    for (id, _, chunk) in due { buffers[id]?.stored(chunk) }
    for id in taken { giveUp(id) }
  }

  /// Sees to it that there is a buffer of the message under way, and says whether the piece belongs to it.
  private func openBuffer(for piece: StreamPiece) throws -> Bool {
    if let buffer = buffers[piece.id] {
      // Another's piece under this ID is a forgery.
      return buffer.conversation == piece.conversation && buffer.sender == piece.sender
    }
    guard let buffer = try makeBuffer(for: piece) else { return false }
    buffers[piece.id] = buffer
    return true
  }

  /// From what an earlier run left, or a new one. Nil when the message is none that is under way.
  private func makeBuffer(for piece: StreamPiece) throws -> TokenBuffer? {
    guard piece.id.isWellFormed, piece.conversation.isWellFormed, piece.sender.isWellFormed,
      !store.deletions.isHidden(piece.conversation)
    else {
      return nil
    }
    let (known, writer) = try store.read { (try $0.knownMessage(piece.id), try $0.writer(of: piece.id)) }
    if let known {
      // One that was cut off here does not go on by itself, whatever a server still has of it.
      guard known.isStreaming, known.conversation == piece.conversation, known.sender == piece.sender,
        writer == nil
      else {
        return nil
      }
      return TokenBuffer(
        conversation: piece.conversation, sender: piece.sender,
        stored: try store.read { try $0.streamPrefix(of: piece.id) })
    }
    // Without its beginning it would be shown from the middle; the final text brings all of it.
    guard piece.sequence == 0,
      try store.read({ try $0.conversation(piece.conversation) != nil && !$0.isForgottenStream(piece.id) })
    else {
      return nil
    }
    try store.write { try $0.beginStream(piece, now: environment.now()) }
    return TokenBuffer(conversation: piece.conversation, sender: piece.sender, stored: StreamPrefix())
  }
}
