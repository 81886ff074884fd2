import CRawSQLite
import Foundation
import Holdfast
import HoldfastTransport

/// SQLite without the engine: the same rows, the same statements, the same durability, in a file of its own.
/// The times are C's own, so that the way there and back is not in them.
@MainActor final class RawStore {
  // The main actor uses the pointer, and it is closed when nothing refers to the store.
  private nonisolated(unsafe) let store: OpaquePointer
  private let session = RawStore.makeID()

  /// Makes the file at `file` a copy of the one at `source`.
  init(file: URL, copying source: URL) throws {
    guard let store = raw_open(file.path, source.path) else {
      throw BenchmarkFailure("SQLite cannot open \(file.path)")
    }
    self.store = store
  }

  deinit { raw_close(store) }

  func send(
    _ text: String, as id: String = RawStore.makeID(), in conversation: ConversationID, from user: UserID
  ) throws -> Duration {
    try timed(raw_send(store, id, conversation.rawValue, user.rawValue, text, Self.now))
  }

  /// Without a draft that the text would come from.
  func sendWithoutDraft(_ text: String, in conversation: ConversationID, from user: UserID) throws -> Duration
  {
    try timed(
      raw_send_without_draft(store, Self.makeID(), conversation.rawValue, user.rawValue, text, Self.now))
  }

  func saveDraft(_ text: String, in conversation: ConversationID) throws -> Duration {
    try timed(raw_save_draft(store, Self.makeID(), conversation.rawValue, text, session, Self.now))
  }

  func takeReceipt(of id: String, in conversation: ConversationID, order: Int) throws -> Duration {
    let message = IncomingMessage(
      id: MessageID(rawValue: id), conversation: conversation, sender: "", content: MessageContent(),
      order: Int64(order), createdAt: Date())
    return try Self.withRaw([message]) { try timed(raw_take_receipt(store, $0, Self.now)) }
  }

  func append(_ messages: [IncomingMessage], cursor: String) throws -> Duration {
    try Self.withRaw(messages) { try timed(raw_append(store, $0, Int32(messages.count), cursor, Self.now)) }
  }

  /// A message in pieces, and then whole.
  func stream(_ message: IncomingMessage, chunks: [(first: Int, next: Int, text: String)]) throws -> Duration
  {
    try Self.withRaw([message]) { raw in
      var time = try timed(raw_begin_stream(store, raw, Self.now))
      for chunk in chunks {
        time += try timed(
          raw_append_chunk(store, raw.pointee.id, Int64(chunk.first), Int64(chunk.next), chunk.text))
      }
      return time + (try timed(raw_finish_stream(store, raw, Self.now)))
    }
  }

  func readTimeline(of conversation: ConversationID, limit: Int) throws -> Duration {
    var rows: Int64 = 0
    let time = try timed(raw_read_timeline(store, conversation.rawValue, Int32(limit), &rows))
    guard rows == limit + 1 else { throw BenchmarkFailure("\(rows) rows instead of \(limit + 1)") }
    return time
  }

  /// Reads one message of a conversation that is shown.
  func readMessage(_ id: String, in conversation: ConversationID) throws -> Duration {
    var rows: Int64 = 0
    let time = try timed(raw_read_message(store, conversation.rawValue, id, &rows))
    guard rows == 1 else { throw BenchmarkFailure("\(rows) rows instead of 1") }
    return time
  }

  /// Looks for messages with words that begin with `word`, and returns how many there were at most `limit` of.
  func search(_ word: String, limit: Int) throws -> (time: Duration, hits: Int) {
    var rows: Int64 = 0
    let time = try timed(raw_search(store, "\"\(word)\"*", Int32(limit), &rows))
    return (time, min(limit, Int(rows)))
  }

  /// The same for the newest messages with a word that begins with a letter.
  func search(letter: Unicode.Scalar, limit: Int) throws -> (time: Duration, hits: Int) {
    var rows: Int64 = 0
    let time = try timed(raw_search_letter(store, CChar(letter.value), Int32(limit), &rows))
    return (time, min(limit, Int(rows)))
  }

  /// Stores a part of a history, in one transaction.
  func importHistory(_ messages: [IncomingMessage]) throws -> Duration {
    try Self.withRaw(messages) { try timed(raw_import(store, $0, Int32(messages.count), Self.now)) }
  }

  /// Reads all messages of a conversation.
  func readHistory(of conversation: ConversationID) throws -> (time: Duration, messages: Int) {
    var rows: Int64 = 0
    let time = try timed(raw_export(store, conversation.rawValue, &rows))
    return (time, Int(rows))
  }

  /// How many messages of a store, which may be open, are not in its index of words yet.
  static func unindexed(_ file: URL) throws -> Int {
    let count = raw_count_unindexed(file.path)
    guard count >= 0 else { throw BenchmarkFailure("SQLite cannot open \(file.path)") }
    return Int(count)
  }

  /// Opens a store of its own, and closes it again.
  static func coldOpen(_ file: URL, conversation: ConversationID, limit: Int) throws -> Duration {
    var rows: Int64 = 0
    let time = raw_cold_open(file.path, conversation.rawValue, Int32(limit), &rows)
    guard time >= 0, rows == limit + 1 else { throw BenchmarkFailure("SQLite cannot open \(file.path)") }
    return .nanoseconds(time)
  }

  private func timed(_ nanoseconds: Int64) throws -> Duration {
    guard nanoseconds >= 0 else { throw BenchmarkFailure("SQLite: \(String(cString: raw_error(store)))") }
    return .nanoseconds(nanoseconds)
  }

  /// The messages as C has them, for as long as `body` runs.
  static func withRaw<Value>(
    _ messages: [IncomingMessage], _ body: (UnsafePointer<raw_message>) throws -> Value
  ) rethrows -> Value {
    let fields: [[String]] = messages.map {
      [$0.id.rawValue, $0.conversation.rawValue, $0.sender.rawValue, $0.text]
    }
    let texts = fields.joined().map { strdup($0)! }
    defer { for text in texts { free(text) } }
    let raw = messages.indices.map { index in
      raw_message(
        id: UnsafePointer(texts[index * 4]), conversation: UnsafePointer(texts[index * 4 + 1]),
        sender: UnsafePointer(texts[index * 4 + 2]), body: UnsafePointer(texts[index * 4 + 3]),
        order: messages[index].order ?? 0)
    }
    return try raw.withUnsafeBufferPointer { try body($0.baseAddress!) }
  }

  static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000_000) }

  /// As long as the engine's, and in the order of time as they are, so that the indexes grow alike.
  static func makeID() -> String {
    let milliseconds = String(UInt64(Date().timeIntervalSince1970 * 1_000), radix: 16)
    let time = String(repeating: "0", count: 12 - milliseconds.count) + milliseconds
    return "\(time.prefix(8))-\(time.suffix(4))" + UUID().uuidString.lowercased().dropFirst(13)
  }
}
