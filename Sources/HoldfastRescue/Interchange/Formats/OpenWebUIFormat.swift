import HoldfastCore

/// The export of Open WebUI: an array of chats. The messages of a chat are a tree under `chat.history.messages`, whose
/// shown branch ends at `currentId`.
struct OpenWebUIFormat: ConversationFormat {
  var format: ImportFormat { .openWebUI }

  func link(_ value: JSONValue, key: String?) -> MessageLink? {
    let fields = LooseFields(value)
    return (key ?? fields?.rawID(["id"])).map {
      MessageLink(id: $0, parent: fields?.rawID(["parentid", "parent", "parentmessageid"]))
    }
  }

  func entry(_ value: JSONValue, _ reading: EntryReading) throws -> HistoryEntry? {
    guard var object = value.object, let text = object["content"]?.text,
      LooseFields(object).text("role") != MessageRole.user.rawValue
    else { return try reading.entry(value) }
    let parts = AnswerMarkup.parts(of: text)
    if parts != [.text(text)] { object["content"] = .array(parts) }
    return try reading.entry(.object(object))
  }
}
