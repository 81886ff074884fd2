import HoldfastCore
import HoldfastStore

/// The export of ChatGPT: `conversations.json`, or its parts. A conversation is a tree under `mapping`. The branch that
/// was shown ends at `current_node`.
struct ChatGPTFormat: ConversationFormat {
  /// The keys of a node with a message, in their plain form. Some apps write the message's own fields into the node.
  static let messageKeys: Set = ["message", "role", "content"]

  var format: ImportFormat { .chatGPT }

  func link(_ value: JSONValue, key: String?) -> MessageLink? {
    let fields = LooseFields(value)
    return (key ?? fields?.rawID(["id"])).map {
      MessageLink(id: $0, parent: fields?.rawID(["parent", "parentid"]))
    }
  }

  func entry(_ value: JSONValue, _ reading: EntryReading) throws -> HistoryEntry? {
    guard let node = LooseFields(value) else { throw EntryProblem(code: .wrongFields) }
    guard let told = node["message"] else {
      return Self.messageKeys.contains { node[$0] != nil } ? try reading.entry(value) : nil
    }
    guard let fields = LooseFields(told) else { throw EntryProblem(code: .wrongFields) }
    let metadata = fields.object("metadata")
    var content = EntryContent()
    if let told = fields["content"] { Self.read(told, into: &content) }
    content.readFiles(metadata?["attachments"])
    let isHidden = metadata?["isvisuallyhiddenfromconversation"]?.bool == true
    guard content.hasSomething else {
      if fields["content"] == nil { throw EntryProblem(code: .wrongFields) }
      // Empty messages steer the model, and were never shown.
      return HistoryEntry(hidden: "")
    }
    var entry = HistoryEntry(message: ImportedMessage(role: .user, content: content.message))
    if content.message.text.isEmpty, let names = content.shownNames { content.message.text = names }
    readAuthor(of: fields, into: &entry)
    entry.message.id = fields.id(["id"]) ?? node.id(["id"])
    try reading.readDates(fields, into: &entry)
    readStatus(fields.text("status"), into: &entry)
    content.message.metadata = content.metadata(model: metadata?.text("modelslug", "model")).data
    entry.message.content = content.message.storable
    if !content.isWhole { entry.problems.append(.fieldLeftOut) }
    if content.hasFilesElsewhere { entry.notes.append(.filesElsewhere) }
    entry.isHidden = isHidden
    return entry
  }

  /// A content is a kind and its parts. Thoughts are the reasoning of the answer behind them.
  private static func read(_ value: JSONValue, into content: inout EntryContent) {
    guard let fields = LooseFields(value) else { return content.read(value) }
    switch LooseFields.plain(fields.text("contenttype") ?? "") {
    case "thoughts":
      for thought in fields["thoughts"]?.array ?? [] {
        let thought = LooseFields(thought)
        content.append(
          reasoning: [thought?.text("summary"), thought?.text("content")].compactMap(\.self).joined(
            separator: "\n"))
      }
    case "reasoningrecap": content.append(reasoning: fields.text("content") ?? "")
    case "usereditablecontext", "modeleditablecontext":
      for name in ["userprofile", "userinstructions", "modelsetcontext"] {
        content.append(fields.text(name) ?? "")
      }
    default:
      if let parts = fields["parts"] { return content.read(parts) }
      if let text = fields["text", "result", "content"] { return content.read(text) }
      content.read(value)
    }
  }

  private func readAuthor(of fields: LooseFields, into entry: inout HistoryEntry) {
    let told = fields.object("author")?.text("role") ?? fields.text("role") ?? "unknown"
    let author = Author(role: told)
    (entry.message.role, entry.message.sender, entry.isOwn) = (author.role, author.sender, author.isOwn)
  }

  /// The words are about the model's writing. A question is never unsent in an export.
  private func readStatus(_ word: String?, into entry: inout HistoryEntry) {
    guard let word else { return }
    let status = EntryStatus(word: word)
    entry.status = entry.message.role == .assistant && status == .unfinished ? .unfinished : .sent
    if entry.status == .unfinished { entry.message.status = word.storable }
  }
}
