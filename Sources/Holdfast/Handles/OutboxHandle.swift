import HoldfastCore
import HoldfastStore

/// The outbox of a client, as a whole: its health, its held messages, and what signing out would lose.
public struct OutboxHandle: Sendable {
  let client: ChatClient

  /// The outbox's counts and ages at this instant, and the state of the connection.
  ///
  /// ```swift
  /// let health = try client.outbox.health()
  /// report("\(health.waiting) wait, the oldest for \(health.oldestWaited ?? .zero)")
  /// ```
  ///
  /// Costs one pass over the outbox, and changes nothing. The counts of the delivery times are part of the
  /// acknowledgements' transactions, and survive what these survive.
  ///
  /// - Throws: ``ChatError`` with a storage code.
  public func health() throws(ChatError) -> OutboxHealth {
    var health = try client.context.outboxHealth()
    (health.connectivity, health.needsCredentials) = (client.connectivity, client.needsCredentials)
    return health
  }

  /// The outbox's health now, and after each change of its content or of the connection. The age of the oldest
  /// message is that of the last change: the passing of time alone causes no update.
  ///
  /// ```swift
  /// for await health in client.outbox.healthChanges() { badge.count = health.waiting }
  /// ```
  public func healthChanges() -> some AsyncSequence<OutboxHealth, Never> & Sendable {
    SnapshotSequence(
      client: client,
      unread: OutboxHealth(waiting: 0, held: 0, failed: 0, connectivity: client.connectivity),
      concerns: { $0.outbox || $0.link }
    ) { try health() }
  }

  /// Retries everything that has failed: messages, operations, and the conversations that the server has refused, as
  /// ``MessageHandle/retry()`` and ``ConversationHandle/retry()`` do for one. Failed entries are sent in their old
  /// order. Held messages stay held, because their user decides about them.
  ///
  /// ```swift
  /// let failed = try client.outbox.health().failed
  /// if failed > 0 { Button("Try \(failed) again") { Task { try await client.outbox.retryAll() } } }
  /// ```
  ///
  /// Costs one pass over the outbox, one over the conversations, and one transaction. After a crash all of it has been
  /// queued, or nothing.
  ///
  /// - Throws: ``ChatError`` with a storage code.
  public func retryAll() async throws(ChatError) { try await client.perform { try $0.retries.retryAll() } }

  /// The held messages now, and after each change (rule O16).
  ///
  /// ```swift
  /// for await held in client.outbox.heldMessages() where held.isAsked {
  ///   let answer = await ask(held.title, held.sentence)
  ///   try client.outbox.answerHeld(answer)
  /// }
  /// ```
  public func heldMessages() -> some AsyncSequence<HeldMessages, Never> & Sendable {
    SnapshotSequence(
      client: client, unread: HeldMessages(count: 0, conversations: 0, oldest: nil, isAsked: false),
      concerns: \.outbox
    ) { try client.held.snapshot() }
  }

  /// Answers the question for all held messages. ``MessageHandle`` decides about one of them.
  ///
  /// - Throws: ``ChatError`` with a storage code, or `draftTooLong`. The messages that failed are
  ///   still
  ///   held, and the question stays. Each conversation that goes back to its composer is a transaction of its own,
  ///   and
  ///   sending is one transaction for all. Finished parts survive a crash; *keep waiting* changes nothing on disk.
  public func answerHeld(_ answer: HeldMessages.Answer) throws(ChatError) {
    try client.held.answer(answer, drafts: client.drafts)
  }

  /// Counts what signing out would lose: unsent content, and everything else that only this device has. Typed content
  /// is stored first, so that it counts.
  ///
  /// ```swift
  /// let unsent = try client.outbox.unsentSummary()
  /// if !unsent.isEmpty, await !ask("Sign out?", "\(unsent.messages) messages have not been sent.") { return }
  /// try await client.erase()
  /// ```
  ///
  /// - Throws: ``ChatError`` with the code of a draft that cannot be saved, such as `draftTooLong`, with
  ///   a storage code, or with `suspended`.
  public func unsentSummary() throws(ChatError) -> UnsentSummary {
    try client.drafts.saveAll()
    let hasServer = client.transport.capabilities.hasServer
    return try client.store.read { try $0.outbox.unsentSummary(hasServer: hasServer) }
  }

  /// The texts that only this device has, by conversation, for their user to keep: drafts, unsent messages, messages of
  /// conversations on this device alone, recorded and imported messages, and unfinished replies. Attachments are named,
  /// but not included. Typed content is stored first, so that it is included.
  ///
  /// The text is made in memory. For a long history on the device alone, `exportHistory(to:)` of
  /// HoldfastRescue writes a file instead.
  ///
  /// ```swift
  /// try client.outbox.exportUnsent().write(to: url, atomically: true, encoding: .utf8)
  /// ```
  ///
  /// - Returns: plain text. Empty when nothing is unsent.
  /// - Throws: as ``unsentSummary()``.
  public func exportUnsent() throws(ChatError) -> String {
    try client.drafts.saveAll()
    // On a full disk the newest text of a reply is left out, and everything else is exported.
    try? client.store.foldTail()
    let hasServer = client.transport.capabilities.hasServer
    return try client.store.read { try $0.outbox.unsentTexts(hasServer: hasServer) }.map {
      $0.plainText(with: client.configuration.texts)
    }
    .joined(separator: "\n")
  }

  /// The number of unsent entries, failed ones included: messages, and operations on them.
  package func unsentCount() throws(ChatError) -> Int {
    try client.store.read { try $0.outbox.unsentCount() }
  }
}
