import HoldfastCore

/// A form in which apps write one conversation (rule H13). Each form is recognized by the key under which the
/// conversation has its messages, and reads one message of them.
///
/// | format | the messages | their order |
/// |---|---|---|
/// | ``PlainFormat`` | `messages`, an array | as they stand |
/// | ``ChatGPTFormat`` | `mapping`, by ID | from `current_node` up |
/// | ``ClaudeFormat`` | `chat_messages`, an array | from the last one up, where they name what they answer |
/// | ``OpenWebUIFormat`` | `chat.history.messages`, by ID | from `currentId` up |
/// | ``LibreChatFormat`` | `messages`, an array, some with `children` | from the last one up |
/// | ``ShareGPTFormat`` | `conversations` or `conversation`, an array of turns | as they stand |
/// | ``FacebookFormat`` | `messages`, an array with `sender_name` and `timestamp_ms` | as they stand |
/// | ``ElementFormat`` | `messages`, an array of events | as they stand |
///
/// Messages that stand in their order are turned where all of their dates fall from the first to the last one.
protocol ConversationFormat: Sendable {
  /// The word for the format in a report.
  var format: ImportFormat { get }

  /// Reads one message.
  ///
  /// - Returns: nil when the value is a part of the conversation that has no message, such as the root of a tree.
  /// - Throws: ``EntryProblem`` when it is a message that cannot be read.
  func entry(_ value: JSONValue, _ reading: EntryReading) throws -> HistoryEntry?

  /// The message's place in a tree. Nil when the format has none, and its messages stand in their order.
  ///
  /// - Parameter key: the key under which the value stands. Nil in an array.
  func link(_ value: JSONValue, key: String?) -> MessageLink?

  /// Whether messages change others: they are all shown to ``survey(_:at:)`` before the first one is read.
  var needsSurvey: Bool { get }
  mutating func survey(_ value: JSONValue, at offset: Int64)
  /// Where the value stands that takes the place of this one.
  func replacement(of value: JSONValue) -> Int64?
  func entry(_ value: JSONValue, replacedBy other: JSONValue?, _ reading: EntryReading) throws
    -> HistoryEntry?
}

/// The place of a message in a conversation that has branches: an answer that was written again, or a question that was
/// asked in other words.
struct MessageLink: Equatable {
  var id: String
  /// The message that it follows. Nil at the root.
  var parent: String?
}

extension ConversationFormat {
  /// Whether the messages stand in a list, and name no other message.
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

  /// The date by which the message may be placed. Nil when it has none, or an order of its own.
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

/// Messages with the names of fields that most apps use: a `history.json`, and the arrays of OpenAI's interface.
struct PlainFormat: ConversationFormat {
  var format: ImportFormat { .history }

  func entry(_ value: JSONValue, _ reading: EntryReading) throws -> HistoryEntry? { try reading.entry(value) }
}

/// Turns of `from` and `value`, as data sets for models have them.
struct ShareGPTFormat: ConversationFormat {
  var format: ImportFormat { .shareGPT }

  func entry(_ value: JSONValue, _ reading: EntryReading) throws -> HistoryEntry? { try reading.entry(value) }
}
