import HoldfastCore

/// The export of Claude: `conversations.json`, an array of conversations with their `chat_messages`.
struct ClaudeFormat: ConversationFormat {
  var format: ImportFormat { .claude }

  func link(_ value: JSONValue, key: String?) -> MessageLink? {
    link(
      LooseFields(value), ids: ["uuid", "id"], parents: ["parentmessageuuid", "parentuuid", "parentid"],
      key: key)
  }

  func entry(_ value: JSONValue, _ reading: EntryReading) throws -> HistoryEntry? { try reading.entry(value) }
}
