import Foundation
import Holdfast
import HoldfastStore

/// Waits for a state that a phone shows. Each wait follows the phone's commits, and ends after the stage's patience.
extension ConformanceStage {
  /// Waits until `read` returns a value.
  ///
  /// - Parameters:
  ///   - what: the rest of the sentence "alice's phone did not show …".
  ///   - signal: raised by changes without a commit.
  @discardableResult
  func until<Value: Sendable>(
    _ what: String, on phone: ConformancePhone, raisedBy signal: Signal = Signal(),
    _ read: (ChatClient) throws -> Value?
  ) async throws -> Value {
    step("waiting until \(phone.name)'s phone shows \(what)")
    let client = try phone.client
    let subscription = client.store.changes.subscribe(signal) { _ in true }
    defer { client.store.changes.unsubscribe(subscription) }
    let deadline = environment.uptime() + patience
    while true {
      if let value = try read(client) { return value }
      try Task.checkCancellation()
      guard environment.uptime() < deadline else {
        throw ConformanceFailure("\(phone.name)'s phone did not show \(what) in time.")
      }
      await signal.wait(until: deadline, in: environment)
    }
  }

  /// Waits until the phone is connected.
  func online(_ phone: ConformancePhone) async throws {
    phone.path.set(isUp: true)
    guard hasServer else { return }
    try await until("that it is online", on: phone) { $0.connectivity == .online ? true : nil }
  }

  /// Cuts the phone's network, and waits until the phone has disconnected.
  func offline(_ phone: ConformancePhone) async throws {
    phone.path.set(isUp: false)
    guard hasServer else { return }
    try await until("that it is offline", on: phone) { $0.connectivity == .offline ? true : nil }
    guard await phone.transport.isDisconnected(by: environment.uptime() + patience) else {
      throw ConformanceFailure("The transport did not end its connection when it was cancelled.")
    }
  }

  /// Waits until `isTrue` holds for a row of the conversation.
  @discardableResult
  func row(
    _ message: MessageID, in conversation: ConversationID, on phone: ConformancePhone, is what: String,
    _ isTrue: (MessageRow) -> Bool
  ) async throws -> MessageRow {
    let conversation = present(conversation)
    return try await until("'\(ledger.text(of: message))' \(what)", on: phone) { client in
      let rows = try client.reader.conversation(conversation, limit: Self.limit).rows
      return rows.first { $0.id == message && isTrue($0) }
    }
  }

  /// Waits until the phone shows the message.
  func sees(_ message: MessageID, in conversation: ConversationID, _ phone: ConformancePhone?) async throws {
    guard let phone else { return }
    try await row(message, in: conversation, on: phone, is: "at all") { !$0.status.isUnsent }
  }

  /// Waits until nothing on the phone waits to be sent. The patience starts again with each confirmed message: a
  /// slow server drains a long queue too.
  func delivered(on phone: ConformancePhone) async throws {
    var left = Int.max
    while true {
      let doubtful: [MessageID]
      do {
        (left, doubtful) = try await until("that everything is delivered", on: phone) { [left] client in
          let unsent = try client.outbox.unsentCount()
          let doubtful = unsent == 0 ? [] : try self.doubtful(on: phone)
          return doubtful != nil || unsent < left ? (unsent, doubtful ?? []) : nil
        }
      } catch let failure as ConformanceFailure {
        throw ConformanceFailure("\(failure.sentence)\(status(on: phone))")
      }
      guard left > 0 else { return }
      for id in doubtful { try await decide(id, on: phone) }
    }
  }

  /// Waits until this number of faults have struck at the phone's boundary.
  func struck(_ count: Int = 1, on phone: ConformancePhone) async throws {
    step("waiting until the fault strikes")
    guard await phone.transport.hasStruck(count, until: environment.uptime() + patience) else {
      throw ConformanceFailure(
        "The fault did not strike: \(phone.name)'s phone handed nothing of that kind to the transport, or no answer came."
      )
    }
  }

  func pass(_ time: Duration) async throws {
    step("letting \(time) pass")
    try await environment.sleep(environment.uptime() + time)
  }

  /// The failed messages with an unknown outcome, if the transport declares that this can happen. Nil when there are
  /// none.
  private func doubtful(on phone: ConformancePhone) throws -> [MessageID]? {
    let failed = try ledger.all.flatMap { try phone.rows(of: present($0.id)) }.filter {
      $0.failure?.code == .outcomeUnknown
    }
    return failed.isEmpty ? nil : failed.map(\.id)
  }

  /// Decides about a message that may have arrived, as a user does who sees another member's screen.
  private func decide(_ id: MessageID, on phone: ConformancePhone) async throws {
    var isThere = false
    for (conversation, _) in ledger.all {
      if try await record(of: conversation).contains(where: { $0.id == id }) { isThere = true }
    }
    do {
      if isThere {
        try await phone.client.message(id).cancel()
      } else {
        try await phone.client.message(id).retry()
        ledger.change(id) { $0.keepsPlace = false }
      }
    } catch let error as ChatError where error.code == .tooLate {
      // The server's copy has arrived in the meantime, which resolves it.
    }
  }

  /// The reason why the first waiting message has not been sent.
  private func status(on phone: ConformancePhone) -> String {
    for (conversation, _) in ledger.all {
      guard let rows = try? phone.rows(of: present(conversation)) else { continue }
      for row in rows {
        let waiting = !row.status.isUnsent ? row.operation?.status : row.status
        guard let waiting else { continue }
        let reason = waiting.failure?.code.rawValue ?? waiting.connectionFailure?.rawValue
        return " '\(row.text)' is \(waiting.code)\(reason.map { " (\($0))" } ?? "")."
      }
    }
    return ""
  }
}
