import Holdfast

/// Conversations that get an ID from the server (rule D15).
extension PhoneUser {
  /// The app learns of the ID, and assigns it to the conversation some time later.
  func rename(_ conversation: ConversationID) async {
    let number = phone.memory.withLock { memory in
      memory.renames += 1
      return memory.renames
    }
    guard number <= phone.plan.renames else { return }
    let new = phone.names.announce(conversation)
    world.trace(name, "learns that \(conversation) is \(new)")
    let pause = world.scheduler.draw { $0.chance(0.5) ? .zero : $0.milliseconds(0...4000) }
    try? await world.scheduler.sleep(until: world.scheduler.now + pause)
    await takeOverNames()
  }

  /// Assigns to conversations the IDs that the app has learned of. A rename that was in progress when the process
  /// ended is started again.
  func takeOverNames() async {
    for conversation in phone.names.awaited where !gate.isDead && !Task.isCancelled {
      let (old, new) = (phone.names.any(of: conversation), phone.names.announce(conversation))
      do {
        let isAnnounced = try isAnnouncedByServer(new) && client.reader.conversation(old, limit: 1).exists
        if isAnnounced {
          try await client.takeName(new, of: old)
          world.count(deed: "get another ID from the server")
        } else {
          try await client.conversation(old).replaceID(with: new)
        }
        guard !gate.isDead else { return }
        phone.names.give(conversation)
        world.count(deed: "rename")
        world.trace(name, "calls \(conversation) \(new)")
      } catch {
        checkRefusal(error)
      }
    }
  }

  /// Every other ID is announced by the server, and the app asks for the rest. Nothing is drawn for it, so that the
  /// worlds of earlier failures stay the same.
  private func isAnnouncedByServer(_ id: ConversationID) -> Bool {
    id.rawValue.utf8.reduce(0) { $0 + Int($1) }.isMultiple(of: 2)
  }
}
