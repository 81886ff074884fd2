import HoldfastCore
import HoldfastStore

/// Deliveries and failures as events, for an app that keeps its messages itself (rule L8).
extension OutboxHandle {
  /// The outcomes of this account's messages after a number, in order: each delivery, and each failure. Stored
  /// outcomes come at once, and later ones as soon as they are recorded. Nothing comes in a store that does not
  /// record them (``ChatConfiguration/recordsDeliveries``).
  ///
  /// ```swift
  /// for try await news in client.outbox.deliveries(after: table.lastDelivery) {
  ///   try table.transaction {                                       // the app's own transaction
  ///     for delivery in news { table.record(delivery.message, failure: delivery.failure) }
  ///     table.lastDelivery = news.last!.number
  ///   }
  ///   try client.outbox.acknowledge(upTo: news.last!.number, forgettingMessages: true)
  /// }
  /// ```
  ///
  /// The transaction that delivers or fails a message records its outcome, and the outcome stays until the app
  /// acknowledges it. So the app gets each outcome exactly once if it stores the number of the last outcome in its
  /// own transaction, together with what that outcome changes: after a crash, it asks again after the number that it
  /// has stored.
  ///
  /// A message that was sent in the last moment before a crash may have no row in the table yet. An app that writes
  /// its row after the send looks for such messages first (``ConversationHandle/messages(last:)``), and gives them
  /// rows: otherwise the outcome would change no row, and then be forgotten.
  ///
  /// A message that the user cancels, deletes or takes back has no outcome. When the server refuses a whole
  /// conversation, the message that it answered has a failure, and those behind it wait. Each element costs one read.
  /// The sequence waits for commits and does not poll. It ends when its task is cancelled, and throws a ``ChatError``
  /// with a storage code, or `suspended`.
  ///
  /// - Parameters:
  ///   - number: the last outcome that the app has stored. 0 at first.
  ///   - limit: the largest number of outcomes in one element. Each has at least one.
  public func deliveries(
    after number: Int64, limit: Int = 100
  ) -> some AsyncSequence<[OutboxOutcome], ChatError> & Sendable {
    DeliverySequence(outbox: self, number: number, limit: limit)
  }

  /// Forgets the outcomes up to a number, which the app has stored. With `forgettingMessages`, the delivered messages
  /// are deleted from the store too, with their texts, files and words in the search. The server keeps them, and they
  /// do not come back from it. Only their IDs stay.
  ///
  /// A message stays, with its outcome, while an unsent change, a draft or Undo still needs it. The next call tries
  /// again. Failed messages stay in the outbox until the user decides about them.
  ///
  /// One transaction, on disk when the call returns. With `forgettingMessages` it costs a few writes for each
  /// message, and the journal is emptied.
  ///
  /// - Parameter forgettingMessages: whether the messages of these outcomes are deleted too, because the app has them
  ///   in a
  ///   table of its own.
  /// - Parameter number: the last outcome that the app has stored.
  /// - Throws: ``ChatError`` with a storage code, or `suspended`. Nothing is forgotten then.
  public func acknowledge(upTo number: Int64, forgettingMessages: Bool = false) throws(ChatError) {
    try client.store.write { try $0.deliveries.forget(upTo: number, andMessages: forgettingMessages) }
  }
}

extension OutboxHandle {
  /// The recorded outcomes after a number.
  package func storedDeliveries(
    after number: Int64, limit: Int = 100
  ) throws(ChatError) -> [OutboxOutcome] {
    try client.store.read { try $0.deliveries.next(after: number, limit: max(limit, 0)) }.map {
      var delivery = $0
      delivery.failure?.localize(with: client.configuration.texts)
      return delivery
    }
  }

  /// The outcomes after a number, as soon as there are any. None when the task is cancelled.
  package nonisolated(nonsending) func nextDeliveries(
    after number: Int64, limit: Int = 100
  ) async throws(ChatError) -> [OutboxOutcome] {
    let (signal, changes) = (Signal(), client.store.changes)
    let subscription = changes.subscribe(signal, to: \.deliveries)
    defer { changes.unsubscribe(subscription) }
    while !Task.isCancelled {
      let found = try storedDeliveries(after: number, limit: max(limit, 1))
      guard found.isEmpty else { return found }
      await signal.wait()
    }
    return []
  }
}

/// The outcomes after a number. Each loop begins at that number.
private struct DeliverySequence: AsyncSequence, Sendable {
  typealias Element = [OutboxOutcome]
  typealias Failure = ChatError

  let outbox: OutboxHandle
  let number: Int64
  let limit: Int

  func makeAsyncIterator() -> Iterator { Iterator(outbox: outbox, number: number, limit: limit) }

  struct Iterator: AsyncIteratorProtocol {
    let outbox: OutboxHandle
    var number: Int64
    let limit: Int

    mutating func next(isolation actor: isolated (any Actor)?) async throws(ChatError) -> Element? {
      let news = try await outbox.nextDeliveries(after: number, limit: limit)
      guard let last = news.last else { return nil }
      number = last.number
      return news
    }
  }
}
