import HoldfastCore

/// A form in which apps write one conversation (rule H13). Each form is recognized by the key of the conversation's
/// messages, and parses one message at a time.
///
/// | format | the messages | their order |
/// |---|---|---|
/// | ``PlainFormat`` | `messages`, an array | as listed |
/// | ``ChatGPTFormat`` | `mapping`, by ID | from `current_node` up |
/// | ``ClaudeFormat`` | `chat_messages`, an array | from the last one up, if they name their parents |
/// | ``OpenWebUIFormat`` | `chat.history.messages`, by ID | from `currentId` up |
/// | ``LibreChatFormat`` | `messages`, an array, some with `children` | from the last one up |
/// | ``ShareGPTFormat`` | `conversations` or `conversation`, an array of turns | as listed |
/// | ``FacebookFormat`` | `messages`, an array with `sender_name` and `timestamp_ms` | as listed |
/// | ``ElementFormat`` | `messages`, an array of events | as listed |
///
/// Messages in listed order are reversed if all of their dates decrease from the first to the last one.
protocol ConversationFormat: Sendable {
  /// The word for the format in a report.
  var format: ImportFormat { get }

  /// Parses one message.
  ///
  /// - Returns: nil when the value is a part of the conversation without a message, such as the root of a tree.
  /// - Throws: ``EntryProblem`` when it is a message that cannot be parsed.
  func entry(_ value: JSONValue, _ reading: EntryReading) throws -> HistoryEntry?

  /// The message's place in a tree. Nil when the format has no tree, and its messages are in order.
  ///
  /// - Parameter key: the key of the value. Nil in an array.
  func link(_ value: JSONValue, key: String?) -> MessageLink?

  /// Whether messages change others. If so, all are passed to ``survey(_:at:)`` before the first one is parsed.
  var needsSurvey: Bool { get }
  mutating func survey(_ value: JSONValue, at offset: Int64)
  /// The offset of the value that replaces this one.
  func replacement(of value: JSONValue) -> Int64?
  func entry(_ value: JSONValue, replacedBy other: JSONValue?, _ reading: EntryReading) throws
    -> HistoryEntry?
}

/// The place of a message in a conversation with branches: a regenerated answer, or an edited question.
struct MessageLink: Equatable {
  var id: String
  /// The message that it follows. Nil at the root.
  var parent: String?
}

extension ConversationFormat {
  /// Whether the messages are in a list, and refer to no other message.
  var isList: Bool {
    !(self is ChatGPTFormat || self is OpenWebUIFormat || self is ClaudeFormat || self is LibreChatFormat)
  }

  func link(_ value: JSONValue, key: String?) -> MessageLink? { nil }

  var needsSurvey: Bool { false }
  mutating func survey(_ value: JSONValue, at offset: Int64) {}
  func replacement(of value: JSONValue) -> Int64? { nil }

  func entry(_ value: JSONValue, replacedBy other: JSONValue?, _ reading: EntryReading) throws
    -> HistoryEntry?
  {
    try entry(value, reading)
  }

  /// The date for ordering the message. Nil when it has none, or an explicit order.
  func date(_ value: JSONValue, _ reading: EntryReading) throws -> Int64? {
    guard let fields = LooseFields(value), fields["order"] == nil else { return nil }
    guard let date = try reading.dates.date(fields)?.microseconds else { return nil }
    return date + (date % 1_000_000 == 0 ? fields["microseconds"]?.integer ?? 0 : 0)
  }

  func link(_ fields: LooseFields?, ids: [String], parents: [String], key: String?) -> MessageLink? {
    guard let id = fields?.rawID(ids) ?? key else { return nil }
    return MessageLink(id: id, parent: fields?.rawID(parents))
  }
}

/// Messages with the usual names of fields: a `history.json`, and the arrays of OpenAI's API.
struct PlainFormat: ConversationFormat {
  var format: ImportFormat { .history }

  func entry(_ value: JSONValue, _ reading: EntryReading) throws -> HistoryEntry? { try reading.entry(value) }
}

/// Turns of `from` and `value`, as in data sets for models.
struct ShareGPTFormat: ConversationFormat {
  var format: ImportFormat { .shareGPT }

  func entry(_ value: JSONValue, _ reading: EntryReading) throws -> HistoryEntry? { try reading.entry(value) }
}
