import Holdfast
import HoldfastTesting

/// Edits, deletions and reactions.
extension PhoneUser {
  /// Changes a message on the screen. It counts as one of the plan's changes even if there is no message to change.
  func changeSomething(in conversation: ConversationID) async {
    let number = phone.memory.withLock { memory in
      memory.changes += 1
      return memory.changes
    }
    let promised = Set(promises.sent.filter { $0.conversation == conversation }.map(\.id))
    let rows = phone.screen.rows(of: conversation).filter { row in
      // Only the text of a message is known when another process, or another device of this user, ended in its send.
      // The next launch of that process shows its ID.
      let isUnclear = row.isMine && !promised.contains(row.id) && promises.reply(row.id) == nil
      return row.status.isComplete && !row.isDeleted && !isUnclear
    }
    guard let row = world.scheduler.draw({ $0.pick(rows) }) else { return }
    // Answers have a promise of their own about their text. A message that may be held returns to the composer as it
    // was sent.
    let isOwn =
      row.isMine && promises.reply(row.id) == nil
      && (!row.status.isUnsent || world.plan.heldAfter == 0)
    // The account that runs an assistant's model may delete the assistant's messages.
    let isAssistants =
      row.sender != phone.user && row.sender.account == phone.user && !row.status.isUnsent
      && promised.contains(row.id)
    switch world.scheduler.draw({ $0.unit() }) {
    case ..<0.45 where isOwn:
      change(row.id, .edit("\(name)'s edit \(number) of \(row.id)."), in: conversation)
    case ..<0.55 where isOwn || isAssistants: change(row.id, .delete, in: conversation)
    default:
      let value = world.scheduler.draw { $0.pick(["👍", "🎉", "é"])! }
      let isThere = row.reactions.contains { $0.value == value && $0.isMine }
      change(row.id, .react(value, isWanted: !isThere), in: conversation)
    }
  }

  func change(_ id: MessageID, _ change: Promises.Change, in conversation: ConversationID) {
    promises.noteReferred(id, on: device)
    let before = promises.changes.begin(change, of: id, by: phone.user, on: device)
    promises.begin(.change(id, change, before: before), on: device, in: name)
    do {
      let operation = try perform(change, of: id)
      promises.changes.conclude(change, of: id, before: before, by: phone.user, on: device)
      if case .delete = change, operation == nil { promises.noteWithdrawn(id) }
      if let operation, world.plan.strictOrder {
        promises.blocking.noteOperation(
          operation, behind: promises.sent(by: device, in: conversation).map(\.id))
      }
      promises.finishAct(of: device, in: name)
      world.trace(name, "\(change.verb) \(id)\(operation.map { " by \($0)" } ?? " in place")")
    } catch {
      guard !gate.isDead else { return world.trace(name, "ends in a call that does not return") }
      promises.changes.restore(before, of: id)
      promises.finishAct(of: device, in: name)
      // The screen may lag a moment behind.
      let isLate = [.messageDeleted, .unknownMessage, .messageUnfinished].contains(error.code)
      if !isLate { checkRefusal(error) }
    }
  }

  private func perform(_ change: Promises.Change, of id: MessageID) throws(ChatError) -> MessageID? {
    switch change {
    case .edit(let text): try client.message(id).edit(to: text)
    case .delete: try client.message(id).delete()
    case .react(let value, let isWanted):
      isWanted ? try client.message(id).react(value) : try client.message(id).unreact(value)
    }
  }

  /// Retries or cancels failed changes. Retries all of them once all faults have ended.
  func lookAfterFailedChanges(in conversation: ConversationID) async {
    for row in phone.screen.rows(of: conversation) {
      guard let change = row.operation, change.status.failed != nil, !gate.isDead else { continue }
      // A forged receipt that arrives at this moment could be mistaken for a real one.
      guard !phone.network.isLiedTo else { return }
      let dice = world.isHealing ? 0 : world.scheduler.draw { $0.unit() }
      if dice < 0.4 {
        phone.network.credentials.nudge()
        await begin(
          .retry(change.id, conversation, hasFailed: true), { try await client.message(change.id).retry() }
        ) {
          _ in
          promises.blocking.lift(conversation, on: device)
          world.trace(name, "retries \(change.id) on \(row.id)")
        }
        continue
      }
      do {
        if dice < 0.6 {
          promises.changes.forget(change.kind, change.text, of: row.id, by: phone.user)
          try await client.message(change.id).cancel()
          world.trace(name, "cancels \(change.id) on \(row.id)")
        }
      } catch {
        checkRefusal(error)
      }
    }
  }
}

extension Promises.Change {
  fileprivate var verb: String {
    switch self {
    case .edit: "edits"
    case .delete: "deletes"
    case .react(let value, let isWanted): isWanted ? "reacts with \(value) to" : "takes \(value) back from"
    }
  }
}
