import Foundation
import Holdfast
import HoldfastRelay
import HoldfastTesting

/// Watches the frames that one launch of a phone sends. A message that waits for its user must not be sent by
/// itself.
struct SendWatch: Sendable {
  let device: String
  let process: String
  let world: WorldState
  let promises: Promises
  /// The time of the process's launch. The age of an older message depends on the device's date.
  let launchedAt: Duration

  /// - Parameter openedAt: the start of the connection that sends the frame.
  func check(_ frame: Data, on openedAt: Duration) {
    if world.plan.onDevice > 0, DevicePromises.areMentioned(in: frame) {
      fail(
        "nothing leaves the device", expected: "no word of its own conversation",
        found: "'\(String(decoding: frame.prefix(500), as: UTF8.self))'")
    }
    let stopped = Set(promises.stopped(on: device))
    let plan = world.plan
    let mayBlock = plan.strictOrder || plan.faults[.refusedConversation] > 0
    guard !stopped.isEmpty || plan.heldAfter > 0 || mayBlock else { return }
    let messages = Wire.Send(frame: frame)?.messages ?? []
    let ids = messages.map { MessageID(rawValue: $0.id) }
    guard !ids.isEmpty else { return }
    let (released, conversations) = promises.releasedNow(on: device)
    for message in messages { checkConversation(of: message, released: released, opened: conversations) }
    for id in ids where stopped.contains(id) && !released.contains(id) {
      fail("what is held or has failed waits for its user", expected: "\(id) to wait", found: "it leaves")
    }
    if world.plan.heldAfter > 0 {
      for message in promises.sent where ids.contains(message.id) && isOld(message, at: openedAt) {
        guard !released.contains(message.id) else { continue }
        fail(
          "what has waited for long is asked about", expected: "\(message.id) to be held", found: "it leaves")
      }
    }
    promises.noteTransmitted(ids)
  }

  /// Whether a message is too old to be sent without asking. It has never been sent. It had waited too long in
  /// another app, or it was queued in this launch and was too old when the connection began.
  private func isOld(_ message: Promises.Sent, at openedAt: Duration) -> Bool {
    guard !promises.wasTransmitted(message.id) else { return false }
    if message.isFromLongAgo, world.plan.faults[.clockJump] == 0 { return true }
    return message.queuedAt >= launchedAt && hasSameClock(message)
      && openedAt - message.queuedAt > .seconds(world.plan.heldAfter)
  }

  /// Whether this process can measure the age of a message. Another process has measured the time by its own date,
  /// which may have been wrong.
  private func hasSameClock(_ message: Promises.Sent) -> Bool {
    message.process == process || world.plan.faults[.clockJump] == 0
  }

  /// Checks that nothing is sent in a refused conversation, and nothing after a failed message in strict order.
  private func checkConversation(
    of message: Wire.Outgoing, released: Set<MessageID>, opened: Set<ConversationID>
  ) {
    let id = MessageID(rawValue: message.id)
    let conversation = ConversationID(rawValue: ConversationNames.first(message.conversation))
    let (blocking, now) = (promises.blocking, world.scheduler.now)
    if blocking.isRefused(conversation, on: device, before: now), !opened.contains(conversation) {
      fail(
        "a refused conversation is blocked", expected: "\(id) to wait in \(conversation)",
        found: "it leaves")
    }
    guard world.plan.strictOrder else { return }
    for failed in blocking.failed(in: conversation, on: device, before: now)
    where !released.contains(failed) && !promises.isGoingNow(failed, on: device)
      && promises.isBehind(id, failed, in: conversation, on: device)
    {
      blocking.suspect(id, behind: failed, on: device)
    }
  }

  private func fail(_ promise: String, expected: String, found: String) {
    world.fail(Violation(promise: promise, expected: "\(device): \(expected)", found: found))
  }
}
