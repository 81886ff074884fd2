import Foundation
import HoldfastCore
import HoldfastStore

/// Messages of one conversation that may be on the server, and must not leave again before it has said whether they are.
struct FateQuestion: Equatable, Sendable {
  var ids: [MessageID]
  var conversation: ConversationID
}

extension ChatClient {
  /// Asks the server what became of messages that its idempotency does not cover, for as long as the connection lives
  /// (SPEC O6). Only their conversations wait for the answer.
  func lookUpFates(on connection: any TransportConnection) async throws {
    while !Task.isCancelled {
      guard !questions.isEmpty else {
        await questionSignal.wait()
        continue
      }
      let question = questions.removeFirst()
      let fates = try await answer(to: question, from: connection)
      try settle(question, fates)
    }
  }

  /// A connection that owes an answer for too long is broken, whatever it says.
  private func answer(
    to question: FateQuestion, from connection: any TransportConnection
  ) async throws -> [MessageID: MessageFate] {
    let deadline = environment.uptime() + policy.answerTimeout
    return try await withThrowingTaskGroup(of: [MessageID: MessageFate].self) { group in
      group.addTask { try await connection.lookUp(question.ids, in: question.conversation) }
      group.addTask {
        try await self.environment.sleep(deadline)
        throw LinkFailure(.timedOut, detail: "no answer on what became of a message")
      }
      defer { group.cancelAll() }
      return try await group.next() ?? [:]
    }
  }

  private func settle(_ question: FateQuestion, _ fates: [MessageID: MessageFate]) throws {
    var receipts: [Receipt] = []
    var absent: [MessageID] = []
    for id in question.ids {
      switch fates[id] {
      case .accepted(let receipt) where receipt.id == id: receipts.append(receipt)
      case .absent: absent.append(id)
      case .accepted, .unknown, nil: break
      }
    }
    if !receipts.isEmpty { try confirm(receipts) }
    try store.write { transaction in
      try transaction.noteAbsent(absent)
      // A receipt that cannot be right tells no more than none does.
      for id in question.ids where !absent.contains(id) {
        guard let (entry, conversation) = try transaction.outboxEntry(of: id) else { continue }
        try transaction.park(
          entry, in: conversation,
          reason: FailureReason(.outcomeUnknown, "It may have been delivered. Send it again?"))
      }
    }
    // It may have been renamed since the question was asked.
    followRenames()
    let conversation = store.aliases.current(question.conversation)
    lanes[conversation]?.answered(question.ids)
    if lanes[conversation]?.isIdle == true { lanes[conversation] = nil }
    lanesToVisit.insert([conversation])
    outboxSignal.raise()
  }
}
