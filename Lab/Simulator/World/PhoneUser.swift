import Foundation
import Holdfast
import HoldfastRelay
import HoldfastRescue
import HoldfastTesting

/// A user who types, pauses, sends, hides the app, reconsiders and taps failed messages. When the process ends, the
/// user continues the unfinished work after the next launch.
struct PhoneUser: Sendable {
  let phone: SimulatedPhone
  let client: ChatClient
  let gate: CrashGate

  var world: WorldState { phone.world }
  var promises: Promises { phone.promises }
  var device: String { phone.device }
  var name: String { phone.name }

  /// Uses the app until its process ends.
  func use() async {
    while !Task.isCancelled, !gate.isDead {
      // A user who has done everything keeps watching, for as long as it takes to evict messages.
      let isLookingOn = world.isHealing && phone.isFinished && world.plan.hasPast
      let pause = world.scheduler.draw { random in
        if isLookingOn { return random.milliseconds(2000...8000) }
        // A burst now and then.
        return random.chance(0.3) ? random.milliseconds(0...20) : random.milliseconds(50...2500)
      }
      try? await world.scheduler.sleep(until: world.scheduler.now + pause)
      guard !Task.isCancelled, !gate.isDead else { return }
      phone.memory.withLock { $0.picked = nil }
      await turn()
      guard !gate.isDead else { return }
      closeExtension()
      // The user of this process does not know what another process on the store removes.
      guard phone.store == nil else { continue }
      let picked = phone.conversations.map { ($0, client.drafts.attachments(in: $0).map(\.id)) }
      guard !gate.isDead else { return }
      phone.memory.withLock { $0.picked = Dictionary(picked) { first, _ in first } }
    }
  }

  /// Runs the user's acts from one pause to the next.
  private func turn() async {
    await checkScreen()
    await lookAfterCredentials()
    forgetDiscarded()
    await lookAfterFailures()
    await lookAfterHeld()
    await lookAfterRefusals()
    await lookAfterNotes()
    await lookAfterReplies()
    checkAnswered()
    phone.checkDevice(client)
    phone.checkFailedReplies(client)
    phone.checkTable(client)
    if world.isHealing || !phone.names.awaited.isEmpty, !gate.isDead { await takeOverNames() }
    readOn()
    readBack()
    if phone.plan.hasWindows, world.scheduler.draw({ $0.chance(0.6) }) { move() }
    guard !Task.isCancelled, !gate.isDead else { return }
    let (sends, replies, changes, notes) = phone.memory.withLock {
      ($0.sends, $0.replies, $0.changes, $0.noteCount)
    }
    let (imports, queueImports) = phone.memory.withLock { ($0.imports, $0.queueImports) }
    let hasMore = (sends < phone.plan.messages, replies < phone.plan.replies)
    let mayChange = changes < phone.plan.changes
    let mayDelete = notes < phone.plan.deletions
    if mayDelete, world.scheduler.draw({ $0.chance(hasMore.0 || hasMore.1 || mayChange ? 0.3 : 1) }) {
      return await makeAndDeleteNote()
    }
    let mayImport = imports < phone.plan.imports
    if mayImport, world.scheduler.draw({ $0.chance(hasMore.0 || hasMore.1 || mayChange ? 0.2 : 1) }) {
      return await importHistory()
    }
    let mayQueue = queueImports < phone.plan.queueImports
    if mayQueue, world.scheduler.draw({ $0.chance(hasMore.0 || hasMore.1 || mayChange ? 0.2 : 1) }) {
      return importQueue()
    }
    let mayEmpty = phone.memory.withLock { $0.emptyings } < phone.plan.emptyings
    if mayEmpty, world.scheduler.draw({ $0.chance(hasMore.0 || hasMore.1 || mayChange ? 0.3 : 1) }) {
      return await makeAndEmptyNote()
    }
    let mayKeep = phone.memory.withLock { $0.deviceActions } < phone.plan.onDevice
    if mayKeep, world.scheduler.draw({ $0.chance(hasMore.0 || hasMore.1 || mayChange ? 0.3 : 1) }) {
      return await actOnDevice()
    }
    let mayAsk = phone.memory.withLock { $0.assistantReplies } < phone.plan.assistantReplies
    let mayNote = mayDelete || mayEmpty || mayKeep
    guard hasMore.0 || hasMore.1 || mayChange || mayNote || mayImport || mayQueue || mayAsk else {
      let isFinished = !hasInterruptedReplies
      return phone.memory.withLock { $0.isFinished = isFinished }
    }
    let conversation = world.scheduler.draw { $0.pick(phone.conversations)! }
    if mayAsk, world.scheduler.draw({ $0.chance(hasMore.0 || hasMore.1 || mayChange ? 0.2 : 1) }) {
      await askAssistant(in: conversation)
    } else if hasLimits, hasMore.0, world.scheduler.draw({ $0.chance(0.4) }) {
      referToOldest()
    } else if mayChange, world.scheduler.draw({ $0.chance(hasMore.0 || hasMore.1 ? 0.3 : 1) }) {
      await changeSomething(in: conversation)
    } else if hasMore.1, world.scheduler.draw({ $0.chance(hasMore.0 ? 0.15 : 1) }) {
      await writeReply(in: conversation)
    } else if hasMore.0 {
      await act(in: conversation)
    }
    guard !gate.isDead else { return }
    phone.checkOnePlace(in: conversation, client)
  }

  /// Closes a share extension once everything is shared. Only the app continues.
  private func closeExtension() {
    guard phone.isExtension, phone.isFinished, world.isHealing, world.scheduler.draw({ $0.chance(0.5) })
    else {
      return
    }
    world.count(deed: "close an extension")
    phone.close(gate)
  }

  private func act(in conversation: ConversationID) async {
    // The full stop distinguishes the text from a partly typed one.
    let text = phone.memory.withLock { "\(name) to \(conversation) \($0.sends)." }
    switch world.scheduler.draw(Habit.drawn) {
    case .type: type(text, in: conversation)
    case .save:
      save(text, in: conversation)
      if !gate.isDead { attach(besides: text, in: conversation) }
    case .sendDraft: sendDraft(text, in: conversation)
    case .tapTwice: tapTwice(text, in: conversation)
    case .sendQuickly: sendQuickly(text, in: conversation)
    case .hideApp: hideApp()
    case .changeMind: await changeMind(in: conversation)
    case .discard: await discardOrSlip(in: conversation)
    case .undo: await undo()
    case .reconnect: await reconnect()
    case .leave: await leaveForeground()
    case .rename: await rename(conversation)
    }
  }

  /// Discards a draft, and restores it if it was a mistake.
  private func discardOrSlip(in conversation: ConversationID) async {
    discard(in: conversation)
    let pause = world.scheduler.draw { $0.chance(0.4) ? $0.milliseconds(0...3000) : nil }
    guard let pause, !gate.isDead else { return }
    try? await world.scheduler.sleep(until: world.scheduler.now + pause)
    if !gate.isDead, !Task.isCancelled { await undo() }
  }

  /// Taps "try now", or returns to the app.
  private func reconnect() async {
    phone.network.credentials.nudge()
    await client.reconnectNow()
  }

  /// Logs in again, eventually.
  private func lookAfterCredentials() async {
    guard client.needsCredentials, world.isHealing || world.scheduler.draw({ $0.chance(0.25) }) else {
      return
    }
    phone.network.credentials.renew()
    world.count(deed: "log in")
    await reconnect()
  }
}

/// The acts of a user, with their frequencies.
private enum Habit: CaseIterable {
  case type, save, sendDraft, tapTwice, sendQuickly, hideApp, changeMind, discard, undo, reconnect, leave,
    rename

  /// The share of the act among all acts.
  private var share: Int {
    switch self {
    case .type: 20
    case .save: 9
    case .sendDraft: 28
    case .tapTwice: 4
    case .sendQuickly: 17
    case .hideApp: 5
    case .changeMind: 8
    case .discard: 5
    case .undo: 3
    case .reconnect: 4
    case .leave: 4
    case .rename: 6
    }
  }

  @Sendable static func drawn(from random: inout SeededRandom) -> Habit {
    var dice = Int.random(in: 0..<allCases.reduce(0) { $0 + $1.share }, using: &random)
    for habit in allCases {
      dice -= habit.share
      if dice < 0 { return habit }
    }
    return .type
  }
}

/// Checks that hold after every act.
extension PhoneUser {
  /// Performs an act and records that it was done. When the process ended in the call, the result stays unknown.
  @discardableResult func begin<Value>(
    _ act: Promises.Act, _ call: () throws -> Value, done: (Value) -> Void
  ) -> Bool {
    promises.begin(act, on: device, in: name)
    let result = Result { try call() }
    return conclude(result, done)
  }

  @discardableResult func begin<Value>(
    _ act: Promises.Act, _ call: () async throws -> Value, done: (Value) -> Void
  ) async -> Bool {
    promises.begin(act, on: device, in: name)
    let result: Result<Value, any Error>
    do { result = .success(try await call()) } catch { result = .failure(error) }
    return conclude(result, done)
  }

  private func conclude<Value>(_ result: Result<Value, any Error>, _ done: (Value) -> Void) -> Bool {
    switch result {
    case .success(let value):
      done(value)
      promises.finishAct(of: device, in: name)
      return true
    case .failure(let error):
      guard !gate.isDead else {
        world.trace(name, "ends in a call that does not return")
        return false
      }
      promises.finishAct(of: device, in: name)
      checkRefusal(error)
      return false
    }
  }

  /// Checks that a refused call has a reason: the disk is full, it is too late, or another process on the store was
  /// first.
  func checkRefusal(_ error: any Error) {
    guard !gate.isDead, let error = error as? ChatError else { return }
    let isElsewhere = [.draftChanged, .unknownMessage, .beingWritten, .notInterrupted].contains(error.code)
    let isExpected =
      error.code == .tooLate || (error.code == .storageFull && world.plan.faults[.phoneDisk] > 0)
      || (isElsewhere && phone.store != nil)
    if !isExpected {
      phone.fail("a refusal has a reason", expected: "no refusal", found: "\(error.code)")
    }
  }

  /// Checks that the screen shows the stored state. A screen that lags gets a moment, in which no random act may
  /// happen.
  private func checkScreen() async {
    for _ in 0..<20 {
      guard !gate.isDead, !Task.isCancelled else { return }
      guard let stale = try? phone.screen.stale(client, phone.shownConversations) else { return }
      if stale.isEmpty, staleComposer() == nil { return checkCount() }
      try? await world.scheduler.sleep(until: world.scheduler.now + .milliseconds(1))
    }
    if let text = staleComposer() {
      phone.fail(
        "a sent text is in one place", expected: "'\(text)' in the timeline", found: "it in the composer")
    }
    phone.fail(
      "every snapshot equals a fresh query", expected: "the screen to follow", found: "an older state")
  }

  /// Checks that the count in "3 messages queued" agrees with the rows.
  private func checkCount() {
    let rows = phone.conversations.flatMap(phone.screen.rows)
    let waiting = rows.count { $0.status.isUnsent && $0.status.isComplete }
    // A row shows one change, and may have several.
    let changes = rows.count { $0.operation != nil }
    guard let count = try? client.outbox.unsentCount(), count != waiting else { return }
    // Messages in notes are on no screen.
    if phone.plan.deletions + phone.plan.emptyings > 0, count > waiting { return }
    if changes > 0, count >= waiting + changes { return }
    phone.fail(
      "the count is what the rows say", expected: "\(waiting) unsent, and \(changes) changes or more",
      found: "\(count)")
  }
}
