import Holdfast

/// Marking messages as read.
extension PhoneUser {
  /// Marks a conversation as read up to a message on the screen.
  func readOn() {
    guard phone.memory.withLock({ $0.reads }) < phone.plan.reads,
      world.scheduler.draw({ $0.chance(0.3) }),
      let conversation = world.scheduler.draw({ $0.pick(phone.conversations) })
    else { return }
    // An imported message is on no server.
    let sent = Set(promises.sent.map(\.id))
    let rows = phone.screen.rows(of: conversation).filter {
      $0.status.state == .delivered && sent.contains($0.id)
    }
    guard let row = world.scheduler.draw({ $0.pick(rows) }) else { return }
    phone.memory.withLock { $0.reads += 1 }
    promises.reading.begin(row.id, by: phone.user, in: conversation)
    do {
      try client.conversation(conversation).markRead(upTo: row.id)
      promises.reading.keep(row.id, by: phone.user, in: conversation)
      world.count(deed: "read")
      world.trace(name, "reads \(conversation) up to \(row.id)")
    } catch {
      checkRefusal(error)
    }
  }
}
