import Holdfast
import HoldfastTesting
import Synchronization

/// The screen of a phone: the newest snapshot of each conversation. Each snapshot is compared with the earlier ones.
final class Screen: Sendable {
  private struct State {
    var watches: [ConversationID: TimelineWatch] = [:]
    var shown: [ConversationID: ConversationSnapshot] = [:]
    var fresh: [ConversationID: (moment: Moment, client: ObjectIdentifier, snapshot: ConversationSnapshot)] =
      [:]
  }

  /// A part of one job between two commits. No snapshot changes within it.
  private struct Moment: Equatable {
    let job: Int
    let commits: Int
  }

  /// More rows than any world has.
  static let limit = 100_000

  private let device: String
  private let process: String
  private let world: WorldState
  private let server: SimulatedServer
  private let promises: Promises
  private let state = Mutex(State())

  init(device: String, process: String, world: WorldState, server: SimulatedServer, promises: Promises) {
    self.server = server
    self.device = device
    self.process = process
    self.world = world
    self.promises = promises
  }

  /// Forgets the shown snapshots, because the process is new and has shown nothing yet.
  func relaunch() {
    state.withLock { state in
      state.shown = [:]
      for conversation in state.watches.keys { state.watches[conversation]?.relaunch() }
    }
  }

  /// Reads a conversation as stored at this moment. Repeated reads at the same moment, for several checks, share one
  /// read.
  func fresh(_ conversation: ConversationID, of client: ChatClient) throws -> ConversationSnapshot {
    let moment = Moment(job: world.scheduler.jobCount, commits: world.commitCount)
    let read = state.withLock { $0.fresh[conversation] }
    if let read, read.moment == moment, read.client == ObjectIdentifier(client) { return read.snapshot }
    let snapshot = try client.reader.conversation(conversation, limit: Self.limit)
    state.withLock { $0.fresh[conversation] = (moment, ObjectIdentifier(client), snapshot) }
    return snapshot
  }

  /// Shows a conversation until the task is cancelled.
  func follow(_ conversation: ConversationID, of client: ChatClient, launches: Int, _ gate: CrashGate) async {
    for await snapshot in client.conversation(conversation).timeline(limit: Self.limit) {
      // A snapshot that a process shows after its end is not seen by a user.
      guard !gate.isDead else { return }
      show(snapshot.withoutEchoes, of: conversation, launches: launches)
      lookAtParts(of: snapshot, client)
      noteStopped(in: snapshot, of: conversation, client)
    }
  }

  /// Shows the local conversation.
  func followDevice(_ client: ChatClient, _ gate: CrashGate) async {
    let conversation = DevicePromises.firstID(on: device)
    for await snapshot in client.conversation(conversation).timeline(limit: Self.limit) {
      guard !gate.isDead else { return }
      state.withLock { $0.shown[conversation] = snapshot }
      let found = forgeries(snapshot) + strangers(snapshot) + TimelineWatch.duplicates(snapshot.rows)
      for violation in found {
        world.fail(
          Violation(
            promise: violation.promise, expected: "\(process) in \(conversation): \(violation.expected)",
            found: violation.found))
      }
    }
  }

  /// Checks partial reads: a timeline is not read again for a growing reply, and only in part for a new or changed
  /// message. It must equal a full read. Changes by another process arrive a moment later.
  private func lookAtParts(of snapshot: ConversationSnapshot, _ client: ChatClient) {
    guard !client.store.isShared, snapshot.problem == nil,
      let fresh = try? self.fresh(snapshot.id, of: client), fresh != snapshot
    else { return }
    let rows = zip(snapshot.rows, fresh.rows).filter { $0 != $1 }.map { $0.0.id.rawValue }
    world.fail(
      Violation(
        promise: "a part is shown as the whole is read",
        expected: "\(process) to show \(snapshot.id) as it is, \(fresh.rows.count) rows",
        found: "\(snapshot.rows.count) rows, others in \(rows.joined(separator: " "))"))
  }

  /// Records the messages that are held or have failed at this moment. The stored state may differ from the shown
  /// state.
  private func noteStopped(
    in snapshot: ConversationSnapshot, of conversation: ConversationID, _ client: ChatClient
  ) {
    let mayBlock = world.plan.strictOrder || world.plan.faults[.refusedConversation] > 0
    guard mayBlock || snapshot.rows.contains(where: \.isStopped),
      let fresh = try? self.fresh(snapshot.id, of: client)
    else { return }
    // A message that has repeatedly ended the process, or is in doubt, may be on the server.
    let stopped = fresh.rows.filter { $0.isStopped && !$0.mayHaveArrived }
    promises.noteStopped(stopped.map(\.id), on: device)
    look(at: fresh, of: conversation)
  }

  /// Checks a conversation as stored at this moment: it must be blocked if it has to.
  func look(at fresh: ConversationSnapshot, of conversation: ConversationID) {
    let now = world.scheduler.now
    var violations: [Violation] = []
    if world.plan.faults[.refusedConversation] > 0 {
      let isAsked = promises.releasedNow(on: device).conversations.contains(conversation)
      let violation = promises.blocking.look(
        at: conversation, isRefused: fresh.refusal != nil, mayBeLifted: isAsked, on: device, at: now)
      if let violation { violations.append(violation) }
    }
    if world.plan.strictOrder {
      let failed = fresh.rows.filter(\.hasFailed).map(\.id)
      violations += promises.blocking.look(at: conversation, failed: failed, on: device, at: now)
      for row in fresh.rows where row.status.state == .sending {
        guard let first = failed.first(where: { promises.isBehind(row.id, $0, in: conversation, on: device) })
        else { continue }
        violations.append(
          Violation(promise: "strict order", expected: "\(row.id) to wait for \(first)", found: "it is sent"))
      }
    }
    for violation in violations { world.fail(violation) }
  }

  /// Whether the shown snapshot contains the server's refusal of the conversation.
  func isRefused(_ conversation: ConversationID) -> Bool {
    state.withLock { $0.shown[conversation]?.refusal != nil }
  }

  private func mayMove(_ id: MessageID) -> Bool {
    world.plan.backend == .events && promises.sent.contains { $0.id == id && !$0.hasPlace }
  }

  private func show(
    _ snapshot: ConversationSnapshot, of conversation: ConversationID, launches: Int
  ) {
    let (violations, before) = state.withLock { state in
      let violations = state.watches[conversation, default: TimelineWatch()].show(
        snapshot.rows, withdrawn: isWithdrawn, isChanged: { promises.changes[$0] != nil },
        eviction: eviction(snapshot), mayMove: mayMove, reply: promises.reply)
      let before = state.shown.updateValue(snapshot, forKey: conversation)
      return (violations, before)
    }
    if eviction(snapshot) != nil, let before,
      !Set(before.rows.map(\.id)).isSubset(of: snapshot.rows.map(\.id))
    {
      world.count(deed: world.isHealing ? "see messages make room" : "see messages make room among faults")
    }
    let found =
      violations + sameIDs(snapshot, of: conversation) + forgeries(snapshot) + strangers(snapshot)
      + failuresHaveCauses(snapshot, launches: launches)
    for violation in found {
      world.fail(
        Violation(
          promise: violation.promise, expected: "\(process) in \(conversation): \(violation.expected)",
          found: violation.found))
    }
    let summary = Self.summary(of: snapshot)
    if before.map(Self.summary) != summary { world.trace(process, "shows \(conversation): \(summary)") }
  }

  /// The messages of a conversation that may have been evicted. Nil when this phone keeps everything.
  private func eviction(_ snapshot: ConversationSnapshot) -> EvictionPromise? {
    guard world.mayLack(device) else { return nil }
    return EvictionPromise(
      isReported: snapshot.hasEvicted, referred: promises.referred(on: device),
      least: world.leastKept,
      mayComeBack: world.plan.readBacks > 0)
  }

  /// Whether a missing message may have been evicted. The next snapshot that is shown has to prove it.
  func mayHaveMadeRoom(_ id: MessageID, in snapshot: ConversationSnapshot?, of conversation: ConversationID)
    -> Bool
  {
    guard let snapshot, let eviction = eviction(snapshot), eviction.isReported else { return false }
    return state.withLock { $0.watches[conversation]?.mayHaveMadeRoom(id) == true }
  }

  /// Whether a message was taken back, or is being taken back at this moment.
  private func isWithdrawn(_ id: MessageID) -> Bool {
    if promises.mayBeWithdrawn(id, on: device) { return true }
    // A message that was deleted while in flight, and was then refused, disappears too.
    return promises.withdrawn.contains(id) || promises.changes[id]?.deletion != nil
  }

  /// Returns the conversations whose shown snapshot differs from a fresh query.
  func stale(_ client: ChatClient, _ conversations: [ConversationID]) throws -> [ConversationID] {
    try conversations.filter { conversation in
      let fresh = try fresh(conversation, of: client).withoutEchoes
      return state.withLock { $0.shown[conversation] } != fresh
    }
  }

  /// The rows of a conversation that are shown now.
  func rows(of conversation: ConversationID) -> [MessageRow] {
    state.withLock { $0.shown[conversation]?.rows ?? [] }
  }

  /// Finds forged messages. A user must never see a message that no user has sent.
  private func forgeries(_ snapshot: ConversationSnapshot) -> [Violation] {
    if snapshot.title.contains(FrameForger.mark) {
      return [
        Violation(promise: "nothing invented", expected: "no forged title", found: "'\(snapshot.title)'")
      ]
    }
    return snapshot.rows.filter {
      $0.text.contains(FrameForger.mark) || $0.sender.rawValue == FrameForger.mark
    }.map {
      Violation(
        promise: "nothing invented", expected: "nothing forged on the screen",
        found: "'\($0.text)' as \($0.id)")
    }
  }

  /// Finds replies of an assistant that are shown as the user's own (rule L3), and replies that were deleted on this
  /// device and have reappeared.
  private func strangers(_ snapshot: ConversationSnapshot) -> [Violation] {
    let withdrawn = promises.withdrawn
    return snapshot.rows.compactMap { row in
      if row.sender.assistantName != nil, row.isMine {
        return Violation(
          promise: "an assistant is a member of its own", expected: "\(row.id) to be of \(row.sender)",
          found: "it is mine")
      }
      guard !row.status.isComplete, withdrawn.contains(row.id),
        promises.reply(row.id)?.device == device
      else { return nil }
      return Violation(
        promise: "what was taken back is gone", expected: "no reply \(row.id)", found: "'\(row.text)'")
    }
  }

  /// Checks that a message keeps the ID that its send returned.
  private func sameIDs(
    _ snapshot: ConversationSnapshot, of conversation: ConversationID
  ) -> [Violation] {
    let promised = Dictionary(
      promises.sent(by: device, in: conversation).map { ($0.text, $0.id) }, uniquingKeysWith: { $1 })
    return snapshot.rows.compactMap { row in
      guard row.isMine, let id = promised[row.text], id != row.id else { return nil }
      return Violation(
        promise: "IDs never change", expected: "'\(row.text)' to be \(id)", found: "\(row.id)")
    }
  }

  /// Checks that every failure has a cause. A message fails because of the server's response to it, or because it
  /// repeatedly ends the process, but never because of a link failure (rule O7).
  private func failuresHaveCauses(_ snapshot: ConversationSnapshot, launches: Int) -> [Violation] {
    let failed = snapshot.rows.compactMap { row in row.failure.map { (id: row.id, reason: $0) } }
    // The server itself refuses the change of a deleted message, without its gateway.
    let changes = snapshot.rows.filter { promises.changes[$0.id]?.deletion == nil }.compactMap(\.operation)
    let failures = failed + changes.compactMap { change in change.status.failed.map { (change.id, $0) } }
    return failures.compactMap { id, reason in
      let refusals = promises.refusals(of: id)
      // A response that was lost or late while others arrived is ambiguous too, and counts as an attempt (rule B4).
      let isUnheard = server.backend.isUnknown(id) || world.counts.mayHaveSilenced
      let hasCause =
        switch reason.code {
        case .attemptsSpent: isUnheard || refusals.count { $0 == .transient } >= 4
        case .interruptedTooOften: launches >= 10
        // For a reply that was cut off before its first word, the engine gives the reason.
        case .replyFailed:
          reason.cause != nil || promises.reply(id)?.explanations.contains(reason.explanation) == true
        case .outcomeUnknown: isUnheard
        // A refused conversation is not the fault of a message.
        case .conversationRefused: false
        default: refusals.contains(.rejected)
        }
      guard !hasCause else { return nil }
      return Violation(
        promise: "only its own faults fail a message", expected: "\(id) to wait for the link",
        found: "failed as \(reason.code.rawValue) after \(refusals.map(\.rawValue))")
    }
  }

  private static func summary(of snapshot: ConversationSnapshot) -> String {
    let delivered = snapshot.rows.count { $0.status.state == .delivered }
    let failed = snapshot.rows.count { $0.status.state == .failed }
    let waiting = snapshot.rows.count { $0.status.state == .queued || $0.status.state == .sending }
    let held = snapshot.rows.count { $0.status.state == .held }
    let partial = snapshot.rows.count { !$0.status.isComplete }
    return [
      "\(delivered) delivered", waiting > 0 ? "\(waiting) unsent" : nil,
      held > 0 ? "\(held) held" : nil, failed > 0 ? "\(failed) failed" : nil,
      partial > 0 ? "\(partial) partial" : nil,
    ].compactMap { $0 }.joined(separator: ", ")
  }
}

extension ConversationSnapshot {
  /// The snapshot without the rows of echoes whose messages still wait for their receipts.
  fileprivate var withoutEchoes: ConversationSnapshot {
    var snapshot = self
    snapshot.rows.removeAll { ServerName.isName($0.id) }
    return snapshot
  }
}
