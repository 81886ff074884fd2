import Holdfast
import HoldfastTesting

/// Replies of an assistant, whose model fails now and then (rules L3, L4).
extension PhoneUser {
  /// Lets the assistant answer. Its model fails before the first word or later, or the user stops it.
  func askAssistant(in conversation: ConversationID) async {
    let number = phone.memory.withLock { memory in
      memory.assistantReplies += 1
      return memory.assistantReplies
    }
    let isOnDevice = promises.devices[device].isMade && world.scheduler.draw { $0.chance(0.5) }
    let conversation = isOnDevice ? DevicePromises.firstID(on: device) : conversation
    var sender = UserID.assistant("claude", of: phone.user)
    // In a local conversation, any ID may write.
    if isOnDevice, world.scheduler.draw({ $0.chance(0.5) }) {
      sender = UserID(rawValue: "\(DevicePromises.mark) model")
    }
    guard let id = await beginReply(number, as: sender, in: conversation, isOnDevice: isOnDevice) else {
      return
    }
    world.trace(name, "lets \(sender) answer by \(id) in \(conversation)")
    world.count(deed: "ask an assistant")
    await answer("\(isOnDevice ? "\(DevicePromises.mark): " : "")\(name)'s assistant \(number):", by: id)
  }

  /// Begins a reply to a question that the same call sends, or to none. Returns nil when it was refused, and when
  /// the process ended in the call.
  private func beginReply(
    _ number: Int, as sender: UserID, in conversation: ConversationID, isOnDevice: Bool
  ) async -> MessageID? {
    let chat = client.conversation(conversation)
    guard !isOnDevice, world.scheduler.draw({ $0.chance(0.5) }) else {
      do {
        let reply = try await chat.beginReply(
          as: sender, answering: RequestID(rawValue: "\(name) asks \(number)"))
        note(reply.id, by: sender, in: conversation)
        return reply.id
      } catch {
        checkRefusal(error)
        return nil
      }
    }
    let question = "\(name) asks \(number) in \(conversation)."
    var begun: MessageID?
    phone.memory.withLock { $0.asked = (question, conversation) }
    await begin(.send(question, conversation, isDraft: false)) {
      try await chat.ask(question, of: sender)
    } done: { reply in
      if let id = reply.question { phone.noteSent(id, question, conversation) }
      note(reply.id, by: sender, in: conversation)
      world.count(deed: "ask a question")
      begun = reply.id
    }
    if !gate.isDead { phone.memory.withLock { $0.asked = nil } }
    return begun
  }

  /// Checks that a question whose process ended in the call has a reply, or was not asked (rule L9).
  func checkAsked() {
    guard let asked = phone.memory.withLock({ memory in memory.asked.take() }), phone.store == nil,
      let rows = try? phone.screen.fresh(asked.conversation, of: client).rows,
      let question = rows.first(where: { $0.isMine && $0.text == asked.text })
    else { return }
    let isAnswered = rows.contains { row in
      let request = try? client.store.read { try $0.streams.request(answeredBy: row.id) }
      return request?.rawValue == question.id.rawValue
    }
    world.count(deed: "find a question after a crash")
    guard !isAnswered, !gate.isDead else { return }
    phone.fail(
      "no question is without an answer", expected: "a reply to \(question.id) '\(asked.text)'", found: "none"
    )
  }

  private func answer(_ beginning: String, by id: MessageID) async {
    let (outcome, pieces) = world.scheduler.draw { random in
      (random.unit(), Int.random(in: 1...4, using: &random))
    }
    switch outcome {
    case ..<0.25: await fail(id)
    case ..<0.4: if await append(pieces, beginning, to: id) { await fail(id) }
    case ..<0.5: if await append(pieces, beginning, to: id) { await interrupt(id) }
    case ..<0.6:
      // The model stalls, until its user has waited long enough.
      guard await append(pieces, beginning, to: id) else { return }
      world.count(deed: "wait for a model")
      let pause = world.scheduler.draw { $0.milliseconds(5_000...40_000) }
      try? await world.scheduler.sleep(until: world.scheduler.now + pause)
      if !gate.isDead { await interrupt(id) }
    default: if await append(pieces * 3, beginning, to: id) { await finish(id) }
    }
  }

  /// Makes the model of a reply fail.
  func fail(_ id: MessageID) async {
    let explanation = "The model of \(name) failed \(id) at \(world.scheduler.now)."
    promises.mayFail(id, explanation)
    await end(id, as: .interrupt(id)) { _ in
      try await client.reply(id).fail(explanation)
    } done: { _ in
      promises.noteFailed(id, explanation)
      world.count(deed: "fail a reply")
      world.trace(name, "fails \(id)")
    }
    if !gate.isDead { phone.checkFailedReplies(client) }
  }

  private func interrupt(_ id: MessageID) async {
    await end(id, as: .interrupt(id)) { _ in
      try await client.reply(id).interrupt()
    } done: { _ in
      world.trace(name, "stops \(id)")
    }
  }
}

extension SimulatedPhone {
  /// Checks that each reply whose model failed is a row with the reason and the text so far, until its user retries,
  /// continues or deletes it.
  func checkFailedReplies(_ client: ChatClient) {
    for reply in promises.replies where reply.device == device {
      guard let failure = reply.failure, promises.changes[reply.id]?.deletion == nil,
        let snapshot = try? screen.fresh(reply.conversation, of: client)
      else { continue }
      let row = snapshot.rows.first { $0.id == reply.id }
      let expected = MessageStatus(.failed, failure: FailureReason(.replyFailed, failure))
      let actions: [MessageRow.Action] = reply.text.isEmpty ? [] : [.continueReply]
      let isKept =
        row?.status == expected && row?.text == reply.text
        && row?.actions == actions + [.retryReply, .delete]
      guard !isKept else { continue }
      fail(
        "a reply that failed says why", expected: "\(reply.id) with '\(reply.text)' and '\(failure)'",
        found: row.map { "'\($0.text)', \($0.status)" } ?? "nothing")
    }
  }
}
