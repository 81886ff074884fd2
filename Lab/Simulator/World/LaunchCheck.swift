import Holdfast

/// Checks of everything that a launch must restore.
extension SimulatedPhone {
  func checkLaunch(_ client: ChatClient, diedAt: Duration?) throws {
    var snapshots: [ConversationID: ConversationSnapshot] = [:]
    for conversation in shownConversations {
      snapshots[conversation] = try screen.fresh(conversation, of: client)
    }
    let timelines = snapshots.mapValues(\.rows)
    if let act = promises.actInProgress(on: device, in: name) { resolve(act, timelines, client) }
    noteTransmitted()
    for conversation in conversations {
      let rows = timelines[conversation] ?? []
      for message in promises.sent(by: device, in: conversation)
      where !rows.contains(where: { $0.id == message.id && mayShow($0.text, message) })
        && promises.changes[message.id]?.deletion == nil
        && !promises.mayBeWithdrawn(message.id, on: device)
        && !screen.mayHaveMadeRoom(message.id, in: snapshots[conversation], of: conversation)
      {
        let found = rows.first { $0.id == message.id }.map { "'\($0.text)'" }
        fail(
          "nothing lost", expected: "\(message.id) '\(message.text)' at launch", found: found ?? "nothing")
      }
      checkDraft(in: conversation, client, diedAt: diedAt)
      if let snapshot = snapshots[conversation] { screen.look(at: snapshot, of: conversation) }
    }
    resolveOnDevice(client, isDone: nil)
    checkDevice(client)
    checkFailedReplies(client)
    checkTable(client)
    checkPlaces(client, diedAt: diedAt)
    checkReply(timelines.values.flatMap { $0 }, diedAt: diedAt)
    try checkRequests(client)
    try checkFiles(client)
  }

  /// Checks that picked files are in their draft, and that every referenced file exists (rule D16).
  private func checkFiles(_ client: ChatClient) throws {
    let picked = memory.withLock { $0.picked.take() } ?? [:]
    for conversation in conversations {
      let found = client.drafts.attachments(in: conversation).map(\.id)
      if let expected = picked[conversation], expected != found {
        fail(
          "what is picked comes back", expected: "\(expected.count) files in \(conversation)",
          found: "\(found.count)")
      }
    }
    let missing = try client.store.auditAttachments(isSwept: false).missing
    if !missing.isEmpty {
      fail(
        "files go with what refers to them", expected: "all files at launch",
        found: "\(missing.count) missing")
    }
  }

  private func mayShow(_ text: String, _ message: Promises.Sent) -> Bool {
    text == message.text || promises.changes[message.id]?.texts.contains(text) == true
  }

  /// Checks that a stored text is restored, and that a sent text is not.
  private func checkDraft(in conversation: ConversationID, _ client: ChatClient, diedAt: Duration?) {
    guard store == nil else {
      checkSharedDraft(in: conversation, client)
      return checkOnePlace(in: conversation, client)
    }
    let restored = client.drafts.text(in: conversation)
    let stored = (try? client.drafts.stored(in: conversation)) ?? []
    if restored.isEmpty, let stored = stored.first(where: { !$0.isEmpty }) {
      fail("a discard is done or not", expected: "no draft in \(conversation)", found: "'\(stored)', unseen")
    }
    let savesItself = world.plan.faults[.phoneDisk] == 0
    let expected = memory.withLock { memory in
      let promise = memory.drafts[conversation] ?? DraftPromise()
      return promise.mayComeBack(after: diedAt ?? .zero, savesItself: savesItself)
    }
    if !expected.contains(restored) {
      fail(
        "a draft comes back",
        expected: "\(expected.map { "'\($0)'" }.joined(separator: " or ")) in \(conversation)",
        found: "'\(restored)'")
    }
    memory.withLock { $0.drafts[conversation] = DraftPromise(stored: restored) }
    checkOnePlace(in: conversation, client)
  }

  /// Checks an answer that the end of the process cut off (rule H3): at most the last quarter of a second is lost.
  private func checkReply(_ rows: [MessageRow], diedAt: Duration?) {
    let reply = memory.withLock { memory in
      defer { memory.reply = nil }
      return memory.reply.flatMap(promises.reply)
    }
    guard let reply, reply.writer == name, !reply.isBeingTakenUp, promises.changes[reply.id]?.deletion == nil,
      let diedAt,
      world.plan.faults[.phoneDisk] == 0
    else { return }
    let isSafe = diedAt - .milliseconds(251)
    let expected = reply.lengths.last { $0.at <= isSafe }?.length ?? 0
    let found = rows.first { $0.id == reply.id }?.text.count
    if (found ?? -1) < expected {
      fail(
        "what was streamed is stored", expected: "\(expected) characters of \(reply.id)",
        found: found.map(String.init) ?? "nothing")
    }
  }

  /// Checks the requests (rule P1): no process is left that waits for an answer, and the launch knows that.
  private func checkRequests(_ client: ChatClient) throws {
    guard store == nil, let request = try client.processingRequests().first(where: { !$0.isInterrupted })
    else { return }
    fail(
      "a request ends", expected: "\(request.id) to be interrupted at launch", found: "it under way")
  }

  /// Checks that a sent text is in the timeline and nowhere else: neither in the composer nor in a draft's row,
  /// shown or not.
  func checkOnePlace(in conversation: ConversationID, _ client: ChatClient) {
    guard store == nil else { return checkSharedPlaces(in: conversation, client) }
    let sent = Set(promises.sent(by: device, in: conversation).map(\.text))
    let drafts = (try? client.drafts.storedWithVersions(in: conversation)) ?? []
    if let draft = ([client.drafts.text(in: conversation)] + drafts).first(where: sent.contains) {
      fail("a sent text is in one place", expected: "'\(draft)' in the timeline", found: "it as a draft")
    }
  }
}
