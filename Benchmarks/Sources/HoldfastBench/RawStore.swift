import CRawSQLite
import Foundation
import Holdfast

/// SQLite without the engine: the same rows, the same statements, the same durability, in a file of its own.
/// The times are C's own, so that the way there and back is not in them.
@MainActor final class RawStore {
  // Used on the main actor, and closed once nothing refers to it any more.
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

  func send(_ text: String, in conversation: ConversationID, from user: UserID) throws -> Duration {
    try timed(raw_send(store, Self.makeID(), conversation.rawValue, user.rawValue, text, Self.now))
  }

  func saveDraft(_ text: String, in conversation: ConversationID) throws -> Duration {
    try timed(raw_save_draft(store, Self.makeID(), conversation.rawValue, text, session, Self.now))
  }

  func readTimeline(of conversation: ConversationID, limit: Int) throws -> Duration {
    var rows: Int64 = 0
    let time = try timed(raw_read_timeline(store, conversation.rawValue, Int32(limit), &rows))
    guard rows == limit + 1 else { throw BenchmarkFailure("\(rows) rows instead of \(limit + 1)") }
    return time
  }

  private func timed(_ nanoseconds: Int64) throws -> Duration {
    guard nanoseconds >= 0 else { throw BenchmarkFailure("SQLite: \(String(cString: raw_error(store)))") }
    return .nanoseconds(nanoseconds)
  }

  private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000_000) }

  /// As long as the engine's, and in the order of time as they are, so that the indexes grow alike.
  private static func makeID() -> String {
    let milliseconds = String(UInt64(Date().timeIntervalSince1970 * 1_000), radix: 16)
    let time = String(repeating: "0", count: 12 - milliseconds.count) + milliseconds
    return "\(time.prefix(8))-\(time.suffix(4))" + UUID().uuidString.lowercased().dropFirst(13)
  }
}
