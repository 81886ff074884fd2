import HoldfastCore
import HoldfastStore

/// A part of a history that can be recognized after damage.
enum HistoryLandmark: Equatable {
  case message
  case conversation
  /// The array of a conversation's messages: the cursor is at its bracket.
  case messages
}

/// Bounds a search after damage. Each value that damage cut off is passed once more, to find whole values within it.
/// In a hostile file such values are nested thousands deep. Pure.
struct LandmarkSearch {
  private var passedAgain: Int64 = 0
  private var farthest: Int64 = 1 << 16
  private var isEndReported = false

  /// Whether the search has exceeded its bound. No file that an app wrote has messages nested so deeply.
  var isSpent: Bool { passedAgain / Int64(JSONCursor.deepest) > farthest }

  /// Notes a value that damage cut off: the next search begins within it.
  mutating func note(from begin: Int64, to damage: Int64) {
    passedAgain += max(0, damage - begin)
    farthest = max(farthest, damage)
  }

  /// Whether the end of the search has not been reported yet.
  mutating func reportEnd() -> Bool {
    defer { isEndReported = true }
    return !isEndReported
  }
}

/// Finds the position to continue from after damage. JSON escapes every quote within a string. So `{"role"` with
/// plain quotes is always the beginning of an object, regardless of lost quotes before it.
extension JSONCursor {
  static let messageKeys: Set = [
    "role", "content", "timestamp", "reasoning", "images", "videos", "text", "from", "value",
  ]
  static let conversationKeys: Set = [
    "messages", "createdAt", "updatedAt", "mapping", "create_time", "update_time", "chat_messages",
    "created_at",
    "updated_at", "chat",
  ]
  private static let mostKeys = 16

  /// Moves to the next landmark. Nil when no landmark follows. The search in an object stops at the first
  /// nested object or array, so that few bytes are read more than twice.
  mutating func seekLandmark(
    messageKeys: Set<String> = Self.messageKeys, conversationKeys: Set<String> = Self.conversationKeys
  ) throws -> HistoryLandmark? {
    while let byte = try peek() {
      let place = offset
      if byte == .openObject, let landmark = try landmark(messageKeys, conversationKeys) {
        move(to: place)
        return landmark
      }
      if byte == .quote, !conversationKeys.isEmpty, try isMessages() { return .messages }
      move(to: place + 1)
    }
    return nil
  }

  /// The landmark at the next object, detected from its keys. Skips texts and numbers only.
  private mutating func landmark(
    _ messageKeys: Set<String>, _ conversationKeys: Set<String>
  ) throws -> HistoryLandmark? {
    step()
    do {
      for number in 0..<Self.mostKeys {
        guard let key = try nextKey(isFirst: number == 0) else { return nil }
        if messageKeys.contains(key) { return .message }
        if conversationKeys.contains(key) { return .conversation }
        let value = try peekValue()
        guard value != .openObject, value != .openArray else { return nil }
        try skip()
      }
    } catch is JSONDamage {}
    return nil
  }

  /// Whether `"messages": [` comes next. When true, the cursor is at the bracket.
  private mutating func isMessages() throws -> Bool {
    for expected in #""messages""#.utf8 {
      guard try peek() == expected else { return false }
      step()
    }
    guard try peekValue() == .colon else { return false }
    step()
    return try peekValue() == .openArray
  }
}
