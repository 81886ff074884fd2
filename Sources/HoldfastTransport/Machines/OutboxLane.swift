import HoldfastCore

/// The lane of one conversation: the messages and operations that are queued for the server or in flight. The lane
/// decides which of them are sent, and the effect of an answer. It treats messages and operations alike. Pure: it
/// reads no clock, sends nothing and stores nothing; the queue itself is in the store.
///
/// ```
///            transmit               acknowledgement or echo
///   queued ───────────► in flight ─────────────────────────► confirmed
///     ▲                  │ │ │ │
///     │ gap ─────────────┘ │ │ └─ rejected ─────────────────► failed
///     ├─ busy: all wait ───┘ │
///     └─ transient, missing ─┴─ the last attempt ───────────► failed
///
///   queued, may have arrived ──► asked ──┬─ it has ─────────► confirmed
///                                        ├─ it has not ─────► queued
///                                        └─ unknown ────────► failed
/// ```
///
/// An ambiguous refusal (rule B4) leaves the message in the queue as one that may have arrived.
///
/// When the connection ends, every pending answer is lost: the lane is dropped, and the next connection starts from
/// the store. That also ends every wait. A nudge, by the user or by the app that comes to the foreground, ends the
/// waits that this side chose. It does not end a wait that the server asked for.
///
/// Where the server refuses a message whose predecessor it lacks, a window of messages is in flight. After any
/// refusal, the messages behind the refused one go back too.
///
/// A retried message may be on the server already, before messages that precede it here. It is sent only when nothing
/// is in flight. In a window, its acknowledgement would not confirm the messages before it, and the message behind it
/// could overtake them.
package struct OutboxLane: Equatable, Sendable {
  package struct Flight: Equatable, Sendable {
    package var position: Int64
    package var id: MessageID
    package var transmission: Int64
    package var sentAt: ChatEnvironment.Instant
  }

  /// A message that is sent now. The server may take it only after `predecessor`.
  package struct Transmission: Equatable, Sendable {
    package var position: Int64
    package var id: MessageID
    package var predecessor: MessageID?
    package var transmission: Int64
  }

  package enum Verdict: Equatable, Sendable {
    /// The message is not at fault. It is sent again when the lane is ready.
    case goBack
    /// One attempt is spent. The message is sent again when the lane is ready.
    case retry(attempts: Int)
    case fail(FailureReason)
    /// The server refuses the whole conversation and not just this message: all of its messages wait.
    case stop(FailureReason)
  }

  /// The messages in flight, in the order of their transmission.
  package private(set) var flights: [Flight] = []
  /// Nothing is sent before this instant. Nil: messages are sent at once.
  package private(set) var notBefore: ChatEnvironment.Instant?
  /// The server asked for nothing before this instant. Nil when it did not ask.
  private var askedUntil: ChatEnvironment.Instant?
  private var linkFaults = 0
  /// The messages that the server is asked about. Nothing is sent until it answers.
  package private(set) var asked: [MessageID] = []

  package init(flights: [Flight] = [], notBefore: ChatEnvironment.Instant? = nil, asked: [MessageID] = []) {
    self.flights = flights
    self.notBefore = notBefore
    self.asked = asked
  }

  /// The position of the last message in flight. The next entries are read from behind it.
  package var lastPosition: Int64 { flights.last?.position ?? 0 }
  package var isIdle: Bool { flights.isEmpty && notBefore == nil && asked.isEmpty }

  package func room(window: Int, now: ChatEnvironment.Instant) -> Int {
    guard asked.isEmpty else { return 0 }
    if let notBefore, notBefore > now { return 0 }
    return max(0, window - flights.count)
  }

  /// Returns the messages to send now: those of `queued`, in their order, for which there is room.
  package mutating func transmit(
    _ queued: [OutboxEntry], window: Int, now: ChatEnvironment.Instant, nextTransmission: inout Int64
  ) -> [Transmission] {
    var sent: [Transmission] = []
    for entry in queued.prefix(room(window: window, now: now)) where entry.position > lastPosition {
      if entry.mayBeOutOfOrder, !flights.isEmpty { break }
      nextTransmission += 1
      sent.append(
        Transmission(
          position: entry.position, id: entry.id, predecessor: flights.last?.id,
          transmission: nextTransmission))
      flights.append(
        Flight(position: entry.position, id: entry.id, transmission: nextTransmission, sentAt: now))
    }
    // The message that caused the wait may be gone: a lane that has nothing to send has nothing to wait for either.
    if waitIsOver(now: now) { (notBefore, askedUntil) = (nil, nil) }
    return sent
  }

  /// Records that the server is asked about these messages. They may be on the server, and must not be sent again
  /// before it has answered.
  package mutating func ask(_ ids: [MessageID]) { asked = ids }

  /// The answer about these messages is in the store. An answer about other messages changes nothing: it belongs to a
  /// query from before two lanes were joined.
  package mutating func answered(_ ids: [MessageID]) {
    if asked == ids { asked = [] }
  }

  /// The app came to the foreground, or the user asked. Only a wait that the server asked for stays.
  package mutating func nudge() {
    if notBefore != nil { notBefore = askedUntil }
    linkFaults = 0
  }

  /// The server has the message, by an acknowledgement or an echo.
  package mutating func confirm(_ id: MessageID) {
    guard let index = flights.firstIndex(where: { $0.id == id }) else { return }
    flights.remove(at: index)
    linkFaults = 0
  }

  /// The server did not take the message.
  ///
  /// - Parameter attempts: The attempts that were spent before this one.
  /// - Returns: Nil when the refusal is about an earlier transmission, or about a message that is no longer in
  ///   flight.
  ///   `recalled` has the refused message and those behind it, which named it as their predecessor, directly or not:
  ///   the
  ///   server will not take them. It has the refused message alone when the refusal is ambiguous.
  package mutating func refuse(
    _ id: MessageID, transmission: Int64, _ refusal: Refusal, attempts: Int,
    policy: ChatConfiguration.RetryPolicy,
    now: ChatEnvironment.Instant, dice: Double
  ) -> (verdict: Verdict, recalled: [Flight])? {
    guard let index = flights.firstIndex(where: { $0.id == id && $0.transmission == transmission }) else {
      return nil
    }
    // After an ambiguous refusal, those behind are still in flight: the server takes them, or refuses them itself.
    let end = refusal.mayHaveArrived ? index + 1 : flights.endIndex
    let recalled = Array(flights[index..<end])
    flights.removeSubrange(index..<end)
    // Without a message in flight in front of this one there is no gap. A server that reports one is faulty, and
    // must not be asked again and again without a pause.
    let refusal =
      refusal == .predecessorMissing && index == 0
      ? .notNow(after: nil, mayHaveArrived: false) : refusal
    return (verdict(on: refusal, attempts: attempts, policy: policy, now: now, dice: dice), recalled)
  }

  private mutating func verdict(
    on refusal: Refusal, attempts: Int, policy: ChatConfiguration.RetryPolicy, now: ChatEnvironment.Instant,
    dice: Double
  ) -> Verdict {
    switch refusal {
    case .predecessorMissing:
      return .goBack
    case .notNow(let after, _):
      linkFaults += 1
      wait(policy.reconnectDelay(afterFault: linkFaults, dice: dice), asked: after, now: now)
      return .goBack
    case .attachmentsMissing:
      return self.verdict(
        on: .failed(after: nil), attempts: attempts, policy: policy, now: now, dice: dice)
    case .failed(let after):
      return retry(
        attempts + 1, after: after, orFail: .attemptsSpent(attempts + 1), policy: policy, now: now, dice: dice
      )
    case .outcomeUnknown(let after):
      return retry(attempts + 1, after: after, orFail: .outcomeUnknown, policy: policy, now: now, dice: dice)
    case .rejected(let reason):
      return reason.code == .conversationRefused ? .stop(reason) : .fail(reason)
    }
  }

  private mutating func retry(
    _ spent: Int, after asked: Duration?, orFail cause: ChatConfiguration.ShownText.Failure,
    policy: ChatConfiguration.RetryPolicy, now: ChatEnvironment.Instant, dice: Double
  ) -> Verdict {
    guard let delay = policy.delay(afterAttempt: spent, dice: dice) else {
      return .fail(FailureReason(cause))
    }
    wait(delay, asked: asked, now: now)
    return .retry(attempts: spent)
  }

  /// The time at which the lane's wait ends: the caller must check the lane then. Nil when there is no wait.
  package func deadline(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant? {
    notBefore.flatMap { $0 > now ? $0 : nil }
  }

  /// Whether a wait is over, so that the lane may send again.
  package func waitIsOver(now: ChatEnvironment.Instant) -> Bool {
    notBefore.map { $0 <= now } ?? false
  }

  /// The time from which an answer is overdue. Nil when nothing is in flight.
  package func overdue(policy: ChatConfiguration.RetryPolicy) -> ChatEnvironment.Instant? {
    flights.map(\.sentAt).min().map { $0 + policy.answerTimeout }
  }

  /// The first message whose answer is overdue. Nil when no answer is.
  package func silent(policy: ChatConfiguration.RetryPolicy, now: ChatEnvironment.Instant) -> Flight? {
    flights.first { $0.sentAt + policy.answerTimeout <= now }
  }

  /// Answers come in any order: a short wait does not cut short a longer one that a server asked for before.
  private mutating func wait(_ delay: Duration, asked: Duration?, now: ChatEnvironment.Instant) {
    if let asked { askedUntil = max(askedUntil ?? now, now + asked) }
    notBefore = max(notBefore ?? now, now + max(asked ?? .zero, delay))
  }
}
