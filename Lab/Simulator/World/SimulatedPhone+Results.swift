import Holdfast

/// The results of calls in which the process ended, or which failed half-way.
extension SimulatedPhone {
  func resolve(
    _ act: Promises.Act, _ timelines: [ConversationID: [MessageRow]], _ client: ChatClient
  ) {
    let rows = timelines.values.flatMap { $0 }
    switch act {
    case .send(let text, let conversation, let isDraft):
      if let row = timelines[conversation]?.first(where: { $0.isMine && $0.text == text }) {
        noteSent(row.id, text, conversation)
        if isDraft {
          memory.withLock { $0.drafts[conversation, default: DraftPromise()].store("") }
          noteShared(in: conversation) { $0.release(text, in: name, isSent: true) }
        }
      }
    case .retry(let id, let conversation, let hasFailed):
      if let row = rows.first(where: { $0.id == id }) {
        if row.isStopped {
          noteMayHaveMoved([id])
        } else {
          promises.noteRetried(
            id, hasPlace: false, keepsPlace: hasFailed && world.plan.strictOrder, at: world.scheduler.now)
        }
      }
      promises.blocking.lift(conversation, on: device)
    case .retryConversation(let conversation): promises.blocking.lift(conversation, on: device)
    case .withdraw(let id, let conversation, let toComposer):
      guard !rows.contains(where: { $0.id == id }) else { break }
      let text = promises.sent.first { $0.id == id }?.text ?? ""
      promises.noteWithdrawn(id)
      if toComposer {
        memory.withLock { $0.drafts[conversation, default: DraftPromise()].takeBack(text) }
        noteShared(in: conversation) { $0.keepUnlessReleased(text) }
      }
    case .finish(let id):
      // Another process may have found the answer cut off, and finished it since.
      let isNoted = promises.sent.contains { $0.id == id }
      if !isNoted, let reply = promises.reply(id), conversations.contains(reply.conversation),
        rows.contains(where: { $0.id == id && $0.status.isComplete })
      {
        noteSent(id, reply.text, reply.conversation, by: reply.sender)
      }
    case .discard(let conversation):
      if (try? client.drafts.stored(in: conversation)) == [] {
        memory.withLock { $0.drafts[conversation, default: DraftPromise()].store("") }
      }
    case .answer(let answer, let held): resolve(answer, held, rows)
    case .change(let id, .delete, _):
      if !rows.contains(where: { $0.id == id }) { promises.noteWithdrawn(id) }
    case .change, .interrupt: break
    case .importQueue: noteQueue(timelines)
    }
    promises.finishAct(of: device, in: name)
  }

  /// Determines the result of an answer about held messages. Sending is done for all of them or for none, and each
  /// conversation is back in its composer or not.
  private func resolve(_ answer: HeldMessages.Answer, _ held: [Promises.Held], _ rows: [MessageRow]) {
    let waiting = Set(rows.filter { $0.status.state == .held }.map(\.id))
    let present = Set(rows.map(\.id))
    switch answer {
    case .keepWaiting:
      requireAllOrNone(held.flatMap(\.ids).map(waiting.contains), "held, as before")
    case .send:
      let released = held.flatMap(\.messages).filter { !waiting.contains($0.id) }
      // Another process may have sent some of the messages since, and held the others again.
      if store == nil { requireAllOrNone(held.flatMap(\.ids).map(waiting.contains), "held, or sent") }
      for message in released { noteReleased(message.id) }
      noteMayHaveMoved(held.flatMap(\.ids).filter(waiting.contains))
    case .backToComposer:
      // Messages that another process has withdrawn meanwhile were not put back by this call.
      let withdrawn = promises.withdrawn
      for var held in held {
        held.messages.removeAll { withdrawn.contains($0.id) }
        requireAllOrNone(held.ids.map(present.contains), "held, or in the composer")
        if !held.ids.isEmpty, held.ids.allSatisfy({ !present.contains($0) }) { noteBack(held, isLate: true) }
      }
    }
  }

  /// Records that messages may have moved. The call that did not return may have put them back, and another process
  /// may have stopped them again.
  private func noteMayHaveMoved(_ ids: [MessageID]) {
    if store != nil { promises.noteWithoutPlace(ids) }
  }

  func requireAllOrNone(_ isLeft: [Bool], _ expected: String) {
    guard Set(isLeft).count > 1 else { return }
    fail(
      "a call is done or not", expected: "\(isLeft.count) messages to be \(expected)",
      found: "\(isLeft.count { $0 }) of them left")
  }

  /// Records that a message was released. It goes after everything that waits on this phone.
  func noteReleased(_ id: MessageID) {
    promises.noteRetried(id, hasPlace: true, at: world.scheduler.now)
    world.trace(name, "lets \(id) go")
  }

  /// Records that a conversation's held texts are in its composer.
  func noteBack(_ held: Promises.Held, isLate: Bool = false) {
    for id in held.ids {
      promises.noteWithdrawn(id)
      world.trace(name, "has \(id) back in the composer")
    }
    memory.withLock { $0.drafts[held.conversation, default: DraftPromise()].takeBack(held.text) }
    noteShared(in: held.conversation) { shared in
      shared.store(name)
      for part in held.parts { if isLate { shared.keepUnlessReleased(part) } else { shared.keep(part) } }
    }
  }
}

extension MessageRow {
  /// Whether the message is sent only when its user decides so.
  var isStopped: Bool { hasFailed || status.state == .held }
}
