import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Decides which messages are sent, and when. Each conversation has a lane (its send queue), which keeps its messages
/// in order. docs/engine.md draws the whole way of a message.
///
/// ```
///   sharedState ── lanes to visit ──► transmit: room in the lane? may it be sent? ──────► connection.send
///                                 │ needs an upload                 │ may have arrived, and IDs are forgotten
///                                 ▼                                 ▼
///                              Uploads                          OutcomeLookup
/// ```
final class Outbox: InboxFollower {
  /// The largest number of messages that are in flight at once, over all lanes.
  private static let maximumInFlight = 1024

  private let context: EngineContext
  private let sharedState: SharedState
  private let uploads: Uploads
  private let outcomes: OutcomeLookup
  private let replies: Replies
  private var lanes: [ConversationKey: OutboxLane] = [:]
  private var transmissions: Int64 = 0
  /// The times of the connection's last event, and of its last answer to a message.
  private var heard: (event: ChatEnvironment.Instant?, answer: ChatEnvironment.Instant?) = (nil, nil)
  /// The revision of the names when the lanes of merged conversations were last joined.
  private var seenNames: Int

  private var store: Store { context.store }
  private var policy: ChatConfiguration.RetryPolicy { context.configuration.retry }

  init(
    _ context: EngineContext, sharedState: SharedState, uploads: Uploads, outcomes: OutcomeLookup,
    replies: Replies
  ) {
    (self.context, self.sharedState, self.uploads, self.outcomes, self.replies) = (
      context, sharedState, uploads, outcomes, replies
    )
    seenNames = context.store.names.revision
  }

  /// Sends the messages that may be sent, for as long as the connection lives.
  nonisolated(nonsending) func run(over connection: any TransportConnection) async throws {
    uploads.setWaiting([:])
    heard = (nil, nil)
    sharedState.readyQueue.insert(try store.read { try $0.outbox.conversationsToSend() })
    while !Task.isCancelled {
      let outgoing = try takeDue()
      if !outgoing.isEmpty {
        try await connection.send(outgoing)
        continue
      }
      for piece in replies.drainPieces() { try await connection.send(piece) }
      if try !endSilence() { continue }
      await context.wait(for: sharedState.signal, until: deadline)
    }
  }

  /// Decides which messages are sent, and counts the transmissions, in one transaction that costs no sync.
  private func takeDue() throws -> [OutgoingMessage] {
    let now = context.environment.uptime()
    let window = context.transport.capabilities.window
    var budget = Self.maximumInFlight - lanes.values.reduce(0) { $0 + $1.flights.count }
    guard budget > 0 else { return [] }
    let waited = lanes.filter { $0.value.waitIsOver(now: now) }.keys
    sharedState.readyQueue.insert(waited.sorted { $0.rawValue < $1.rawValue })
    let due = sharedState.readyQueue.drain(atMost: budget).filter {
      self.lanes[$0, default: OutboxLane()].room(window: window, now: now) > 0
    }
    guard !due.isEmpty else { return [] }

    var (lanes, transmissions, waiting) = (lanes, transmissions, uploads.waiting)
    var questions: [OutcomeQuery] = []
    let reading = context.waitingClock.reading(at: now)
    let outgoing = try store.writeUnsynced { transaction in
      var outgoing: [OutgoingMessage] = []
      for conversation in due {
        // A lane without room in the budget is visited when an answer makes room.
        guard budget > 0 else {
          sharedState.readyQueue.insert([conversation])
          continue
        }
        var lane = lanes[conversation] ?? OutboxLane()
        let entries = try entries(
          of: conversation, behind: lane.lastPosition,
          limit: min(budget, lane.room(window: window, now: now)), transaction)
        // Messages behind one that needs an upload wait too: the order within the conversation holds (rule O13).
        let ready = entries.prefix { !$0.waitsForUpload }
        waiting[conversation] = ready.count < entries.count ? entries[ready.count] : nil
        let leaving = ready.prefix { maySend($0, at: now) }
        let sent = lane.transmit(
          Array(leaving), window: window, now: now, nextTransmission: &transmissions)
        if leaving.isEmpty, !ready.isEmpty {
          lane.ask(ready.filter { !maySend($0, at: now) }.map(\.id))
          questions.append(OutcomeQuery(ids: lane.asked, conversation: conversation))
        }
        try transaction.outbox.countTransmissions(sent.map(\.position), at: reading)
        outgoing += try sent.compactMap { try transaction.outbox.outgoing($0, by: context.user) }
        budget -= sent.count
        lanes[conversation] = lane.isIdle ? nil : lane
      }
      return outgoing
    }
    // The decisions count only after the commit.
    (self.lanes, self.transmissions) = (lanes, transmissions)
    outcomes.ask(questions)
    uploads.setWaiting(waiting)
    show(due)
    return outgoing
  }

  /// The messages and operations that a lane has to send, in its order. Empty while the server refuses the
  /// conversation. If the app wants messages to wait behind a failed message, none behind it are included.
  private func entries(
    of conversation: ConversationKey, behind position: Int64, limit: Int, _ transaction: Transaction
  ) throws -> [OutboxEntry] {
    guard try transaction.conversations.refusal(of: conversation) == nil else { return [] }
    let entries = try sendable(in: conversation, behind: position, limit: limit, transaction)
    guard policy.afterFailure == .block, !entries.isEmpty,
      let failed = try transaction.outbox.firstFailed(in: conversation)
    else { return entries }
    return entries.filter { $0.position < failed.position }
  }

  /// Whether the entry may be sent. A transmitted message may be sent again when the backend recognizes the second
  /// copy, or when the copy has no further effect.
  private func maySend(_ entry: OutboxEntry, at now: ChatEnvironment.Instant) -> Bool {
    guard !entry.isOperation, let firstSentAt = entry.firstSentAt else { return true }
    return context.transport.capabilities.idempotency.covers(
      age: context.waitingClock.knownAge(of: firstSentAt, at: now), travelTime: policy.answerTimeout)
  }

  /// The entries that may be sent. A message during which the process ended too often is marked as failed, and the
  /// others may go.
  private func sendable(
    in conversation: ConversationKey, behind position: Int64, limit: Int, _ transaction: Transaction
  ) throws -> [OutboxEntry] {
    while true {
      let entries = try transaction.outbox.entries(of: conversation, behind: position, limit: limit)
      let suspects = entries.filter { $0.unanswered >= policy.interruptionLimit }
      guard !suspects.isEmpty else { return entries }
      for entry in suspects {
        try transaction.outbox.fail(
          entry, in: conversation,
          reason: FailureReason(.interruptedTooOften(entry.unanswered)))
      }
      // The entries are read again, because those that depend on the failed messages now wait for them.
    }
  }

  /// Records an event of the connection.
  ///
  /// - Parameter isAnswer: whether it was an answer to a transmitted message.
  func hear(isAnswer: Bool) {
    let now = context.environment.uptime()
    heard.event = now
    if isAnswer { heard.answer = now }
  }

  /// Ends the waits for overdue answers. A message that alone gets no answer spends an attempt, and the connection
  /// stays (rule B4). Returns whether no answer was overdue.
  ///
  /// - Throws: ``ConnectionFailure`` when the connection had no event since a transmission, or no other answer since
  ///   a
  ///   message was transmitted for the second time, or when the server would not recognize a second copy. It then
  ///   counts
  ///   as broken.
  private func endSilence() throws -> Bool {
    let now = context.environment.uptime()
    let silent = lanes.keys.sorted { $0.rawValue < $1.rawValue }.compactMap { conversation in
      lanes[conversation]?.silent(policy: policy, now: now)
    }
    let isKnownAgain = context.transport.capabilities.idempotency.covers(
      age: .zero, travelTime: policy.answerTimeout)
    let broken = ConnectionFailure(.timedOut, detail: "no answer to a message")
    for flight in silent {
      // A server that forgets IDs is asked on another connection, so that no copy is in flight behind the query.
      guard let event = heard.event, event > flight.sentAt, isKnownAgain else { throw broken }
      let attempts = try store.read { try $0.outbox.entry(of: flight.id)?.entry.attempts } ?? 0
      try refused(flight.id, transmission: flight.transmission, .outcomeUnknown())
      let isAnswering = heard.answer.map { $0 > flight.sentAt } ?? false
      guard isAnswering || attempts == 0 else { throw broken }
    }
    return silent.isEmpty
  }

  private var deadline: ChatEnvironment.Instant? {
    let now = context.environment.uptime()
    let waits = lanes.values.compactMap { $0.deadline(now: now) }
    let overdue = lanes.values.compactMap { $0.overdue(policy: policy) }
    return (waits + overdue).min()
  }

  /// Stores acknowledgements, which the server sends by itself or as the answer to a query. The server has these
  /// messages.
  func confirm(_ receipts: [Receipt]) throws {
    let (now, uptime) = (context.environment.now(), context.environment.uptime())
    var finished: [(conversation: ConversationKey, id: MessageID)] = []
    let newlyDelivered = try store.write { transaction in
      var arrivals = Arrivals()
      var delivered: [MessageID] = []
      for receipt in receipts {
        let conversation = transaction.key(of: receipt.conversation)
        let known = try transaction.messages.known(receipt.id)
        let decision = Reconciler.decide(known: known, receipt: receipt, in: conversation)
        let naming =
          try known.map { try transaction.messages.naming(of: receipt, $0, in: conversation) } ?? .isFree
        if naming == .isTaken {
          context.logger.warning("receipt refused: the server calls another message by this name")
        }
        let isConfirmed = decision == .confirm && naming != .isTaken
        // An acknowledgement that cannot be right is ignored: the message would be sent again at once, endlessly.
        let isFinished =
          try isConfirmed
          || (known?.isUnconfirmed != true
            && transaction.messages.accept(receipt, in: conversation, by: context.user))
        if isFinished { finished.append((conversation, receipt.id)) }
        if isConfirmed {
          try transaction.messages.confirm(
            receipt.id, in: conversation, order: receipt.order, createdAt: receipt.createdAt,
            isPlaced: receipt.order != nil || !context.transport.capabilities.placesByEvents)
        }
        if known != nil, decision != .refuse, naming != .isTaken {
          try transaction.messages.keep(naming, receipt.serverID, of: receipt.id, in: conversation)
        }
        guard isConfirmed else { continue }
        try transaction.operations.carryOutWaiting(for: receipt.id, receipt.serverID, by: context.user)
        arrivals.confirmed.insert(conversation)
        delivered.append(receipt.id)
      }
      try transaction.messages.note(arrivals, now: now)
      try transaction.metrics.add(
        DeliveryTimes.metric, context.deliveryTimes.buckets(of: delivered, now: uptime))
      return delivered.count
    }
    followJoins()
    finish(finished, delivered: newlyDelivered)
  }

  func follow(_ outcome: InboxOutcome) {
    followJoins()
    finish(outcome.confirmed, delivered: outcome.delivered.count)
  }

  /// Removes from their lanes the messages that the server has, and the operations that it has carried out.
  /// `delivered` is the number of messages that were in the outbox until now.
  func finish(_ finished: [(conversation: ConversationKey, id: MessageID)], delivered: Int) {
    if delivered > 0 {
      // Observers of the commit may have read the count before.
      sharedState.count(delivered: delivered)
      store.changes.publish(Changes(delivered: true))
    }
    guard !finished.isEmpty else { return }
    for (conversation, id) in finished {
      context.deliveryTimes.forget(id)
      lanes[conversation]?.confirm(id)
      if lanes[conversation]?.isIdle == true { lanes[conversation] = nil }
      sharedState.readyQueue.insert([conversation])
    }
    // The commit has published the messages that left the lane. No other message is explained differently.
    sharedState.set(
      lanes: finished.map { ($0.conversation, lanes[$0.conversation]) }, date: context.date(of:))
    sharedState.wake()
  }

  /// Handles the server's refusal of a message or an operation.
  func refused(_ id: MessageID, transmission: Int64, _ refusal: Refusal) throws {
    guard let (entry, conversation) = try store.read({ try $0.outbox.entry(of: id) }) else {
      return dropFlight(id)
    }
    guard var lane = lanes[conversation],
      let (verdict, recalled) = lane.refuse(
        id, transmission: transmission, refusal, attempts: entry.attempts, policy: policy,
        now: context.environment.uptime(), dice: context.environment.random())
    else { return }
    let isWord = !refusal.mayHaveArrived
    switch verdict {
    case .goBack:
      try store.writeUnsynced { try $0.outbox.forgetTransmissions(recalled, areRefused: isWord) }
    case .retry(let attempts):
      try store.write {
        try $0.outbox.forgetTransmissions(recalled, areRefused: isWord)
        try $0.outbox.setAttempts(attempts, of: entry)
        if refusal == .attachmentsMissing { try $0.attachments.forgetUploads(of: id) }
      }
    case .fail(let reason):
      try store.write {
        try $0.outbox.forgetTransmissions(recalled, areRefused: isWord)
        try $0.outbox.fail(entry, in: conversation, reason: reason.of(entry))
        if refusal == .attachmentsMissing { try $0.attachments.forgetUploads(of: id) }
      }
    case .stop(let reason):
      try store.write {
        try $0.outbox.forgetTransmissions(recalled, areRefused: isWord)
        // A message that was transmitted before the conversation was removed is refused too. The reason that its user
        // knows is more exact.
        if try $0.conversations.refusal(of: conversation)?.cause != .conversationRemoved {
          try $0.conversations.refuse(conversation, reason: reason)
        }
        try $0.deliveries.noteFailure(of: entry, in: conversation, reason: reason)
      }
    }
    lanes[conversation] = lane
    sharedState.readyQueue.insert([conversation])
    sharedState.wake()
    show([conversation])
  }

  /// Stores the server's answer to a question about messages that may have arrived.
  func resolve(_ question: OutcomeQuery, _ outcomes: [MessageID: OutgoingMessage.DeliveryOutcome]) throws {
    let (receipts, absent) = question.sorted(outcomes)
    if !receipts.isEmpty { try confirm(receipts) }
    try store.write { transaction in
      try transaction.outbox.noteAbsent(absent)
      // An acknowledgement that cannot be right counts as a missing one.
      for id in question.ids where !absent.contains(id) {
        guard let (entry, conversation) = try transaction.outbox.entry(of: id) else { continue }
        try transaction.outbox.fail(
          entry, in: conversation, reason: FailureReason(.outcomeUnknown))
      }
    }
    followJoins()
    let conversation = store.names.whole(of: question.conversation)
    lanes[conversation]?.answered(question.ids)
    if lanes[conversation]?.isIdle == true { lanes[conversation] = nil }
    sharedState.readyQueue.insert([conversation])
    sharedState.wake()
    show([conversation])
  }

  /// Drops an in-flight message whose conversation was deleted: nothing waits for its answer.
  private func dropFlight(_ id: MessageID) {
    let flown = lanes.filter { $0.value.flights.contains { $0.id == id } }
    finish(flown.keys.map { ($0, id) }, delivered: 0)
  }

  /// Ends the waits of these lanes, because the user wants their messages sent now. A wait that the server asked for
  /// stays.
  ///
  /// - Parameter conversations: nil for all lanes.
  func endWaits(of conversations: [ConversationKey]? = nil) {
    let conversations = conversations ?? Array(lanes.keys)
    for conversation in conversations { lanes[conversation]?.nudge() }
    sharedState.readyQueue.insert(conversations.sorted { $0.rawValue < $1.rawValue })
    sharedState.wake()
    show(conversations)
  }

  /// Drops the transmissions of a connection that has ended. Their messages are sent again on the next connection.
  func recall() {
    let (ended, inFlight) = (Array(lanes.keys), lanes.values.flatMap(\.flights))
    defer { show(ended) }
    lanes = [:]
    outcomes.forget()
    guard !inFlight.isEmpty else { return }
    forget(inFlight)
  }

  /// Joins the lanes of conversations that were merged, here or by another process.
  private func followJoins() {
    guard seenNames != store.names.revision else { return }
    seenNames = store.names.revision
    let joined = lanes.keys.filter { store.names.whole(of: $0) != $0 }
    for key in joined.sorted(by: { $0.rawValue < $1.rawValue }) {
      joinLane(key, into: store.names.whole(of: key))
    }
  }

  /// Moves a lane to the conversation that its own was merged into. In-flight messages stay in flight. Two lanes with
  /// in-flight messages cannot become one: these messages are sent again, in the order of the outbox, under the IDs
  /// by which the server recognizes them.
  private func joinLane(_ old: ConversationKey, into new: ConversationKey) {
    sharedState.readyQueue.insert([new])
    uploads.join(old, into: new)
    defer { show([old, new]) }
    guard let lane = lanes.removeValue(forKey: old) else { return }
    guard let other = lanes[new], !other.isIdle else {
      lanes[new] = lane
      return
    }
    guard !lane.isIdle else { return }
    lanes[new] = nil
    forget(lane.flights + other.flights)
  }

  private func forget(_ transmitted: [OutboxLane.Flight]) {
    do {
      try store.writeUnsynced { try $0.outbox.forgetTransmissions(transmitted, areRefused: false) }
    } catch {
      // They count as transmissions without an answer. Only many of them make a message fail.
      context.logger.error("transmissions not recalled", metadata: ["code": "\(error.code)"])
    }
  }

  /// Publishes the present state of these lanes, which decides the status of their messages.
  private func show(_ conversations: [ConversationKey]) {
    let changed = sharedState.set(
      lanes: conversations.map { ($0, lanes[$0]) }, date: context.date(of:))
    if !changed.isEmpty { store.changes.publish(Changes(statuses: changed)) }
  }
}

extension FailureReason {
  /// An operation is idempotent, so nobody has to be asked whether it has arrived.
  fileprivate func of(_ entry: OutboxEntry) -> FailureReason {
    guard entry.isOperation, code == .outcomeUnknown else { return self }
    return FailureReason(.attemptsSpent(entry.attempts + 1))
  }
}
