import Holdfast

/// The prompt about messages that have waited for a long time (rule O16).
extension PhoneUser {
  /// Answers the prompt. Once all faults have ended, the answer leaves no message held.
  func lookAfterHeld() async {
    // Messages that another process was about to send when it ended may be among them. Its next launch will show
    // that.
    let isUncertain = !promises.actsInProgress(on: device).isEmpty
    guard world.plan.heldAfter > 0, !isUncertain, let question = try? client.held.snapshot(), !gate.isDead
    else { return }
    let held = heldNow()
    checkQuestion(question, held)
    guard question.count > 0 else { return }
    let dice = world.scheduler.draw { $0.unit() }
    if question.isAsked {
      if world.isHealing {
        answer(dice < 0.7 ? .send : .backToComposer, held)
      } else if dice < 0.6 {
        answer(HeldMessages.Answer.allCases[Int(dice * 5)], held)
      }
    } else if world.isHealing || dice < 0.2 {
      await tapHeld(held)
    }
  }

  /// The held messages, in the order in which they were sent. A message's place is unknown when the process ended
  /// while the message was queued. Such a message has its place on the screen.
  private func heldNow() -> [Promises.Held] {
    phone.conversations.compactMap { conversation in
      guard let snapshot = try? phone.screen.fresh(conversation, of: client) else {
        return nil
      }
      let shown = snapshot.rows.filter { $0.status.state == .held }.map(\.id)
      let sent = promises.sent(by: device, in: conversation).filter { shown.contains($0.id) }
      let unplaced = Dictionary(uniqueKeysWithValues: sent.filter { !$0.hasPlace }.map { ($0.id, $0) })
      var placed = sent.filter(\.hasPlace)[...]
      let messages = shown.compactMap { unplaced[$0] ?? placed.popFirst() }
      return messages.isEmpty ? nil : Promises.Held(conversation: conversation, messages: messages)
    }
  }

  private func checkQuestion(_ question: HeldMessages, _ held: [Promises.Held]) {
    let expected = (messages: held.reduce(0) { $0 + $1.ids.count }, conversations: held.count)
    if (question.count, question.conversations) != (expected.messages, expected.conversations) {
      phone.fail(
        "the question counts what is held", expected: "\(expected.messages) in \(expected.conversations)",
        found: "\(question.count) in \(question.conversations)")
    }
  }

  private func answer(_ answer: HeldMessages.Answer, _ held: [Promises.Held]) {
    guard !phone.network.isLiedTo else { return }
    let act = Promises.Act.answer(answer, held)
    let before = timelines()
    world.trace(
      name, "answers \(answer.rawValue) for \(held.flatMap(\.ids).map(\.rawValue).joined(separator: " "))")
    let isDone = begin(act, { try client.outbox.answerHeld(answer) }) { _ in
      world.count(deed: "answer held with \(answer.rawValue)")
      let left = heldNow().flatMap(\.ids)
      switch answer {
      case .send:
        check(left.isEmpty, "what is answered is done", "nothing held", "\(left)")
        for id in held.flatMap(\.ids) { phone.noteReleased(id) }
      case .backToComposer:
        check(left.isEmpty, "what is answered is done", "nothing held", "\(left)")
        for held in held { putBack(held) }
      case .keepWaiting:
        check(timelines() == before, "keep waiting changes nothing", "the same rows", "others")
      }
    }
    // Each conversation goes back in its own transaction, and a disk may fill up between two of them.
    if !isDone, !gate.isDead { phone.resolve(act, timelines(), client) }
  }

  private func putBack(_ held: Promises.Held) {
    phone.noteBack(held)
    let expected = phone.memory.withLock { $0.drafts[held.conversation]?.text }
    let found = client.drafts.text(in: held.conversation)
    let isBack = phone.store == nil ? found == expected : held.parts.allSatisfy(found.contains)
    check(
      isBack, "what is taken back is in the composer", "'\(expected ?? "")'", "'\(found)'")
    phone.checkOnePlace(in: held.conversation, client)
  }

  /// Taps one held message, or all of them one after the other.
  private func tapHeld(_ held: [Promises.Held]) async {
    for held in held {
      for row in phone.screen.rows(of: held.conversation)
      where row.status.state == .held && held.ids.contains(row.id) {
        guard !gate.isDead else { return }
        world.count(deed: "tap a held message")
        if world.isHealing || world.scheduler.draw({ $0.chance(0.6) }) {
          await retry(row, in: held.conversation)
        } else {
          await withdraw(row.id, in: held.conversation)
        }
        guard world.isHealing else { return }
      }
    }
  }

  func timelines() -> [ConversationID: [MessageRow]] {
    Dictionary(
      uniqueKeysWithValues: phone.conversations.map { conversation in
        (conversation, (try? phone.screen.fresh(conversation, of: client).rows) ?? [])
      })
  }

  private func check(_ holds: Bool, _ promise: String, _ expected: String, _ found: @autoclosure () -> String)
  {
    if !holds { phone.fail(promise, expected: expected, found: found()) }
  }
}
