import Foundation

extension ChatClient {
  /// At most this many messages are on their way at once, over all lanes.
  private static let maximumInFlight = 1024

  /// Sends what may leave, for as long as the connection lives.
  func pumpOutbox(_ connection: any TransportConnection) async throws {
    waitingForUploads = [:]
    lanesToVisit.insert(try store.read { try $0.conversationsToSend() })
    while !Task.isCancelled {
      let departures = try depart()
      if !departures.isEmpty {
        try await connection.send(departures)
        continue
      }
      for piece in takePieces() { try await connection.send(piece) }
      try requireAnswers()
      await outboxSignal.wait(until: outboxDeadline(), in: environment)
    }
  }

  /// Decides who leaves and counts the departures, in one transaction that costs no sync.
  private func depart() throws -> [OutgoingMessage] {
    let now = environment.uptime()
    let window = transport.guarantees.window
    var budget = Self.maximumInFlight - lanes.values.reduce(0) { $0 + $1.flights.count }
    guard budget > 0 else { return [] }
    let waited = lanes.filter { $0.value.waitIsOver(now: now) }.keys
    lanesToVisit.insert(waited.sorted { $0.rawValue < $1.rawValue })
    let due = lanesToVisit.take(budget).filter {
      self.lanes[$0, default: OutboxLane()].room(window: window, now: now) > 0
    }
    guard !due.isEmpty else { return [] }

    var (lanes, handovers, waiting) = (lanes, handovers, waitingForUploads)
    let outgoing = try store.writeUnsynced { transaction in
      var outgoing: [OutgoingMessage] = []
      for conversation in due {
        // A lane that finds no room in the budget is visited when an answer makes some.
        guard budget > 0 else {
          lanesToVisit.insert([conversation])
          continue
        }
        var lane = lanes[conversation] ?? OutboxLane()
        let entries = try sendable(
          in: conversation, behind: lane.lastPosition,
          limit: min(budget, lane.room(window: window, now: now)), transaction)
        // What is behind a message waits with it: the order within the conversation holds (SPEC O13).
        let ready = entries.prefix { !$0.waitsForUpload }
        waiting[conversation] = ready.count < entries.count ? entries[ready.count] : nil
        let departures = lane.depart(
          Array(ready), window: window, now: now, nextHandover: &handovers)
        try transaction.countDepartures(departures.map(\.position))
        outgoing += try departures.compactMap { try transaction.db.outgoing($0) }
        budget -= departures.count
        lanes[conversation] = lane
      }
      return outgoing
    }
    // Only a commit makes it true.
    (self.lanes, self.handovers, waitingForUploads) = (lanes, handovers, waiting)
    if !waiting.isEmpty { uploadSignal.raise() }
    store.changes.publish(Changes(standing: true))
    return outgoing
  }

  /// Stops those that have ended the process too often; the others may go.
  private func sendable(
    in conversation: ConversationID, behind position: Int64, limit: Int, _ transaction: Transaction
  ) throws -> [OutboxEntry] {
    while true {
      let entries = try transaction.db.outboxEntries(of: conversation, behind: position, limit: limit)
      let poison = entries.filter { $0.unanswered >= policy.interruptionLimit }
      guard !poison.isEmpty else { return entries }
      for entry in poison {
        try transaction.park(
          entry, in: conversation,
          reason: FailureReason(
            .interruptedTooOften, "The app ended \(entry.unanswered) times while this message was being sent."
          ))
      }
      // Read again: what depends on those that were stopped waits for them now.
    }
  }

  /// A connection that owes an answer for too long is broken, whatever it says.
  private func requireAnswers() throws {
    guard let overdue = lanes.values.compactMap({ $0.overdue(policy: policy) }).min(),
      overdue <= environment.uptime()
    else { return }
    throw LinkFailure(.timedOut, detail: "no answer to a message")
  }

  private func outboxDeadline() -> ChatEnvironment.Instant? {
    let now = environment.uptime()
    let waits = lanes.values.compactMap { $0.deadline(now: now) }
    let overdue = lanes.values.compactMap { $0.overdue(policy: policy) }
    return (waits + overdue).min()
  }

  private func takePieces() -> [StreamPiece] {
    defer { outgoingPieces = [] }
    return outgoingPieces
  }

  /// The server did not take a message or an operation.
  func refused(_ id: MessageID, handover: Int64, _ refusal: Refusal) throws {
    guard let (entry, conversation) = try store.read({ try $0.outboxEntry(of: id) }),
      var lane = lanes[conversation],
      let (verdict, recalled) = lane.refuse(
        id, handover: handover, refusal, attempts: entry.attempts, policy: policy, now: environment.uptime(),
        dice: environment.random())
    else { return }
    switch verdict {
    case .goBack:
      try store.writeUnsynced { try $0.forgetDepartures(recalled, areRefused: true) }
    case .retry(let attempts):
      try store.write {
        try $0.forgetDepartures(recalled, areRefused: true)
        try $0.setAttempts(attempts, of: entry)
        if refusal == .attachmentsMissing { try $0.forgetUploads(of: id) }
      }
    case .park(let reason):
      try store.write {
        try $0.forgetDepartures(recalled, areRefused: true)
        try $0.park(entry, in: conversation, reason: reason)
        if refusal == .attachmentsMissing { try $0.forgetUploads(of: id) }
      }
    }
    lanes[conversation] = lane
    lanesToVisit.insert([conversation])
    outboxSignal.raise()
    store.changes.publish(Changes(standing: true))
  }

  /// The server has these messages, and has carried out these operations.
  func settle(_ settled: [(conversation: ConversationID, id: MessageID)]) {
    guard !settled.isEmpty else { return }
    for (conversation, id) in settled {
      deliveryTimes.forget(id)
      lanes[conversation]?.settle(id)
      if lanes[conversation]?.isIdle == true { lanes[conversation] = nil }
      lanesToVisit.insert([conversation])
    }
    outboxSignal.raise()
  }

  /// Whoever is at the device wants it now: the lanes wait no longer than the server asked them to.
  func endWaits(of conversations: [ConversationID]) {
    for conversation in conversations { lanes[conversation]?.nudge() }
    lanesToVisit.insert(conversations.sorted { $0.rawValue < $1.rawValue })
    outboxSignal.raise()
    store.changes.publish(Changes(standing: true))
  }

  /// The connection is gone: what was on its way leaves again on the next one.
  func recallDepartures() {
    let departed = lanes.values.flatMap(\.flights)
    lanes = [:]
    guard !departed.isEmpty else { return }
    do {
      try store.writeUnsynced { try $0.forgetDepartures(departed, areRefused: false) }
    } catch {
      // They count as departures without an answer then, which stops a message only after many.
      logger.error("departures not recalled", metadata: ["code": "\(error.code)"])
    }
  }
}
