import CRawSQLite
import Foundation
import Holdfast
import HoldfastTransport

/// SQLite without the engine and without its schema: the same promises to the user with the fewest statements and
/// columns, the same durability, and as many messages, in a file of its own. The times are C's own, so that the way
/// there and back is not in them.
@MainActor final class LeanStore {
  // The main actor uses the pointer, and it is closed when nothing refers to the store.
  private nonisolated(unsafe) let store: OpaquePointer

  /// Makes a database at `file` with the messages of the engine's store at `source`.
  init(file: URL, copyingMessagesOf source: URL) throws {
    guard let store = lean_open(file.path, source.path) else {
      throw BenchmarkFailure("SQLite cannot make \(file.path) from \(source.path)")
    }
    self.store = store
  }

  deinit { lean_close(store) }

  func saveDraft(_ text: String, in conversation: ConversationID) throws -> Duration {
    try timed(lean_save_draft(store, conversation.rawValue, text))
  }

  func send(
    _ text: String, as id: String = RawStore.makeID(), in conversation: ConversationID, from user: UserID
  ) throws -> Duration {
    let message = IncomingMessage(
      id: MessageID(rawValue: id), conversation: conversation, sender: user, content: MessageContent(text),
      order: nil, createdAt: Date())
    return try RawStore.withRaw([message]) { try timed(lean_send(store, $0, RawStore.now)) }
  }

  func takeReceipt(of id: String, in conversation: ConversationID, order: Int) throws -> Duration {
    let message = IncomingMessage(
      id: MessageID(rawValue: id), conversation: conversation, sender: "", content: MessageContent(),
      order: Int64(order), createdAt: Date())
    return try RawStore.withRaw([message]) { try timed(lean_take_receipt(store, $0, RawStore.now)) }
  }

  func append(_ messages: [IncomingMessage], cursor: String) throws -> Duration {
    try RawStore.withRaw(messages) {
      try timed(lean_append(store, $0, Int32(messages.count), cursor, RawStore.now))
    }
  }

  func readTimeline(of conversation: ConversationID, limit: Int) throws -> Duration {
    var rows: Int64 = 0
    let time = try timed(lean_read_timeline(store, conversation.rawValue, Int32(limit), &rows))
    guard rows == limit + 1 else { throw BenchmarkFailure("\(rows) rows instead of \(limit + 1)") }
    return time
  }

  private func timed(_ nanoseconds: Int64) throws -> Duration {
    guard nanoseconds >= 0 else { throw BenchmarkFailure("SQLite: \(String(cString: lean_error(store)))") }
    return .nanoseconds(nanoseconds)
  }
}
