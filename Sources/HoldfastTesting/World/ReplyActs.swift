import Holdfast

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
    note(id, in: conversation)
    world.trace(name, "begins the answer \(id) in \(conversation)")
    await write("\(name)'s answer \(number):", to: id)
  }

  /// Continues or rewrites the answers that the end of a process cut off: sooner or later, and in the end all
  /// of them (SPEC H3).
  func lookAfterReplies() async {
    for conversation in phone.conversations {
      guard !gate.isDead, !Task.isCancelled else { return }
      let cutOff = interruptedReplies(in: conversation)
      for row in cutOff where world.isHealing || world.scheduler.draw({ $0.chance(0.4) }) {
        await takeUp(row, in: conversation)
        guard !gate.isDead, !Task.isCancelled else { return }
      }
    }
  }

  /// Whether there are cut-off answers that the user still has to finish.
  var hasInterruptedReplies: Bool {
    phone.conversations.contains { !interruptedReplies(in: $0).isEmpty }
  }

  private func interruptedReplies(in conversation: ConversationID) -> [MessageRow] {
    let snapshot = try? client.conversationSnapshot(conversation, limit: Screen.limit)
    return (snapshot?.rows ?? []).filter { $0.actions.contains(.retryReply) }
  }

  private func takeUp(_ row: MessageRow, in conversation: ConversationID) async {
    let id = row.id
    // A reply without a word cannot be continued.
    let isAnew = world.scheduler.draw { $0.chance(0.4) } || !row.actions.contains(.continueReply)
    let launches = world.launches(of: device)
    do {
      // The process may have ended in the call that began the answer.
      if promises.reply(id) == nil { note(id, in: conversation) }
      promises.mayBeTakenUp(id)
      if isAnew {
        try await client.message(id).retryReply()
        promises.goOn(with: id, behind: "", by: name)
      } else {
        promises.goOn(with: id, behind: try await client.message(id).continueReply().textSoFar, by: name)
      }
    } catch { return checkRefusal(error) }
    phone.memory.withLock { $0.reply = id }
    world.count(deed: isAnew ? "retry a reply" : "continue a reply")
    world.trace(name, "\(isAnew ? "writes anew" : "goes on with") \(id)")
    // Several answers that are taken up in one launch must differ in their text.
    let mark = "\(launches) as \(id):"
    await write(isAnew ? "\(name)'s second answer \(mark)" : " and \(mark)", to: id)
  }

  private func note(_ id: MessageID, in conversation: ConversationID) {
    phone.memory.withLock { $0.reply = id }
    promises.noteReply(
      Promises.Reply(id: id, sender: phone.user, device: device, writer: name, conversation: conversation))
  }

  private func write(_ beginning: String, to id: MessageID) async {
    let pieces = world.scheduler.draw { Int.random(in: 1...12, using: &$0) }
    for piece in 0..<pieces {
      let pause = world.scheduler.draw { $0.milliseconds($0.chance(0.2) ? 200...900 : 0...90) }
      try? await world.scheduler.sleep(until: world.scheduler.now + pause)
      guard !gate.isDead else { return }
      let text = piece == 0 ? beginning : " word \(piece)"
      promises.append(text, to: id, by: name, at: world.scheduler.now)
      do { try await client.reply(id).append(text) } catch { return checkRefusal(error) }
    }
    await finish(id)
  }

  private func finish(_ id: MessageID) async {
    while !gate.isDead, !Task.isCancelled, let reply = promises.reply(id), reply.writer == name {
      var isTaken = false
      let isDone = await begin(.finish(id)) {
        do {
          try await client.reply(id).finish()
        } catch let error as ChatError {
          isTaken = [.beingWritten, .unknownMessage].contains(error.code)
          throw error
        }
      } done: { _ in
        phone.noteSent(id, reply.text, reply.conversation)
        phone.memory.withLock { $0.reply = nil }
        world.trace(name, "finishes \(id)")
      }
      guard !isDone, !isTaken else { return }
      // The disk is full: the text stays, and is finished later.
      try? await world.scheduler.sleep(until: world.scheduler.now + .seconds(1))
    }
  }
}
