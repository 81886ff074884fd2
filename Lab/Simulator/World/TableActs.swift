import Holdfast
import HoldfastTesting

/// An app that keeps its messages in its own table, and is notified of each delivery and each failure (rule L8).
extension SimulatedPhone {
  /// Whether the phone's app has a table.
  var hasTable: Bool { world.hasTable(device) }

  /// Takes outcomes into the table for as long as the process lives: first into the table, and then the engine
  /// deletes them, eventually.
  func keepTable(_ client: ChatClient, _ gate: CrashGate) async {
    while !Task.isCancelled, !gate.isDead {
      let (limit, pause) = world.scheduler.draw { random in
        (Int.random(in: 1...4, using: &random), random.chance(0.5) ? .zero : random.milliseconds(0...2000))
      }
      let news: [OutboxOutcome]
      do {
        news = try await client.outbox.nextDeliveries(after: table.value.last, limit: limit)
      } catch {
        if !gate.isDead { fail("a refusal has a reason", expected: "outcomes", found: "\(error.code)") }
        return
      }
      // The process may end between the call and the table's commit.
      try? await world.scheduler.sleep(until: world.scheduler.now + pause)
      guard !Task.isCancelled, !gate.isDead, !news.isEmpty else { return }
      if let violation = table.value.violation(in: news) { fail(violation) }
      do {
        try gate.willCommit()
        table.update { $0.outcomes += news }
        world.trace(name, "receives \(news.map(\.summary).joined(separator: ", "))")
        world.count(deed: "receive an outcome")
        try gate.didCommit()
      } catch {
        guard !gate.isDead else { return }
        // The disk is full. The engine repeats the outcomes.
        try? await world.scheduler.sleep(until: world.scheduler.now + .seconds(1))
        continue
      }
      forgetOutcomes(client, gate)
    }
  }

  /// Lets the engine delete outcomes now and then, and never more than the table has.
  private func forgetOutcomes(_ client: ChatClient, _ gate: CrashGate) {
    let outcomes = table.value.outcomes
    guard let number = world.scheduler.draw({ $0.chance(0.6) ? $0.pick(outcomes.suffix(3)) : nil })?.number
    else {
      return
    }
    let before = table.value.mayBeForgotten
    table.update { _ = $0.mayBeForgotten.insert(number) }
    let isDone = (try? client.outbox.acknowledge(upTo: number)) != nil
    guard !gate.isDead else { return }
    // A refused call has deleted nothing.
    table.update { table in
      table.mayBeForgotten = before
      if isDone { table.forgotten = max(table.forgotten, number) }
    }
    if isDone { world.count(deed: "forget outcomes") }
  }

  /// Checks that the engine reports the outcome of each of this phone's messages: once, until the app lets it be
  /// deleted, and in the transaction in which it happens.
  func checkTable(_ client: ChatClient) {
    guard hasTable, let found = try? client.outbox.storedDeliveries(after: 0, limit: .max) else { return }
    let table = table.value
    if !table.isRepeated(found) {
      fail(
        Violation(
          promise: "an outcome is delivered until it is forgotten",
          expected: "those behind \(table.forgotten) again: \(table.outcomes.suffix(5).map(\.summary))",
          found: "\(found.prefix(5).map(\.summary))"))
    }
    let news = found.filter { $0.number > table.last }
    if let violation = table.violation(in: news) { fail(violation) }
    let outcomes = table.outcomes + news
    let last = Dictionary(outcomes.map { ($0.message, $0) }) { $1 }
    for conversation in conversations {
      let own = Set(promises.sent(by: device, in: conversation).map(\.id))
      let rows = (try? screen.fresh(conversation, of: client).rows) ?? []
      for row in rows where own.contains(row.id) && row.status.isComplete {
        if let violation = violation(row, last[row.id], retried: table.retried[row.id]) { fail(violation) }
      }
    }
    guard world.plan.onDevice > 0 else { return }
    for row in promises.devices[device].rows where row.isReported && last[row.id]?.deliveredAt == nil {
      fail(
        Violation(
          promise: "what is delivered is reported", expected: "\(row.id) to be reported",
          found: "nothing of it"))
    }
  }

  /// Compares a row with the last outcome of its message.
  private func violation(
    _ row: MessageRow, _ last: OutboxOutcome?, retried: Int64?
  ) -> Violation? {
    let found = last?.summary ?? "nothing"
    switch row.status.state {
    case .delivered, .streaming, .interrupted:
      guard last?.deliveredAt == nil else { return nil }
      return Violation(
        promise: "what is delivered is reported", expected: "\(row.id) to be delivered", found: found)
    case .failed:
      guard let reason = row.status.failure,
        last?.failure != reason || last.map({ $0.number <= retried ?? 0 }) == true
      else { return nil }
      return Violation(
        promise: "a failure is reported", expected: "\(row.id) to have failed as \(reason.code.rawValue)",
        found: found)
    case .queued, .sending, .held:
      guard last?.deliveredAt != nil else { return nil }
      return Violation(
        promise: "only what is delivered is reported", expected: "\(row.id) to wait", found: found)
    }
  }

  /// The number of the newest outcome of all. Nil when the app has no table.
  func newestOutcome(_ client: ChatClient) -> Int64? {
    guard hasTable else { return nil }
    let newest = (try? client.outbox.storedDeliveries(after: table.value.last, limit: .max))?.last
    return newest?.number ?? table.value.last
  }

  private func fail(_ violation: Violation) {
    fail(violation.promise, expected: violation.expected, found: violation.found)
  }
}

extension OutboxOutcome {
  fileprivate var summary: String {
    "\(message) \(failure.map { "failed as \($0.code.rawValue)" } ?? "delivered") by \(number)"
  }
}
