import Foundation
import Holdfast

/// Somebody who types, pauses, sends, hides the app, changes their mind and taps what has failed. What the
/// process leaves undone when it ends, the user goes on with after the next launch.
struct PhoneUser: Sendable {
  let phone: SimulatedPhone
  let client: ChatClient
  let gate: CrashGate

  private var world: WorldState { phone.world }
  private var promises: Promises { phone.promises }
  private var device: String { phone.device }

  /// Uses the app until its process ends.
  func use() async {
    while !Task.isCancelled, !gate.isDead {
      let pause = world.scheduler.draw { random in
        // Now and then a burst.
        random.chance(0.3) ? random.milliseconds(0...20) : random.milliseconds(50...2500)
      }
      try? await world.scheduler.sleep(until: world.scheduler.now + pause)
      guard !Task.isCancelled, !gate.isDead else { return }
      await checkScreen()
      await lookAfterFailures()
      guard !Task.isCancelled, !gate.isDead else { return }
      let (sends, replies) = phone.memory.withLock { ($0.sends, $0.replies) }
      let hasMore = (sends < world.plan.messages, replies < world.plan.replies)
      guard hasMore.0 || hasMore.1 else {
        phone.memory.withLock { $0.isFinished = true }
        continue
      }
      let conversation = world.scheduler.draw { $0.pick(phone.conversations)! }
      if hasMore.1, world.scheduler.draw({ $0.chance(hasMore.0 ? 0.15 : 1) }) {
        await writeReply(in: conversation)
      } else if hasMore.0 {
        await act(in: conversation)
      }
      guard !gate.isDead else { return }
      phone.checkOnePlace(in: conversation, client)
    }
  }

  private func act(in conversation: ConversationID) async {
    // The end tells it from a text that was typed in part.
    let text = phone.memory.withLock { "\(device) to \(conversation) \($0.sends)." }
    switch world.scheduler.draw({ $0.unit() }) {
    case ..<0.22: type(text, in: conversation)
    case ..<0.32: save(text, in: conversation)
    case ..<0.60: sendDraft(text, in: conversation)
    case ..<0.64: tapTwice(text, in: conversation)
    case ..<0.82: sendQuickly(text, in: conversation)
    case ..<0.87: hideApp()
    case ..<0.95: await changeMind(in: conversation)
    default: await client.reconnectNow()
    }
  }
}

/// Drafts.
extension PhoneUser {
  private func type(_ text: String, in conversation: ConversationID) {
    let part = world.scheduler.draw { Int.random(in: 0...text.count, using: &$0) }
    edit(String(text.prefix(part)), in: conversation)
  }

  private func edit(_ text: String, in conversation: ConversationID) {
    client.edit(text, in: conversation)
    phone.memory.withLock {
      $0.drafts[conversation, default: DraftPromise()].type(text, at: world.scheduler.now)
    }
  }

  private func save(_ text: String, in conversation: ConversationID) {
    edit(text, in: conversation)
    do {
      try client.saveDraft(in: conversation)
      phone.memory.withLock { $0.drafts[conversation]?.store(text) }
    } catch {
      checkRefusal(error)
    }
  }

  private func hideApp() {
    do {
      try client.hardSave()
      phone.memory.withLock { memory in
        for (conversation, draft) in memory.drafts { memory.drafts[conversation]?.store(draft.text) }
      }
    } catch {
      checkRefusal(error)
    }
  }
}

/// Messages.
extension PhoneUser {
  private func sendDraft(_ text: String, in conversation: ConversationID) {
    edit(text, in: conversation)
    attach(besides: text, in: conversation)
    guard !gate.isDead else { return }
    let attachments = client.draftAttachments(in: conversation)
    countSend(
      begin(.send(text, conversation, isDraft: true), { try client.sendDraft(in: conversation) }) { id in
        phone.noteSent(id, text, conversation, attachments: attachments)
        phone.memory.withLock { $0.drafts[conversation]?.store("") }
        world.trace(device, "sends \(id) to \(conversation)")
      })
  }

  /// Picks a file now and then, which is stored with what was typed.
  private func attach(besides text: String, in conversation: ConversationID) {
    guard phone.memory.withLock({ $0.attachments }) < world.plan.attachments else { return }
    guard let file = world.scheduler.draw({ $0.chance(0.5) ? Self.file(from: &$0) : nil }) else { return }
    do {
      let attachment = try client.attach(file, name: "\(device).bin", in: conversation)
      phone.memory.withLock { memory in
        memory.attachments += 1
        memory.drafts[conversation]?.store(text)
      }
      world.trace(device, "attaches \(attachment.byteCount) bytes in \(conversation)")
    } catch {
      checkRefusal(error)
    }
  }

  /// Nothing, a little, or several pieces.
  private static func file(from random: inout SeededRandom) -> Data {
    let count =
      random.chance(0.1) ? 0 : Int.random(in: 1...(random.chance(0.3) ? 150_000 : 500), using: &random)
    let start = random.next()
    return Data((0..<count).map { UInt8(truncatingIfNeeded: (start &+ UInt64($0)) &* 0x9E37_79B9 >> 8) })
  }

  /// The second tap finds an empty composer.
  private func tapTwice(_ text: String, in conversation: ConversationID) {
    sendDraft(text, in: conversation)
    guard !gate.isDead, client.draftText(in: conversation).isEmpty else { return }
    do {
      let id = try client.sendDraft(in: conversation)
      phone.fail("nothing twice", expected: "the second tap to find nothing", found: "\(id)")
    } catch {
      if error.code != .emptyMessage { checkRefusal(error) }
    }
  }

  private func sendQuickly(_ text: String, in conversation: ConversationID) {
    // The draft may hold what the composer would have sent: a text sent past it must be another.
    let text = text + " quickly"
    countSend(
      begin(.send(text, conversation, isDraft: false), { try client.send(text, in: conversation) }) { id in
        phone.noteSent(id, text, conversation)
        world.trace(device, "sends \(id) to \(conversation)")
      })
  }

  /// A text that may have been sent is not sent again.
  private func countSend(_ isDone: Bool) {
    guard isDone || gate.isDead else { return }
    phone.memory.withLock { $0.sends += 1 }
  }

  /// Takes a message back that waits, or deletes it.
  private func changeMind(in conversation: ConversationID) async {
    let rows = unsent(in: conversation).filter { !$0.hasFailed }
    guard let row = world.scheduler.draw({ $0.pick(rows) }) else { return }
    await withdraw(row.id, in: conversation)
  }

  /// Retries, edits or deletes what has failed; retries all of it once nothing goes wrong any more.
  private func lookAfterFailures() async {
    for conversation in phone.conversations {
      for row in unsent(in: conversation) where row.hasFailed {
        guard !gate.isDead else { return }
        let dice = world.isHealing ? 0 : world.scheduler.draw { $0.unit() }
        if dice < 0.4 {
          await retry(row)
        } else if dice < 0.6 {
          await withdraw(row.id, in: conversation)
        }
      }
    }
  }

  private func retry(_ row: MessageRow) async {
    // It may have arrived long ago, and nobody knows where in the order.
    let hasPlace = row.delivery.failureCode != .interruptedTooOften
    await begin(.retry(row.id), { try await client.retry(row.id) }) { _ in
      promises.noteRetried(row.id, hasPlace: hasPlace)
      world.trace(device, "retries \(row.id)")
    }
  }

  private func withdraw(_ id: MessageID, in conversation: ConversationID) async {
    let text = promises.sent.first { $0.id == id }?.text
    if world.scheduler.draw({ $0.chance(0.5) }) {
      await begin(
        .withdraw(id, conversation, toComposer: true), { try await client.takeBack(id) },
        done: { content in
          promises.noteWithdrawn(id)
          phone.memory.withLock { $0.drafts[conversation, default: DraftPromise()].takeBack(text ?? "") }
          world.trace(device, "takes \(id) back")
          let expected = phone.memory.withLock { $0.drafts[conversation]?.text }
          if content.text != expected {
            phone.fail(
              "what is taken back is in the composer", expected: "'\(expected ?? "")'",
              found: "'\(content.text)'")
          }
        })
    } else {
      await begin(.withdraw(id, conversation, toComposer: false), { try await client.cancel(id) }) { _ in
        promises.noteWithdrawn(id)
        world.trace(device, "deletes \(id)")
      }
    }
  }

  private func unsent(in conversation: ConversationID) -> [MessageRow] {
    let own = Set(promises.sent(by: device, in: conversation).map(\.id))
    return phone.screen.rows(of: conversation).filter { $0.delivery != .delivered && own.contains($0.id) }
  }
}

/// Answers that are written piece by piece.
extension PhoneUser {
  private func writeReply(in conversation: ConversationID) async {
    guard let id = try? await client.beginStream(in: conversation) else { return }
    let number = phone.memory.withLock { memory in
      memory.replies += 1
      memory.reply = id
      return memory.replies
    }
    promises.noteReply(
      Promises.Reply(id: id, sender: phone.user, device: device, conversation: conversation))
    world.trace(device, "begins the answer \(id) in \(conversation)")
    let pieces = world.scheduler.draw { Int.random(in: 1...12, using: &$0) }
    for piece in 0..<pieces {
      let pause = world.scheduler.draw { $0.milliseconds($0.chance(0.2) ? 200...900 : 0...90) }
      try? await world.scheduler.sleep(until: world.scheduler.now + pause)
      guard !gate.isDead else { return }
      let text = piece == 0 ? "\(device)'s answer \(number):" : " word \(piece)"
      promises.append(text, to: id, at: world.scheduler.now)
      do { try await client.append(text, to: id) } catch { return checkRefusal(error) }
    }
    await finish(id)
  }

  private func finish(_ id: MessageID) async {
    while !gate.isDead, !Task.isCancelled, let reply = promises.reply(id) {
      let isDone = await begin(.finish(id), { try await client.finishStream(id) }) { _ in
        phone.noteSent(id, reply.text, reply.conversation)
        phone.memory.withLock { $0.reply = nil }
        world.trace(device, "finishes \(id)")
      }
      guard !isDone else { return }
      // There is no room on the disk: the text stays, and is finished later.
      try? await world.scheduler.sleep(until: world.scheduler.now + .seconds(1))
    }
  }
}

/// What holds after every act.
extension PhoneUser {
  /// Asks for something and notes that it was done; or, when the process ended in it, that nobody knows.
  @discardableResult private func begin<Value>(
    _ act: Promises.Act, _ call: () throws -> Value, done: (Value) -> Void
  ) -> Bool {
    promises.begin(act, on: device)
    let result = Result { try call() }
    return conclude(result, done)
  }

  @discardableResult private func begin<Value>(
    _ act: Promises.Act, _ call: () async throws -> Value, done: (Value) -> Void
  ) async -> Bool {
    promises.begin(act, on: device)
    let result: Result<Value, any Error>
    do { result = .success(try await call()) } catch { result = .failure(error) }
    return conclude(result, done)
  }

  private func conclude<Value>(_ result: Result<Value, any Error>, _ done: (Value) -> Void) -> Bool {
    switch result {
    case .success(let value):
      done(value)
      promises.settle(device)
      return true
    case .failure(let error):
      guard !gate.isDead else {
        world.trace(device, "ends in a call that does not return")
        return false
      }
      promises.settle(device)
      checkRefusal(error)
      return false
    }
  }

  /// An intent is refused for a reason: there is no room on the disk, or it is too late.
  private func checkRefusal(_ error: any Error) {
    guard !gate.isDead, let error = error as? ChatError else { return }
    let isExpected =
      error.code == .tooLate || (error.code == .storageFull && world.plan.faults[.phoneDisk] > 0)
    if !isExpected {
      phone.fail("a refusal has a reason", expected: "no refusal", found: "\(error.code)")
    }
  }

  /// The screen shows what is stored. One that is behind gets a moment, in which nothing may happen by chance.
  private func checkScreen() async {
    for _ in 0..<20 {
      guard !gate.isDead, !Task.isCancelled else { return }
      guard let stale = try? phone.screen.stale(client, phone.conversations) else { return }
      if stale.isEmpty { return checkCount() }
      try? await world.scheduler.sleep(until: world.scheduler.now + .milliseconds(1))
    }
    phone.fail(
      "every snapshot equals a fresh query", expected: "the screen to follow", found: "an older state")
  }

  /// "3 messages queued" is what the rows say.
  private func checkCount() {
    let rows = phone.conversations.flatMap(phone.screen.rows)
    let waiting = rows.count { $0.delivery != .delivered }
    guard let count = try? client.unsentCount(), count != waiting else { return }
    phone.fail("the count is what the rows say", expected: "\(waiting) unsent", found: "\(count)")
  }
}

extension Delivery {
  var failureCode: FailureReason.Code? {
    if case .failed(let reason) = self { reason.code } else { nil }
  }
}
