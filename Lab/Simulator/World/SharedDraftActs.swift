import Holdfast

/// Drafts in a store that another process writes to as well.
extension SimulatedPhone {
  func noteShared(in conversation: ConversationID, _ change: (inout SharedDraftPromise) -> Void) {
    store?.drafts.withLock { change(&$0[conversation, default: SharedDraftPromise()]) }
  }

  /// Checks that every text that any process stored, and that no user removed, is in the draft or was sent.
  func checkSharedDraft(in conversation: ConversationID, _ client: ChatClient) {
    guard let store, let stored = try? client.drafts.stored(in: conversation) else { return }
    let places =
      stored + perhapsSent(in: conversation) + promises.sent(by: device, in: conversation).map(\.text)
    let kept = store.drafts.withLock { drafts in
      if world.plan.faults[.phoneDisk] == 0 {
        drafts[conversation]?.autosave(at: world.scheduler.now)
      }
      return drafts[conversation]?.kept ?? []
    }
    for text in kept where !places.contains(where: { $0.contains(text) }) {
      fail(
        "a draft comes back", expected: "'\(text)' in \(conversation)",
        found: stored.isEmpty ? "no draft" : stored.map { "'\($0)'" }.joined(separator: ", "))
    }
  }

  /// Checks that a sent text is in no draft's row. ``PhoneUser/staleComposer()`` checks the composers, which are
  /// notified of the send a moment later.
  func checkSharedPlaces(in conversation: ConversationID, _ client: ChatClient) {
    let drafts = (try? client.drafts.storedWithVersions(in: conversation)) ?? []
    if let (text, draft) = sentAgain(drafts, in: conversation) {
      fail("a sent text is in one place", expected: "'\(text)' in the timeline", found: "it in '\(draft)'")
    }
  }

  /// Whether a text was sent meanwhile, or may have been. Such a text is not restored.
  func isSent(_ text: String, in conversation: ConversationID) -> Bool {
    store != nil
      && (sentAgain([text], in: conversation) != nil
        || perhapsSent(in: conversation).contains(where: text.contains))
  }

  /// The texts of sends that have not returned. When the process ended in the send, its next launch shows the
  /// result.
  private func perhapsSent(in conversation: ConversationID) -> [String] {
    promises.actsInProgress(on: device).compactMap { act in
      if case .send(let text, conversation, _) = act { text } else { nil }
    }
  }

  /// Returns a sent text that a composer or draft still has, and the text of that composer or draft.
  func sentAgain(_ drafts: [String], in conversation: ConversationID) -> (text: String, draft: String)? {
    let sent = promises.sent(by: device, in: conversation)
      .filter { !promises.mayBeWithdrawn($0.id, on: device) }.map(\.text)
    for draft in drafts where !draft.isEmpty {
      if let text = sent.first(where: draft.contains) { return (text, draft) }
    }
    return nil
  }
}

extension PhoneUser {
  /// Leaves the foreground for a while. The app saves, and closes the connection, so that it holds no lock while it
  /// is suspended.
  func leaveForeground() async {
    guard phone.store != nil else { return }
    hideApp()
    guard !gate.isDead else { return }
    world.trace(name, "goes to the background")
    world.count(deed: "go to the background")
    phone.isInForeground = false
    let pause = world.scheduler.draw { $0.milliseconds(0...5000) }
    try? await world.scheduler.sleep(until: world.scheduler.now + pause)
    phone.network.credentials.nudge()
    phone.isInForeground = true
    world.trace(name, "is back in the foreground")
  }

  /// Returns a sent text that is still in a composer. Nil when no composer has such a text. A composer shows the other
  /// process's changes of its draft within a moment.
  func staleComposer() -> String? {
    guard phone.store != nil else { return nil }
    for conversation in phone.conversations {
      if let (text, _) = phone.sentAgain([client.drafts.text(in: conversation)], in: conversation) {
        return text
      }
    }
    return nil
  }
}
