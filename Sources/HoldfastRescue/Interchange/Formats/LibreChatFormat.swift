import HoldfastCore

/// The export of LibreChat: one conversation with its `messages`. They name their parents, or are nested in each
/// other's `children`.
struct LibreChatFormat: ConversationFormat {
  var format: ImportFormat { .libreChat }

  func link(_ value: JSONValue, key: String?) -> MessageLink? {
    link(
      LooseFields(value), ids: ["messageid", "id"], parents: ["parentmessageid", "parentid", "parent"],
      key: key)
  }

  func entry(_ value: JSONValue, _ reading: EntryReading) throws -> HistoryEntry? {
    var entry = try reading.entry(value)
    guard let fields = LooseFields(value) else { return entry }
    // The parts of an answer are in `content`, and its plain text, which may be empty, in `text`.
    if entry.isOwn != true, entry.message.role == .user { entry.message.role = .assistant }
    if fields["iscreatedbyuser"]?.bool == true { (entry.message.role, entry.message.sender) = (.user, nil) }
    return entry
  }
}
