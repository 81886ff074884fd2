import Holdfast

/// Answers that are written piece by piece.
extension PhoneUser {
  func writeReply(in conversation: ConversationID) async {
    guard let id = try? await client.beginStream(in: conversation) else { return }
    let number = phone.memory.withLock { memory in
      memory.replies += 1
      memory.reply = id
      return memory.replies
    }
    promises.noteReply(
      Promises.Reply(id: id, sender: phone.user, device: device, conversation: conversation))
    world.trace(name, "begins the answer \(id) in \(conversation)")
    let pieces = world.scheduler.draw { Int.random(in: 1...12, using: &$0) }
    for piece in 0..<pieces {
      let pause = world.scheduler.draw { $0.milliseconds($0.chance(0.2) ? 200...900 : 0...90) }
      try? await world.scheduler.sleep(until: world.scheduler.now + pause)
      guard !gate.isDead else { return }
      let text = piece == 0 ? "\(name)'s answer \(number):" : " word \(piece)"
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
        world.trace(name, "finishes \(id)")
      }
      guard !isDone else { return }
      // There is no room on the disk: the text stays, and is finished later.
      try? await world.scheduler.sleep(until: world.scheduler.now + .seconds(1))
    }
  }
}
