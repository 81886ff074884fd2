import Foundation
import HoldfastCore
import HoldfastStore

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
      for piece in outgoingPieces.take() { try await connection.send(piece) }
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

    var (lanes, handovers, questions, waiting) = (lanes, handovers, questions, waitingForUploads)
    let reading = waitingClock.reading(at: now)
    let outgoing = try store.writeUnsynced { transaction in
      var outgoing: [OutgoingMessage] = []
      for conversation in due {
        // A lane that finds no room in the budget is visited when an answer makes some.
        guard budget > 0 else {
          lanesToVisit.insert([conversation])
          continue
        }
        var lane = lanes[conversation] ?? OutboxLane()
        let entries = try entries(
          of: conversation, behind: lane.lastPosition,
          limit: min(budget, lane.room(window: window, now: now)), transaction)
        // What is behind a message waits with it: the order within the conversation holds (SPEC O13).
        let ready = entries.prefix { !$0.waitsForUpload }
        waiting[conversation] = ready.count < entries.count ? entries[ready.count] : nil
        let leaving = ready.prefix { maySend($0, at: now) }
        let departures = lane.depart(Array(leaving), window: window, now: now, nextHandover: &handovers)
        if leaving.isEmpty, !ready.isEmpty {
          lane.ask(ready.filter { !maySend($0, at: now) }.map(\.id))
          questions.append(FateQuestion(ids: lane.asked, conversation: conversation))
        }
        try transaction.countDepartures(departures.map(\.position), at: reading)
        outgoing += try departures.compactMap { try transaction.outgoing($0) }
        budget -= departures.count
        lanes[conversation] = lane.isIdle ? nil : lane
      }
      return outgoing
    }
    // Only a commit makes it true.
    (self.lanes, self.handovers, self.questions) = (lanes, handovers, questions)
    waitingForUploads = waiting
    if !questions.isEmpty { questionSignal.raise() }
    if !waiting.isEmpty { uploadSignal.raise() }
    store.changes.publish(Changes(standing: true))
    return outgoing
  }

  /// What a lane has to send, in its order: nothing while the server refuses the conversation, and nothing behind a
  /// failed message where the app wants it so, operations neither.
  private func entries(
    of conversation: ConversationID, behind position: Int64, limit: Int, _ transaction: Transaction
  ) throws -> [OutboxEntry] {
    guard try transaction.refusal(of: conversation) == nil else { return [] }
    let entries = try sendable(in: conversation, behind: position, limit: limit, transaction)
    guard policy.behindFailed == .wait, !entries.isEmpty,
      let failed = try transaction.firstFailed(in: conversation)
    else { return entries }
    return entries.filter { $0.position < failed.position }
  }

  /// Whether a second copy, if there is a first one, is recognised by the backend, or does no more than the first.
  private func maySend(_ entry: OutboxEntry, at now: ChatEnvironment.Instant) -> Bool {
    guard !entry.isOperation, let departedAt = entry.departedAt else { return true }
    return transport.guarantees.idempotency.covers(
      age: waitingClock.knownAge(of: departedAt, at: now), travelTime: policy.answerTimeout)
  }

  /// Stops those that have ended the process too often; the others may go.
  private func sendable(
    in conversation: ConversationID, behind position: Int64, limit: Int, _ transaction: Transaction
  ) throws -> [OutboxEntry] {
    while true {
      let entries = try transaction.outboxEntries(of: conversation, behind: position, limit: limit)
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

  /// The server did not take a message or an operation.
  package func refused(_ id: MessageID, handover: Int64, _ refusal: Refusal) throws {
    guard let (entry, conversation) = try store.read({ try $0.outboxEntry(of: id) }) else {
      return dropFlight(id)
    }
    guard var lane = lanes[conversation],
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
    case .stop(let reason):
      try store.write {
        try $0.forgetDepartures(recalled, areRefused: true)
        try $0.refuse(conversation, reason: reason)
      }
    }
    lanes[conversation] = lane
    lanesToVisit.insert([conversation])
    outboxSignal.raise()
    store.changes.publish(Changes(standing: true))
  }

  /// Whatever was said of it, its conversation was deleted meanwhile: nobody waits for it any more.
  private func dropFlight(_ id: MessageID) {
    let flown = lanes.filter { $0.value.flights.contains { $0.id == id } }
    settle(flown.keys.map { ($0, id) }, delivered: 0)
  }

  /// The server has these messages, and has carried out these operations. `delivered` messages were in the outbox until
  /// now.
  package func settle(_ settled: [(conversation: ConversationID, id: MessageID)], delivered: Int) {
    live.count(delivered: delivered)
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
    questions = []
    guard !departed.isEmpty else { return }
    do {
      try store.writeUnsynced { try $0.forgetDepartures(departed, areRefused: false) }
    } catch {
      // They count as departures without an answer then, which stops a message only after many.
      logger.error("departures not recalled", metadata: ["code": "\(error.code)"])
    }
  }
}
