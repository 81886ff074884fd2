import Holdfast

/// Conversations that the server refuses (rule O8).
extension PhoneUser {
  /// Asks the server again now and then, even while it still refuses.
  func lookAfterRefusals() async {
    guard world.plan.faults[.refusedConversation] > 0 else { return }
    for conversation in phone.conversations where phone.screen.isRefused(conversation) {
      // A forged receipt that arrives at this moment could be mistaken for a real one.
      guard !gate.isDead, !Task.isCancelled, !phone.network.isLiedTo else { return }
      guard world.isHealing ? mayAsk(for: conversation) : world.scheduler.draw({ $0.chance(0.2) }) else {
        continue
      }
      await askAgain(for: conversation)
    }
  }

  /// Retries the conversation, or one of its messages, which leaves the other messages in place.
  private func askAgain(for conversation: ConversationID) async {
    phone.network.credentials.nudge()
    let queued = unsent(in: conversation).filter { $0.status.state == .queued }
    let row = world.scheduler.draw { $0.chance(0.3) ? $0.pick(queued) : nil }
    await begin(
      .retryConversation(conversation),
      {
        if let row {
          try await client.message(row.id).retry()
        } else {
          try await client.conversation(phone.names.any(of: conversation)).retry()
        }
      }
    ) { _ in
      promises.blocking.lift(conversation, on: device)
      let refusal = try? client.reader.conversation(phone.names.any(of: conversation), limit: 1).refusal
      if refusal != nil, !gate.isDead {
        phone.fail(
          "who asks opens a conversation", expected: "\(conversation) to be open", found: "it is refused")
      }
      world.count(deed: "retry a refused conversation")
      world.trace(name, "asks for \(conversation) again\(row.map { ", by \($0.id)" } ?? "")")
    }
  }

  /// Whether the user may retry a conversation once the world has healed. The messages of all other conversations
  /// that are not refused have to arrive first, to show that they do. If the server announces the conversation, the
  /// announcement has to be enough.
  private func mayAsk(for conversation: ConversationID) -> Bool {
    let waited = world.scheduler.now - (world.healedAt ?? world.scheduler.now)
    if phone.server.gateway.refusals.isOpenedByAnnouncement(conversation, after: waited) {
      guard waited > .seconds(150) else { return false }
      phone.fail(
        "what the server announces is open again", expected: "\(conversation) to be refused no more",
        found: "it is refused")
      return true
    }
    let waiting = phone.conversations.filter { other in
      other != conversation && !phone.screen.isRefused(other) && !unsent(in: other).isEmpty
    }
    guard !waiting.isEmpty else { return true }
    guard waited > .seconds(120) else { return false }
    phone.fail(
      "a refused conversation stops no other", expected: "nothing waiting in \(waiting[0])",
      found: "\(unsent(in: waiting[0]).count)")
    return true
  }
}
