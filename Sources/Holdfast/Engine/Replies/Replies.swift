import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Messages that are written piece by piece, here or by others: on the screen at once, on disk within a moment
/// (rule H3).
///
/// ```
///   writing ── kill, interrupt ──► interrupted ── takeOver ──► writing on, behind the stored text
///      │                                ▲    └── takeOver anew ► writing from the beginning, in its place
///      └── finish ──► whole             └──── cut off again ────────────┘
///                       └── regenerate ► writing, while the whole text holds; `Regenerations`
/// ```
final class Replies: InboxFollower {
  private let context: EngineContext
  private let sharedState: SharedState
  private let requests: Requests
  /// Raised when pieces wait for the connection.
  private let wakeOutbox: @Sendable () -> Void
  private let regenerations: Regenerations
  private let signal = Signal()
  private var buffers: [MessageID: TokenBuffer] = [:]
  /// The ends of messages that are written here, for the tasks that wait for them.
  private var ends: [MessageID: [ReplyEnd]] = [:]
  /// Pieces of messages that are being written here, to be sent.
  private var outgoing = OutgoingPieces()
  /// The revision of the names when the buffers of merged conversations were last moved.
  private var seenNames: Int
  /// The time since which the tail has text that a power failure would lose. Nil when it has none.
  private var unsyncedSince: ChatEnvironment.Instant?

  private var store: Store { context.store }
  private var environment: ChatEnvironment { context.environment }
  private var beginning: ReplyBeginning { ReplyBeginning(context: context, sharedState: sharedState) }

  init(
    _ context: EngineContext, sharedState: SharedState, requests: Requests,
    wakeOutbox: @escaping @Sendable () -> Void
  ) {
    (self.context, self.sharedState, self.requests, self.wakeOutbox) = (
      context, sharedState, requests, wakeOutbox
    )
    regenerations = Regenerations(context: context)
    seenNames = context.store.names.revision
  }

  /// The messages whose pieces are kept here.
  var openMessages: [MessageID] { Array(buffers.keys) }

  /// The pieces that are to be sent now.
  func drainPieces() -> [StreamPiece] {
    outgoing.drain().map { piece in
      var piece = piece
      piece.conversation = store.names.name(of: store.names.key(of: piece.conversation))
      return piece
    }
  }

  /// Begins a message. `request` is the request that it answers.
  func begin(
    in conversation: ConversationKey, role: MessageRole, as sender: UserID?, answering request: RequestID?
  ) throws(ChatError) -> MessageID {
    try Requests.requireWellFormed(request)
    let first = beginning.first(in: conversation, role: role, as: sender)
    return try beginning.shown(first) { () throws(ChatError) in
      let isOnDevice = try store.write { transaction in
        try beginning.insert(first, in: conversation, answering: request, transaction)
      }
      open(first, in: conversation, answering: request, isOnDevice: isOnDevice)
      return first.id
    }
  }

  /// Lets the message be written, after the commit of its beginning.
  func open(
    _ first: StreamPiece, in conversation: ConversationKey, answering request: RequestID?, isOnDevice: Bool
  ) {
    // No piece of a conversation that is kept on this device alone leaves it.
    if isOnDevice { outgoing.silence(first.id) }
    buffers[first.id] = TokenBuffer(
      conversation: store.names.whole(of: conversation), sender: first.sender, stored: StreamPrefix(),
      isWrittenHere: true, answering: request)
  }

  /// The end of a message that is written here, to wait for.
  func end(of id: MessageID) throws(ChatError) -> ReplyEnd {
    guard buffers[id]?.isWrittenHere == true else { throw ChatError.notWrittenHere }
    let end = ReplyEnd()
    ends[id, default: []].append(end)
    return end
  }

  /// Adds to a message that is written here.
  func append(_ text: String, reasoning: String, to id: MessageID) throws {
    followJoins()
    guard let buffer = buffers[id], buffer.isWrittenHere else { throw ChatError.notWrittenHere }
    if !reasoning.isEmpty { try requireCarried([.reasoning], in: buffer.conversation) }
    let piece = StreamPiece(
      id: id, conversation: store.names.name(of: buffer.conversation), sender: buffer.sender,
      sequence: buffer.nextSequence,
      text: text, reasoning: reasoning, request: buffer.nextSequence == 0 ? buffer.request : nil)
    try apply(piece, in: buffer.conversation)
    outgoing.append(piece)
    wakeOutbox()
  }

  /// Puts the whole text of a message that is written here into the outbox.
  ///
  /// - Parameters:
  ///   - additions: metadata and references. Their other fields are ignored.
  ///   - cost: what its last request cost.
  func finish(
    _ id: MessageID, with additions: MessageContent, adding cost: AnswerCost? = nil
  ) throws(ChatError) {
    try additions.require()
    guard let buffer = buffers[id], buffer.isWrittenHere else { throw ChatError.notWrittenHere }
    guard !buffer.text.isEmpty || additions.hasReferences else {
      throw ChatError(.emptyMessage, "Nothing has been written yet. Append something, then finish.")
    }
    try requireCarried(additions.fields, in: buffer.conversation)
    var content = additions
    (content.text, content.reasoning) = (buffer.text, buffer.reasoning.isEmpty ? nil : buffer.reasoning)
    let isTooLong = content.problem(atMost: context.transport.capabilities.maximumMessageBytes) != nil
    var ending = ReplyEnding.finished
    try writing(id) { conversation, transaction in
      if let cost { try transaction.conversations.addCost(cost, of: buffer.sender, in: conversation) }
      let isOnDevice = try context.isOnDevice(conversation, transaction)
      guard try transaction.streams.isRegeneration(id) else {
        return try deliver(id, content, in: conversation, isTooLong: isTooLong && !isOnDevice, transaction)
      }
      guard isOnDevice || !isTooLong else {
        ending = .failed(FailureReason(.tooLong))
        return try store(buffer, of: id, in: conversation, because: FailureReason(.tooLong), transaction)
      }
      try regenerations.finish(id, with: content, in: conversation, transaction)
    }
    outgoing.finish(id)
    end(id, as: ending)
    if case .failed = ending { store.changes.publish(Changes(timelines: [buffer.conversation])) }
  }

  /// Gives a message its whole text, and delivers it or puts it into the outbox.
  private func deliver(
    _ id: MessageID, _ content: MessageContent, in conversation: ConversationKey, isTooLong: Bool,
    _ transaction: Transaction
  ) throws {
    try transaction.streams.finish(id, content)
    guard try !context.isOnDevice(conversation, transaction) else {
      try transaction.conversations.deliverHere(id, in: conversation)
      return try transaction.deliveries.note(of: id, in: conversation, at: environment.now())
    }
    try transaction.outbox.enqueue(id, in: conversation, at: context.waitingReading)
    if isTooLong, let (entry, conversation) = try transaction.outbox.entry(of: id) {
      try transaction.outbox.fail(entry, in: conversation, reason: FailureReason(.tooLong))
    }
  }

  /// Stores metadata of a message that is written here, before its end, and counts what its requests cost.
  func note(_ metadata: Data?, on id: MessageID, adding cost: AnswerCost) throws(ChatError) {
    try MessageContent(metadata: metadata).require()
    guard let buffer = buffers[id], buffer.isWrittenHere else { throw ChatError.notWrittenHere }
    try writing(id) { conversation, transaction in
      try transaction.streams.setMetadata(metadata, ofStream: id)
      try transaction.conversations.addCost(cost, of: buffer.sender, in: conversation)
    }
  }

  private func requireCarried(
    _ fields: Set<TransportCapabilities.Field>, in conversation: ConversationKey
  ) throws(ChatError) {
    guard !fields.isSubset(of: context.transport.capabilities.fields) else { return }
    try store.read { try context.requireCarried(fields, in: conversation, $0) }
  }

  /// Stores the text so far of a message that is written here, marked interrupted, with the failure that ended it.
  func interrupt(_ id: MessageID, because failure: FailureReason?) throws(ChatError) {
    guard let buffer = buffers[id], buffer.isWrittenHere else { throw ChatError.notWrittenHere }
    try writing(id) { conversation, transaction in
      try store(buffer, of: id, in: conversation, because: failure, transaction)
    }
    giveUp(id, as: failure.map { .failed($0) } ?? .interrupted)
  }

  /// Ends a message because its writer or its reader stops it. The server is asked again about the request that it
  /// answers.
  func stop(_ id: MessageID, because failure: FailureReason? = nil) throws(ChatError) {
    try interrupt(id, because: failure)
    requests.askAgain()
  }

  /// Stores the text so far, and its interruption.
  private func store(
    _ buffer: TokenBuffer, of id: MessageID, in conversation: ConversationKey,
    because failure: FailureReason?, _ transaction: Transaction
  ) throws {
    try transaction.streams.fold(store.tail)
    if let chunk = buffer.unsavedChunk { try transaction.streams.append(chunk, to: id, in: conversation) }
    try transaction.streams.interrupt(id, in: conversation, because: failure)
  }

  /// Continues an interrupted message, after its stored text or from the beginning. Returns the stored text.
  func takeOver(_ id: MessageID, isAnew: Bool) throws(ChatError) -> StreamPrefix {
    try foldTail()
    let prefix = isAnew ? StreamPrefix() : try store.read { try $0.streams.prefix(of: id) }
    return try writeOn(id, showing: prefix, isAnew: isAnew) {
      try $0.streams.takeOver(id, by: context.session)
    }
  }

  /// Regenerates a whole reply. Its present text stays until the new one is whole (rule L10).
  func regenerate(_ id: MessageID) throws(ChatError) {
    _ = try writeOn(id, showing: StreamPrefix()) { transaction in
      let reply = try regenerations.begin(id, transaction)
      return (reply.conversation, reply.sender, StreamPrefix())
    }
  }

  /// Starts the writing of a message that is stored already. Returns its stored text.
  private func writeOn(
    _ id: MessageID, showing prefix: StreamPrefix, isAnew: Bool = false,
    _ begin: (Transaction) throws -> (conversation: ConversationKey, sender: UserID, stored: StreamPrefix)
  ) throws(ChatError) -> StreamPrefix {
    // Shown as under way from before the commit, so that no reader takes it for one that is still interrupted.
    let isFree = buffers[id] == nil
    if isFree { sharedState.set(.init(text: prefix.text, reasoning: prefix.reasoning), for: id) }
    do throws(ChatError) {
      let (conversation, sender, stored) = try store.write { try begin($0) }
      buffers[id] = TokenBuffer(
        conversation: conversation, sender: sender, stored: stored, isWrittenHere: true, isAnew: isAnew)
      outgoing.silence(id)
      return stored
    } catch {
      if isFree { sharedState.set(nil, for: id) }
      throw error
    }
  }

  /// Takes in a piece that the server sends.
  func receive(_ piece: StreamPiece) throws {
    // A server's copy of a message that is written here may go beyond its stored text, which may be written again.
    guard buffers[piece.id]?.isWrittenHere != true else { return }
    followJoins()
    try apply(piece, in: store.names.key(of: piece.conversation))
  }

  private func apply(_ piece: StreamPiece, in conversation: ConversationKey) throws {
    guard try openBuffer(for: piece, in: conversation) else { return }
    let deadline = buffers[piece.id]?.deadline
    // In place: a copy of the whole text for each piece would make the message's cost quadratic.
    guard buffers[piece.id]?.receive(piece, now: environment.uptime()) == .appended else { return }
    let isShown = sharedState.append(
      piece.text.storable, reasoning: piece.reasoning.storable, to: piece.id)
    if !isShown, let buffer = buffers[piece.id] {
      sharedState.set(.init(text: buffer.text, reasoning: buffer.reasoning), for: piece.id)
    }
    store.changes.publish(
      isShown ? Changes(grown: [piece.id: conversation]) : Changes(timelines: [conversation]))
    // Otherwise the loop that stores tokens sleeps until the right moment already.
    if buffers[piece.id]?.deadline != deadline { signal.raise() }
  }

  /// The message is stored as a whole, or gone: its text in memory is no longer needed.
  func end(_ id: MessageID, as ending: ReplyEnding = .finished) {
    buffers[id] = nil
    // The tail may have text of this message, whose next attempt begins with the same numbers. Text that cannot be
    // moved now is moved with the next text.
    try? foldTail()
    for end in ends.removeValue(forKey: id) ?? [] { end.reach(ending) }
    sharedState.set(nil, for: id)
  }

  /// The connection has ended, and with it the server's streams. The next connection sends their pieces again from the
  /// first.
  func interruptReceived() throws {
    guard !buffers.isEmpty else { return }
    try storeDue(all: true)
    let others = buffers.filter { !$0.value.isWrittenHere }
    guard !others.isEmpty else { return }
    // First here, then in the store: readers look at both. They are notified in any case, because a full disk must
    // not hide that the text has stopped.
    for id in others.keys { end(id) }
    store.changes.publish(Changes(timelines: Set(others.values.map(\.conversation))))
    try store.writeUnsynced { transaction in
      for (id, buffer) in others {
        try transaction.streams.interrupt(id, in: transaction.whole(of: buffer.conversation))
      }
    }
  }

  func follow(_ outcome: InboxOutcome) {
    followDeletions()
    for id in outcome.finished { end(id) }
    for id in outcome.deleted { giveUp(id) }
  }

  /// Ends the messages of conversations that are deleted, here or by another process.
  func followDeletions() {
    followJoins()
    let marks = store.deletions.value.marks
    guard !marks.isEmpty else { return }
    let emptied = Set(marks.values.compactMap(\.emptied))
    for (id, buffer) in buffers {
      guard marks[buffer.conversation] != nil || (emptied.contains(buffer.conversation) && isPutAside(id))
      else {
        continue
      }
      outgoing.finish(id)
      end(id, as: .interrupted)
    }
  }

  /// Whether the message was set aside when its conversation was emptied. One that was begun since is in the timeline.
  private func isPutAside(_ id: MessageID) -> Bool {
    guard let known = try? store.read({ try $0.messages.known(id) }) else { return false }
    return store.deletions.isHidden(known.conversation)
  }

  /// Moves messages to the conversations that their own were merged into, here or by another process.
  private func followJoins() {
    guard seenNames != store.names.revision else { return }
    seenNames = store.names.revision
    for (id, buffer) in buffers { buffers[id]?.conversation = store.names.whole(of: buffer.conversation) }
  }

  /// The store can be used again: tokens that could not be stored are stored now.
  func tryAgain() { signal.raise() }

  /// Stores tokens as they become due. Returns when the task is cancelled.
  nonisolated(nonsending) func run() async {
    while !Task.isCancelled {
      do {
        try storeDue(all: false)
      } catch {
        // They stay in memory, and the final text comes as a message of its own.
        context.logger.error("tokens not stored", metadata: ["error": "\(error)"])
        let again = environment.uptime() + TokenBuffer.interval * 4
        await context.wait(for: signal, until: again)
        continue
      }
      let deadlines = buffers.values.map(\.deadline) + [syncDue]
      await context.wait(for: signal, until: deadlines.compactMap(\.self).min())
    }
  }

  /// - Parameter all: also tokens that are not due yet, and those of the tail: all are in the database then.
  func storeDue(all: Bool) throws {
    let now = environment.uptime()
    let due = buffers.compactMap { id, buffer -> DueChunk? in
      guard let deadline = buffer.deadline, all || deadline <= now, let chunk = buffer.unsavedChunk else {
        return nil
      }
      return DueChunk(id: id, buffer: buffer, chunk: chunk)
    }
    let mayUseTail = !all && !store.isShared && store.tail.byteCount < TokenBuffer.maximumBytes
    if mayUseTail, due.allSatisfy(\.buffer.mayUseTail) {
      try appendToTail(due, now: now)
    } else {
      try foldTail()
      if !due.isEmpty { try store(due) }
    }
  }

  /// A chunk that is to be written now.
  private struct DueChunk {
    let id: MessageID
    let buffer: TokenBuffer
    let chunk: TokenBuffer.Chunk
  }

  private func appendToTail(_ due: [DueChunk], now: ChatEnvironment.Instant) throws {
    if !due.isEmpty {
      try store.appendToTail(due.map { StreamLog.Entry(id: $0.id, chunk: $0.chunk) })
      for due in due { buffers[due.id]?.stored(due.chunk) }
      unsyncedSince = unsyncedSince ?? now
    }
    guard let syncDue, syncDue <= now else { return }
    try store.syncTail()
    unsyncedSince = nil
  }

  /// The time at which the tail is to be synced. Nil when a power failure would lose nothing of it.
  private var syncDue: ChatEnvironment.Instant? { unsyncedSince.map { $0 + TokenBuffer.syncInterval } }

  /// Checkpoints the tail: moves its text into the database.
  private func foldTail() throws(ChatError) {
    try store.foldTail()
    unsyncedSince = nil
  }

  private func store(_ due: [DueChunk]) throws {
    let taken = try store.write { transaction in
      var taken: [MessageID] = []
      for due in due {
        if try !isWriter(of: due.id, transaction) {
          taken.append(due.id)
        } else {
          try transaction.streams.append(
            due.chunk, to: due.id, in: transaction.whole(of: due.buffer.conversation))
        }
      }
      return taken
    }
    for due in due { buffers[due.id]?.stored(due.chunk) }
    for id in taken { giveUp(id) }
  }

  /// Runs one transaction for a message that is written here, unless another process has taken it over.
  private func writing(_ id: MessageID, _ body: (ConversationKey, Transaction) throws -> Void)
    throws(ChatError)
  {
    do {
      try store.write { transaction in
        guard try isWriter(of: id, transaction) else {
          throw ChatError(
            .beingWritten, "Another process of the app goes on with the reply. Leave it to that.")
        }
        guard let conversation = buffers[id]?.conversation else { throw ChatError.notWrittenHere }
        try body(transaction.whole(of: conversation), transaction)
      }
    } catch {
      if error.code == .beingWritten { giveUp(id) }
      throw error
    }
  }

  /// In a shared store, another process may have found the message interrupted, and continued it.
  private func isWriter(of id: MessageID, _ transaction: Transaction) throws -> Bool {
    guard store.isShared, buffers[id]?.isWrittenHere == true else { return true }
    return try transaction.streams.writer(of: id) == context.session
  }

  /// The message is no longer written here, and is not whole.
  private func giveUp(_ id: MessageID, as ending: ReplyEnding = .interrupted) {
    guard let conversation = buffers[id]?.conversation else { return }
    outgoing.finish(id)
    end(id, as: ending)
    store.changes.publish(Changes(timelines: [conversation]))
  }

  /// Makes a buffer for the message unless there is one. Returns whether the piece belongs to it.
  private func openBuffer(for piece: StreamPiece, in conversation: ConversationKey) throws -> Bool {
    if let buffer = buffers[piece.id] {
      // A piece of another sender under this ID is a forgery.
      return buffer.conversation == conversation && buffer.sender == piece.sender
    }
    guard let buffer = try makeBuffer(for: piece, in: conversation) else { return false }
    buffers[piece.id] = buffer
    return true
  }

  /// Makes a buffer from the text that an earlier connection left, or an empty one. Nil when the message is not under
  /// way.
  private func makeBuffer(
    for piece: StreamPiece, in conversation: ConversationKey
  ) throws -> TokenBuffer? {
    guard piece.id.isWellFormed, piece.conversation.isWellFormed, piece.sender.isWellFormed,
      !store.deletions.isHidden(conversation)
    else {
      return nil
    }
    let (known, writer, isOnDevice) = try store.read { db in
      (
        try db.messages.known(piece.id), try db.streams.writer(of: piece.id),
        try db.conversations.isOnDevice(conversation)
      )
    }
    guard !isOnDevice else { return nil }
    if let known {
      // A message that was interrupted here is not continued automatically, whatever a server still has of it.
      guard known.isStreaming, known.conversation == conversation, known.sender == piece.sender,
        writer == nil
      else {
        return nil
      }
      try foldTail()
      return TokenBuffer(
        conversation: conversation, sender: piece.sender,
        stored: try store.read { try $0.streams.prefix(of: piece.id) })
    }
    // Without its beginning the message would be shown from the middle. The final text brings all of it.
    guard piece.sequence == 0,
      try store.read({ try $0.conversations.isHere(conversation) && !$0.streams.isForgotten(piece.id) })
    else {
      return nil
    }
    try store.write { try $0.streams.begin(piece, in: $0.whole(of: conversation), now: environment.now()) }
    return TokenBuffer(conversation: conversation, sender: piece.sender, stored: StreamPrefix())
  }
}

extension ChatError {
  fileprivate static let notWrittenHere = ChatError(
    .unknownMessage, "The message is not being written here. Begin it first.")
}
