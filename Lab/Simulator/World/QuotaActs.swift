import Holdfast

/// Phones that keep only the last messages (rule H11). Their users scroll back to the oldest messages, so that
/// unsent items refer to messages that would be evicted.
extension PhoneUser {
  var hasLimits: Bool { world.historyLimits(of: device) != ChatConfiguration.HistoryLimits() }

  /// Replies to one of the oldest messages, in a message or in a draft, or reacts to it.
  func referToOldest() {
    let conversation = Past.conversation
    guard
      let rows = try? phone.screen.fresh(phone.names.any(of: conversation), of: client).rows
    else { return }
    let oldest = rows.filter { $0.status.state == .delivered && !$0.isDeleted }
      .prefix(15)
    guard let row = world.scheduler.draw({ $0.pick(Array(oldest)) }), !gate.isDead else { return }
    // The message may be evicted a moment later.
    promises.noteReferred(row.id, on: device)
    world.count(deed: "refer to the oldest")
    switch world.scheduler.draw({ $0.unit() }) {
    case ..<0.45: answer(row.id, in: conversation)
    case ..<0.7: draftAnswer(to: row.id, in: conversation)
    default: change(row.id, .react("👀", isWanted: true), in: conversation)
    }
  }

  private func answer(_ id: MessageID, in conversation: ConversationID) {
    let text = phone.memory.withLock { "\(name) to \(conversation) \($0.sends), an answer." }
    countSend(
      begin(
        .send(text, conversation, isDraft: false),
        { try client.send(text, in: phone.names.any(of: conversation), replyTo: id) }
      ) { sent in
        phone.noteSent(sent, text, conversation)
        world.trace(name, "answers \(id) by \(sent)")
      })
  }

  private func draftAnswer(to id: MessageID, in conversation: ConversationID) {
    // Another process may turn the draft into a reply to another message.
    guard phone.store == nil else { return }
    let text = phone.memory.withLock { "\(name) to \(conversation) \($0.sends)." }
    edit(text, in: conversation)
    client.drafts.edit(text, answering: id, in: conversation)
    do {
      try client.drafts.save(in: conversation)
      phone.memory.withLock { memory in
        memory.drafts[conversation]?.store(text)
        memory.answered[conversation] = id
      }
      world.trace(name, "begins an answer to \(id)")
    } catch {
      checkRefusal(error)
    }
  }

  /// Checks that the message that a stored draft replies to still exists.
  func checkAnswered() {
    for (conversation, id) in phone.memory.withLock({ $0.answered }).sorted(by: {
      $0.key.rawValue < $1.key.rawValue
    }) {
      guard !gate.isDead, let answered = try? client.drafts.storedReplyTargets(in: conversation),
        let rows = try? phone.screen.fresh(conversation, of: client).rows
      else { return }
      guard answered.contains(id) else {
        phone.memory.withLock { $0.answered[conversation] = nil }
        continue
      }
      guard !rows.contains(where: { $0.id == id }) else { continue }
      phone.fail(
        "what something unsent refers to stays", expected: "\(id), which a draft answers", found: "it is gone"
      )
    }
  }
}
