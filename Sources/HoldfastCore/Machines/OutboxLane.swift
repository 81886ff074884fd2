/// One conversation's messages, and the operations on them, on their way to the server: who may leave, and what an
/// answer means. To a lane both are the same. Pure: it reads no clock, sends nothing and stores nothing; the queue
/// itself is in the store.
///
/// ```
///             depart                    receipt or echo
///   queued ───────────► in flight ─────────────────────────► settled
///     ▲                  │ │ │ │
///     │ gap ─────────────┘ │ │ └─ rejected ─────────────────► parked
///     ├─ busy: all wait ───┘ │
///     └─ transient, missing ─┴─ the last attempt ───────────► parked
///
///   queued, may have arrived ──► asked ──┬─ it has ─────────► settled
///                                        ├─ it has not ─────► queued
///                                        └─ nobody can tell ► parked
/// ```
///
/// With the connection every answer is lost: the lane is dropped, and the next connection starts from the
/// store. That also ends every wait. A nudge, by the user or by the app that comes to the foreground, ends those
/// that this side chose; how long the server asked to be left alone is not ours to cut short.
///
/// Where the server refuses a message whose predecessor it lacks, a window of messages is in flight; after
/// any refusal, those behind the refused one go back too.
///
/// A retried message may be on the server already, in front of messages that stand in front of it here. It leaves when
/// nothing is in flight. In a window, its receipt would say nothing of the messages in front of it, and the message
/// behind it could overtake them.
package struct OutboxLane: Equatable, Sendable {
  package struct Flight: Equatable, Sendable {
    package var position: Int64
    package var id: MessageID
    package var handover: Int64
    package var sentAt: ChatEnvironment.Instant
  }

  /// A message that leaves now. It may only be taken after `predecessor`.
  package struct Departure: Equatable, Sendable {
    package var position: Int64
    package var id: MessageID
    package var predecessor: MessageID?
    package var handover: Int64
  }

  package enum Verdict: Equatable, Sendable {
    /// Nothing is the message's fault: it leaves again when the lane is ready.
    case goBack
    /// One attempt is spent; it leaves again when the lane is ready.
    case retry(attempts: Int)
    case park(FailureReason)
    /// The server refuses the conversation, and not this message: all of them wait.
    case stop(FailureReason)
  }

  /// In the order in which they left.
  package private(set) var flights: [Flight] = []
  /// Nothing leaves before this. Nil: at once.
  package private(set) var notBefore: ChatEnvironment.Instant?
  /// The server asked for nothing before this. Nil: it did not ask.
  private var askedUntil: ChatEnvironment.Instant?
  private var linkFaults = 0
  /// The server is asked which of these it has; nothing leaves meanwhile.
  package private(set) var asked: [MessageID] = []

  package init(flights: [Flight] = [], notBefore: ChatEnvironment.Instant? = nil, asked: [MessageID] = []) {
    self.flights = flights
    self.notBefore = notBefore
    self.asked = asked
  }

  /// Entries are to be read behind this position.
  package var lastPosition: Int64 { flights.last?.position ?? 0 }
  package var isIdle: Bool { flights.isEmpty && notBefore == nil && asked.isEmpty }

  package func room(window: Int, now: ChatEnvironment.Instant) -> Int {
    guard asked.isEmpty else { return 0 }
    if let notBefore, notBefore > now { return 0 }
    return max(0, window - flights.count)
  }

  /// The messages that leave now: those of `queued`, in their order, for which there is room.
  package mutating func depart(
    _ queued: [OutboxEntry], window: Int, now: ChatEnvironment.Instant, nextHandover: inout Int64
  ) -> [Departure] {
    var departures: [Departure] = []
    for entry in queued.prefix(room(window: window, now: now)) where entry.position > lastPosition {
      if entry.mayBeOutOfOrder, !flights.isEmpty { break }
      nextHandover += 1
      departures.append(
        Departure(
          position: entry.position, id: entry.id, predecessor: flights.last?.id, handover: nextHandover))
      flights.append(
        Flight(position: entry.position, id: entry.id, handover: nextHandover, sentAt: now))
    }
    // Whoever it waited for may be gone: a lane that has nothing to send has nothing to wait for either.
    if waitIsOver(now: now) { (notBefore, askedUntil) = (nil, nil) }
    return departures
  }

  /// These may be on the server, and must not leave again before it has said whether they are.
  package mutating func ask(_ ids: [MessageID]) { asked = ids }

  /// The store has the answer about these messages. An answer about others changes nothing: the lane asked it before it
  /// was joined with another one.
  package mutating func answered(_ ids: [MessageID]) {
    if asked == ids { asked = [] }
  }

  /// The app came to the foreground, or the user asked: only the server's own wish makes the lane wait.
  package mutating func nudge() {
    if notBefore != nil { notBefore = askedUntil }
    linkFaults = 0
  }

  /// The server has the message, by receipt or by echo.
  package mutating func settle(_ id: MessageID) {
    guard let index = flights.firstIndex(where: { $0.id == id }) else { return }
    flights.remove(at: index)
    linkFaults = 0
  }

  /// The server did not take the message. `attempts` are those spent before this one. Nil: it was about an
  /// earlier hand-over, or a message that is settled. `recalled` are the refused one and those behind it,
  /// which named it as their predecessor, directly or not: the server will not take them.
  package mutating func refuse(
    _ id: MessageID, handover: Int64, _ refusal: Refusal, attempts: Int, policy: RetryPolicy,
    now: ChatEnvironment.Instant, dice: Double
  ) -> (verdict: Verdict, recalled: [Flight])? {
    guard let index = flights.firstIndex(where: { $0.id == id && $0.handover == handover }) else {
      return nil
    }
    let recalled = Array(flights[index...])
    flights.removeSubrange(index...)
    // With nobody before it on the way there is no gap: a server that says so is not well, and is not to be asked
    // again and again without a pause.
    let refusal = refusal == .gap && index == 0 ? .busy(after: nil) : refusal
    return (verdict(on: refusal, attempts: attempts, policy: policy, now: now, dice: dice), recalled)
  }

  private mutating func verdict(
    on refusal: Refusal, attempts: Int, policy: RetryPolicy, now: ChatEnvironment.Instant, dice: Double
  ) -> Verdict {
    switch refusal {
    case .gap:
      return .goBack
    case .busy(let after):
      linkFaults += 1
      wait(policy.linkDelay(afterFault: linkFaults, dice: dice), asked: after, now: now)
      return .goBack
    case .attachmentsMissing:
      return self.verdict(
        on: .transient(after: nil), attempts: attempts, policy: policy, now: now, dice: dice)
    case .transient(let after):
      let spent = attempts + 1
      guard let delay = policy.delay(afterAttempt: spent, dice: dice) else {
        return .park(
          FailureReason(.attemptsSpent, "The server failed to take the message \(spent) times."))
      }
      wait(delay, asked: after, now: now)
      return .retry(attempts: spent)
    case .rejected(let reason):
      return reason.code == .conversationRefused ? .stop(reason) : .park(reason)
    }
  }

  /// When the lane must be looked at again without being told: a wait is over.
  package func deadline(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant? {
    notBefore.flatMap { $0 > now ? $0 : nil }
  }

  /// It waited, and may go on.
  package func waitIsOver(now: ChatEnvironment.Instant) -> Bool {
    notBefore.map { $0 <= now } ?? false
  }

  /// An answer is overdue: the link is held to be broken from then on.
  package func overdue(policy: RetryPolicy) -> ChatEnvironment.Instant? {
    flights.map(\.sentAt).min().map { $0 + policy.answerTimeout }
  }

  /// Answers come in any order: a short wait does not cut short one that a server asked for before.
  private mutating func wait(_ delay: Duration, asked: Duration?, now: ChatEnvironment.Instant) {
    if let asked { askedUntil = max(askedUntil ?? now, now + asked) }
    notBefore = max(notBefore ?? now, now + max(asked ?? .zero, delay))
  }
}
