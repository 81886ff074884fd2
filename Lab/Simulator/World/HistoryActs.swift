import Holdfast

/// Older messages (rule B6).
extension PhoneUser {
  /// Scrolls up past the phone's messages, or looks for one of the oldest messages. Once the world is healed, the
  /// user scrolls back to the beginning.
  func readBack() {
    guard world.plan.hasPast else { return }
    let isLast = world.isHealing && world.plan.readBacks > 0
    guard !isLast else {
      for conversation in phone.conversations {
        client.history.fetchOlder(in: phone.names.any(of: conversation))
      }
      return
    }
    guard phone.memory.withLock({ $0.readBacks }) < phone.plan.readBacks,
      let conversation = world.scheduler.draw({ $0.chance(0.4) ? $0.pick(phone.conversations) : nil })
    else { return }
    let isPast = conversation == Past.conversation
    let sought = isPast ? world.scheduler.draw { $0.chance(0.3) ? Past.any(&$0) : nil } : nil
    phone.memory.withLock { $0.readBacks += 1 }
    guard client.history.fetchOlder(in: phone.names.any(of: conversation), upTo: sought) else { return }
    world.count(deed: "read back")
    world.trace(name, sought.map { "looks for \($0)" } ?? "reads back in \(conversation)")
  }
}
