import Holdfast
import HoldfastTesting

/// Answers that are written piece by piece.
extension PhoneUser {
  func writeReply(in conversation: ConversationID) async {
    let number = phone.memory.withLock { memory in
      memory.replies += 1
      return memory.replies
    }
    guard
      let id = try? await client.conversation(conversation).beginReply(
        answering: RequestID(rawValue: "\(name) \(number)")
      ).id
    else { return }
    note(id, by: phone.user, in: conversation)
    world.trace(name, "begins the answer \(id) in \(conversation)")
    await write("\(name)'s answer \(number):", to: id)
  }

  /// Continues, regenerates or deletes the answers that failed or were cut off: eventually all of them (rules H3,
  /// L4).
  func lookAfterReplies() async {
    checkAsked()
    for conversation in phone.shownConversations {
      guard !gate.isDead, !Task.isCancelled else { return }
      let cutOff = interruptedReplies(in: conversation)
      if !cutOff.isEmpty { checkRequest(in: conversation) }
      for row in cutOff where world.isHealing || world.scheduler.draw({ $0.chance(0.4) }) {
        await takeUp(row, in: conversation)
        guard !gate.isDead, !Task.isCancelled else { return }
      }
    }
  }

  /// Checks the request of an answer that was cut off (rule P1). Nobody works on it, regardless of the server's copy
  /// of the answer.
  private func checkRequest(in conversation: ConversationID) {
    // Another process on the store may write an answer.
    guard phone.store == nil,
      let request = try? client.reader.conversation(conversation, limit: 1).processing,
      !request.isInterrupted
    else { return }
    phone.fail(
      "a request ends", expected: "\(request.id) to be interrupted with its answer",
      found: "it under way")
  }

  /// Whether there are cut-off answers that the user still has to finish.
  var hasInterruptedReplies: Bool {
    phone.shownConversations.contains { !interruptedReplies(in: $0).isEmpty }
  }

  private func interruptedReplies(in conversation: ConversationID) -> [MessageRow] {
    let snapshot = try? phone.screen.fresh(conversation, of: client)
    return (snapshot?.rows ?? []).filter { $0.actions.contains(.retryReply) }
  }

  private func takeUp(_ row: MessageRow, in conversation: ConversationID) async {
    let id = row.id
    // The process may have ended in the call that began the answer.
    if promises.reply(id) == nil { note(id, by: row.sender, in: conversation) }
    if world.plan.assistantReplies > 0, world.scheduler.draw({ $0.chance(0.3) }) {
      return deleteReply(id, in: conversation)
    }
    // An empty reply cannot be continued.
    let isAnew = world.scheduler.draw { $0.chance(0.4) } || !row.actions.contains(.continueReply)
    let launches = world.launches(of: device)
    let failure = promises.reply(id)?.failure
    do {
      promises.mayBeTakenUp(id)
      if isAnew {
        try await client.message(id).retryReply()
        promises.noteContinued(id, behind: "", by: name)
      } else {
        promises.noteContinued(id, behind: try await client.message(id).continueReply().textSoFar, by: name)
      }
    } catch {
      // A full disk leaves the reply unchanged.
      if error.code == .storageFull, !gate.isDead { promises.noteFailed(id, failure) }
      if !gate.isDead { promises.noteLeft(id) }
      return checkRefusal(error)
    }
    phone.memory.withLock { $0.reply = id }
    world.count(deed: isAnew ? "retry a reply" : "continue a reply")
    if failure != nil { world.count(deed: "take up a failed reply") }
    world.trace(name, "\(isAnew ? "writes anew" : "goes on with") \(id)")
    if failure != nil, row.text.isEmpty, !world.isHealing, world.scheduler.draw({ $0.chance(0.3) }) {
      return await fail(id)
    }
    // Several answers that are resumed in one launch must differ in their text.
    let mark = "\(launches) as \(id):"
    await write(isAnew ? "\(name)'s second answer \(mark)" : " and \(mark)", to: id)
  }

  private func deleteReply(_ id: MessageID, in conversation: ConversationID) {
    phone.memory.withLock { $0.reply = nil }
    change(id, .delete, in: conversation)
    if promises.withdrawn.contains(id) { world.count(deed: "delete a reply") }
  }

  func note(_ id: MessageID, by sender: UserID, in conversation: ConversationID) {
    phone.memory.withLock { $0.reply = id }
    promises.noteReply(
      Promises.Reply(id: id, sender: sender, device: device, writer: name, conversation: conversation))
  }

  private func write(_ beginning: String, to id: MessageID) async {
    let pieces = world.scheduler.draw { Int.random(in: 1...12, using: &$0) }
    if await append(pieces, beginning, to: id) { await finish(id) }
  }

  /// Appends pieces to a reply. Returns whether all of them were accepted.
  func append(_ pieces: Int, _ beginning: String, to id: MessageID) async -> Bool {
    for piece in 0..<pieces {
      let pause = world.scheduler.draw { $0.milliseconds($0.chance(0.2) ? 200...900 : 0...90) }
      try? await world.scheduler.sleep(until: world.scheduler.now + pause)
      guard !gate.isDead else { return false }
      let text = piece == 0 ? beginning : " word \(piece)"
      promises.append(text, to: id, by: name, at: world.scheduler.now)
      do {
        try await client.reply(id).append(text)
      } catch {
        checkRefusal(error)
        return false
      }
    }
    return true
  }

  func finish(_ id: MessageID) async {
    await end(id, as: .finish(id)) { reply in
      guard reply.conversation == DevicePromises.firstID(on: device) else {
        return try await client.reply(id).finish()
      }
      let whole = DevicePromise.New(id: id, sender: reply.sender, text: reply.text)
      promises.devices.update(device) { $0.begin(.add([whole]), in: name) }
      do {
        try await client.reply(id).finish()
        resolveOnDevice(isDone: true, "finish \(id)")
      } catch {
        resolveOnDevice(isDone: nil, "finish \(id)")
        throw error
      }
    } done: { reply in
      if phone.conversations.contains(reply.conversation) {
        phone.noteSent(id, reply.text, reply.conversation, by: reply.sender)
      }
      phone.memory.withLock { $0.reply = nil }
      world.trace(name, "finishes \(id)")
    }
  }

  /// Ends a reply, unless another process has taken it over. While the disk is full, the reply is still being
  /// written, and its end is retried.
  func end(
    _ id: MessageID, as act: Promises.Act, _ call: (Promises.Reply) async throws -> Void,
    done: (Promises.Reply) -> Void
  ) async {
    while !gate.isDead, !Task.isCancelled, let reply = promises.reply(id), reply.writer == name {
      var isTaken = false
      let isDone = await begin(act) {
        do {
          try await call(reply)
        } catch let error as ChatError {
          isTaken = [.beingWritten, .unknownMessage].contains(error.code)
          throw error
        }
      } done: { _ in
        done(reply)
      }
      guard !isDone, !isTaken else { return }
      try? await world.scheduler.sleep(until: world.scheduler.now + .seconds(1))
    }
  }
}
