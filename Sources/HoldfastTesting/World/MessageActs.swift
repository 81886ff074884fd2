import Holdfast

/// Messages.
extension PhoneUser {
  func sendDraft(_ text: String, in conversation: ConversationID) {
    edit(text, in: conversation)
    attach(besides: text, in: conversation)
    // Storing the file has joined it with what another process wrote: its user sees that, and does not send it so.
    guard !gate.isDead, phone.store == nil || client.draftText(in: conversation) == text else { return }
    let attachments = client.draftAttachments(in: conversation)
    countSend(
      begin(.send(text, conversation, isDraft: true), { try client.sendDraft(in: conversation) }) { id in
        phone.noteSent(id, text, conversation, attachments: attachments)
        phone.memory.withLock { $0.drafts[conversation]?.store("") }
        phone.noteShared(in: conversation) { $0.release(text, in: name, isSent: true) }
        // What is sent ends the offer to bring back what was there before.
        forgetDiscarded(in: conversation)
        world.trace(name, "sends \(id) to \(conversation)")
      })
  }

  /// The second tap finds an empty composer.
  func tapTwice(_ text: String, in conversation: ConversationID) {
    sendDraft(text, in: conversation)
    guard !gate.isDead, client.draftText(in: conversation).isEmpty else { return }
    do {
      let id = try client.sendDraft(in: conversation)
      phone.fail("nothing twice", expected: "the second tap to find nothing", found: "\(id)")
    } catch {
      if error.code != .emptyMessage { checkRefusal(error) }
    }
  }

  func sendQuickly(_ text: String, in conversation: ConversationID) {
    // The draft may hold what the composer would have sent: a text sent past it must be another.
    let text = text + " quickly"
    countSend(
      begin(
        .send(text, conversation, isDraft: false),
        { try client.send(text, in: phone.names.any(of: conversation)) }
      ) { id in
        phone.noteSent(id, text, conversation)
        world.trace(name, "sends \(id) to \(conversation)")
      })
  }

  /// A text that may have been sent is not sent again.
  func countSend(_ isDone: Bool) {
    guard isDone || gate.isDead else { return }
    phone.memory.withLock { $0.sends += 1 }
  }

  /// Takes a message back that waits, or deletes it.
  func changeMind(in conversation: ConversationID) async {
    // One that was edited would come back with another text than was sent.
    let rows = unsent(in: conversation).filter { !$0.hasFailed && promises.changes[$0.id] == nil }
    guard let row = world.scheduler.draw({ $0.pick(rows) }) else { return }
    await withdraw(row.id, in: conversation)
  }

  /// Retries, edits or deletes what has failed; retries all of it once nothing goes wrong any more.
  func lookAfterFailures() async {
    for conversation in phone.conversations {
      for row in unsent(in: conversation) where row.hasFailed {
        guard !gate.isDead else { return }
        let dice = world.isHealing ? 0 : world.scheduler.draw { $0.unit() }
        if dice < 0.4 {
          await retry(row, in: conversation)
        } else if dice < 0.6, !row.mayHaveArrived,
          promises.changes[row.id] == nil
        {
          // One that may have arrived comes back if it had, so nothing can be promised of it.
          await withdraw(row.id, in: conversation)
        }
      }
      await lookAfterFailedChanges(in: conversation)
    }
  }

  func retry(_ row: MessageRow, in conversation: ConversationID) async {
    // Whoever is told of a receipt for it at this moment must not send it: nobody could tell it from a true one.
    guard !phone.network.isLiedTo else { return }
    phone.network.credentials.nudge()
    // It may have arrived long ago, and nobody knows where in the order.
    let hasPlace = !row.mayHaveArrived
    if row.mayHaveArrived { phone.server.backend.allow(row.id) }
    let act = Promises.Act.retry(row.id, conversation, hasFailed: row.hasFailed)
    await begin(act, { try await client.retry(row.id) }) { _ in
      promises.noteRetried(
        row.id, hasPlace: hasPlace, keepsPlace: row.hasFailed && world.plan.strictOrder,
        at: world.scheduler.now)
      promises.standing.lift(conversation, on: device)
      world.trace(name, "retries \(row.id)")
    }
  }

  func withdraw(_ id: MessageID, in conversation: ConversationID) async {
    let text = promises.sent.first { $0.id == id }?.text
    if world.scheduler.draw({ $0.chance(0.5) }) {
      await begin(
        .withdraw(id, conversation, toComposer: true), { try await client.takeBack(id) },
        done: { content in
          promises.noteWithdrawn(id)
          phone.memory.withLock { $0.drafts[conversation, default: DraftPromise()].takeBack(text ?? "") }
          world.trace(name, "takes \(id) back")
          phone.noteShared(in: conversation) { shared in
            shared.store(name)
            shared.keep(text ?? "")
          }
          let expected = phone.memory.withLock { $0.drafts[conversation]?.text }
          let isBack = phone.store == nil ? content.text == expected : content.text.contains(text ?? "")
          if !isBack {
            phone.fail(
              "what is taken back is in the composer", expected: "'\(expected ?? "")'",
              found: "'\(content.text)'")
          }
        })
    } else {
      await begin(.withdraw(id, conversation, toComposer: false), { try await client.cancel(id) }) { _ in
        promises.noteWithdrawn(id)
        world.trace(name, "deletes \(id)")
      }
    }
  }

  func unsent(in conversation: ConversationID) -> [MessageRow] {
    let own = Set(promises.sent(by: device, in: conversation).map(\.id))
    return phone.screen.rows(of: conversation).filter { $0.delivery != .delivered && own.contains($0.id) }
  }
}
