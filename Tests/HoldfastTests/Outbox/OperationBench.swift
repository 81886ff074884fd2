import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = EngineExample

/// Steps for messages and operations, without a backend.
extension ChatClient {
  /// An own message that the server has.
  nonisolated func delivered(_ text: String, order: Int64 = 1) throws -> MessageID {
    let id = try send(text, in: eg.conversation)
    try store.write {
      try $0.confirmMessage(id, in: eg.conversation, order: order, createdAt: eg.date)
    }
    return id
  }

  nonisolated func row(_ id: MessageID) throws -> MessageRow {
    try #require(try rows().first { $0.id == id })
  }

  /// The server's state of a message.
  nonisolated func receive(_ message: IncomingMessage) throws {
    _ = try store.write { try $0.take(message, now: eg.date) }
  }

  /// The waiting entries, in order.
  nonisolated func queue() throws -> [MessageID] {
    try store.read { try $0.outboxEntries(of: eg.conversation, behind: 0, limit: 100) }.map(\.id)
  }

  /// The number of operations that are laid over messages.
  nonisolated func overlays() throws -> Int {
    try store.read { try $0.row("SELECT count(*) FROM operation")![0] }
  }

  nonisolated func fail(_ id: MessageID) throws {
    try store.write { try $0.fail(id, in: eg.conversation, reason: eg.rejection) }
  }

  nonisolated func depart(_ id: MessageID) throws {
    try store.writeUnsynced { try $0.countDeparture(of: id) }
  }
}

/// The code of the error that is thrown. Nil when none is.
func failureCode(_ body: () async throws -> Void) async -> ChatError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? ChatError)?.code
  }
}
