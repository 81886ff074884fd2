import HoldfastCore
import HoldfastStore

/// Deliveries and failures as events, for an app that keeps its messages itself (SPEC L8).
extension OutboxHandle {
  /// The outcomes of this account's messages behind a number, in their order: each delivery, and each failure. Empty
  /// when there are none, and in a store that does not record them (``ChatConfiguration/recordsDeliveries``).
  ///
  /// The transaction that settles a message records its outcome, and the outcome stays until the app forgets it. So the
  /// app is told exactly once if it stores the number of the last outcome in its own transaction, together with what
  /// that outcome changes. ``nextDeliveries(after:limit:)`` has an example.
  ///
  /// A message that the user cancels, deletes or takes back has no outcome. When the server refuses a whole
  /// conversation, the message that it answered has a failure, and those behind it wait. Costs one read.
  ///
  /// - Parameters:
  ///   - number: the last outcome that the app has stored. 0 at first.
  ///   - limit: the largest number of outcomes.
  /// - Throws: ``ChatError`` with a code that starts with `storage`, or `suspended`.
  public func deliveries(
    after number: Int64, limit: Int = 100
  ) throws(ChatError) -> [OutgoingMessage.Delivery] {
    try client.store.read { try $0.deliveries(after: number, limit: max(limit, 0)) }.map {
      var delivery = $0
      delivery.failure?.word(with: client.configuration.texts)
      return delivery
    }
  }

  /// The outcomes behind a number, as soon as there are any. It waits for a commit and does not poll.
  ///
  /// ```swift
  /// var last = try table.lastDelivery()                             // 0 at first
  /// while !Task.isCancelled {
  ///   let news = try await client.outbox.nextDeliveries(after: last)
  ///   guard let newest = news.last?.number else { break }
  ///   try table.transaction {                                       // the app's own transaction
  ///     for delivery in news { table.settle(delivery.message, failure: delivery.failure) }
  ///     table.lastDelivery = newest
  ///   }
  ///   try client.outbox.forgetDeliveries(upTo: newest, andMessages: true)
  ///   last = newest
  /// }
  /// ```
  ///
  /// Nothing is marked as told by this call: after a crash, the app asks again behind the number that it has stored.
  ///
  /// - Returns: at least one outcome. None when the task is cancelled.
  /// - Throws: as ``deliveries(after:limit:)``.
  public nonisolated(nonsending) func nextDeliveries(
    after number: Int64, limit: Int = 100
  ) async throws(ChatError) -> [OutgoingMessage.Delivery] {
    let (signal, changes) = (Signal(), client.store.changes)
    let subscription = changes.subscribe(signal, to: \.deliveries)
    defer { changes.unsubscribe(subscription) }
    while !Task.isCancelled {
      let found = try deliveries(after: number, limit: max(limit, 1))
      guard found.isEmpty else { return found }
      await signal.wait()
    }
    return []
  }

  /// Forgets the outcomes up to a number, which the app has stored. With `andMessages`, the delivered messages leave
  /// the store too, with their texts, files and words in the search. The server keeps them, and they do not come back
  /// from it. Only their IDs stay.
  ///
  /// A message stays, with its outcome, while an unsent change, a draft or Undo still needs it. The next call tries
  /// again. Failed messages stay in the outbox until the user decides about them.
  ///
  /// One transaction, on disk when the call returns. With `andMessages` it costs a few writes for each message, and the
  /// journal is emptied.
  ///
  /// - Parameter number: the last outcome that the app has stored.
  /// - Throws: ``ChatError`` with a code that starts with `storage`, or `suspended`. Nothing is forgotten then.
  public func forgetDeliveries(upTo number: Int64, andMessages: Bool = false) throws(ChatError) {
    try client.store.write { try $0.forgetDeliveries(upTo: number, andMessages: andMessages) }
  }
}
