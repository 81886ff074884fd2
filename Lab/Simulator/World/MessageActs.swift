import Holdfast

/// Sending, withdrawing and retrying messages.
extension PhoneUser {
  func sendDraft(_ text: String, in conversation: ConversationID) {
    edit(text, in: conversation)
    attach(besides: text, in: conversation)
    // Storing the file may have merged the text with another process's text. The user sees that, and does not send
    // the merged text.
    guard !gate.isDead, phone.store == nil || client.drafts.text(in: conversation) == text else { return }
    let attachments = client.drafts.attachments(in: conversation)
    countSend(
      begin(.send(text, conversation, isDraft: true), { try client.conversation(conversation).sendDraft() }) {
        id in
        phone.noteSent(id, text, conversation, attachments: attachments)
        phone.memory.withLock { $0.drafts[conversation]?.store("") }
        phone.noteShared(in: conversation) { $0.release(text, in: name, isSent: true) }
        // A send ends the offer to restore the text that was discarded before it.
        forgetDiscarded(in: conversation)
        world.trace(name, "sends \(id) to \(conversation)")
      })
  }

  /// Taps send twice. The second tap finds an empty composer.
  func tapTwice(_ text: String, in conversation: ConversationID) {
    sendDraft(text, in: conversation)
    guard !gate.isDead, client.drafts.text(in: conversation).isEmpty else { return }
    do {
      let id = try client.conversation(conversation).sendDraft()
      phone.fail("nothing twice", expected: "the second tap to find nothing", found: "\(id)")
    } catch {
      if error.code != .emptyMessage { checkRefusal(error) }
    }
  }

  func sendQuickly(_ text: String, in conversation: ConversationID) {
    // The draft may have the text that the composer would have sent, so a text that is sent without the composer
    // must differ.
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

  /// Counts a send. A text that may have been sent is not sent again.
  func countSend(_ isDone: Bool) {
    guard isDone || gate.isDead else { return }
    phone.memory.withLock { $0.sends += 1 }
  }

  /// Takes a waiting message back, or deletes it.
  func changeMind(in conversation: ConversationID) async {
    // An edited message would return with a text that differs from the sent text.
    let rows = unsent(in: conversation).filter { !$0.hasFailed && promises.changes[$0.id] == nil }
    guard let row = world.scheduler.draw({ $0.pick(rows) }) else { return }
    await withdraw(row.id, in: conversation)
  }

  /// Retries failed messages, takes them back or deletes them. Retries all of them once all faults have ended.
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
          // A message that may have arrived reappears if it has, so nothing can be promised about it.
          await withdraw(row.id, in: conversation)
        }
      }
      await lookAfterFailedChanges(in: conversation)
    }
  }

  func retry(_ row: MessageRow, in conversation: ConversationID) async {
    // A message must not be sent at the moment in which a forged receipt for it arrives: the phone could not
    // distinguish that receipt from a real one.
    guard !phone.network.isLiedTo else { return }
    phone.network.credentials.nudge()
    // The message may have arrived long ago, at an unknown place in the order.
    let hasPlace = !row.mayHaveArrived
    if row.mayHaveArrived { phone.server.backend.allow(row.id) }
    let newest = phone.newestOutcome(client)
    let act = Promises.Act.retry(row.id, conversation, hasFailed: row.hasFailed)
    await begin(act, { try await client.message(row.id).retry() }) { _ in
      promises.noteRetried(
        row.id, hasPlace: hasPlace, keepsPlace: row.hasFailed && world.plan.strictOrder,
        at: world.scheduler.now)
      promises.blocking.lift(conversation, on: device)
      if let newest { phone.table.update { $0.retried[row.id] = newest } }
      world.trace(name, "retries \(row.id)")
    }
  }

  func withdraw(_ id: MessageID, in conversation: ConversationID) async {
    let text = promises.sent.first { $0.id == id }?.text
    if world.scheduler.draw({ $0.chance(0.5) }) {
      await begin(
        .withdraw(id, conversation, toComposer: true), { try await client.message(id).takeBack() },
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
      await begin(.withdraw(id, conversation, toComposer: false), { try await client.message(id).cancel() }) {
        _ in
        promises.noteWithdrawn(id)
        world.trace(name, "deletes \(id)")
      }
    }
  }

  func unsent(in conversation: ConversationID) -> [MessageRow] {
    let own = Set(promises.sent(by: device, in: conversation).map(\.id))
    return phone.screen.rows(of: conversation).filter { $0.status.isUnsent && own.contains($0.id) }
  }
}
