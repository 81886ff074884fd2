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
    guard let message = node["message"] else {
      return Self.messageKeys.contains { node[$0] != nil } ? try reading.entry(value) : nil
    }
    guard let fields = LooseFields(message) else { throw EntryProblem(code: .wrongFields) }
    let metadata = fields.object("metadata")
    var content = EntryContent()
    if let value = fields["content"] { Self.read(value, into: &content) }
    content.readFiles(metadata?["attachments"])
    let kind = LooseFields.plain(fields.object("content")?.text("contenttype") ?? "")
    let author = Self.author(of: fields)
    let isOfTool = Self.isOfTool(kind, author, fields, content)
    if isOfTool { content = Self.toolPart(fields, kind) }
    // Thoughts are shown with their answer, regardless of their flags.
    let isOfAnswer = isOfTool || kind == "thoughts" && author.role != .user
    let isHidden = !isOfAnswer && metadata?["isvisuallyhiddenfromconversation"]?.bool == true
    let marks = CitationMarks(metadata)
    content.message.text = marks.removed(from: content.message.text, isOfUser: author.role == .user)
    content.message.reasoning = content.message.reasoning.map { marks.removed(from: $0, isOfUser: false) }
    for source in marks.sources { content.append(source: source) }
    guard content.hasSomething else {
      if fields["content"] == nil { throw EntryProblem(code: .wrongFields) }
      // Empty messages steer the model, and were never shown.
      return HistoryEntry(hidden: "")
    }
    var entry = HistoryEntry(message: ImportedMessage(role: .user, content: content.message))
    if content.message.text.isEmpty, let names = content.shownNames { content.message.text = names }
    (entry.message.role, entry.message.sender, entry.isOwn) = (author.role, author.sender, author.isOwn)
    entry.isOfAnswer = isOfAnswer
    entry.message.id = fields.id(["id"]) ?? node.id(["id"])
    try reading.readDates(fields, into: &entry)
    readStatus(fields.text("status"), into: &entry)
    content.message.metadata = content.metadata(model: metadata?.text("modelslug", "model"))
    entry.message.content = content.message.storable
    if !content.isWhole { entry.problems.append(.fieldLeftOut) }
    if content.hasFilesElsewhere { entry.notes.append(.filesElsewhere) }
    if content.isCut { entry.notes.append(.partsLeftOut) }
    entry.isHidden = isHidden
    return entry
  }

  /// Reads a content, which is a kind and its parts. Thoughts are the reasoning of the next answer.
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
    // The duration of the thoughts.
    case "reasoningrecap": break
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

  private static func author(of fields: LooseFields) -> Author {
    Author(role: fields.object("author")?.text("role") ?? fields.text("role") ?? "unknown")
  }

  /// The kinds of tools' inputs and outputs.
  private static let toolKinds: Set = [
    "code", "executionoutput", "tetherbrowsingdisplay", "tetherbrowsingcode", "tetherquote", "systemerror",
    "computeroutput", "citablecodeoutput", "sonicwebpage",
  ]

  /// Whether a message is to or from a tool, and shows nothing to the reader. An image made by a tool is shown.
  private static func isOfTool(
    _ kind: String, _ author: Author, _ fields: LooseFields, _ content: EntryContent
  ) -> Bool {
    guard content.hasSomething, author.role != .user || kind != "code" else { return false }
    if toolKinds.contains(kind) { return true }
    let isToTool = author.role == .assistant && recipient(fields) != nil && kind != "thoughts"
    return (isToTool || author.role == .tool) && !content.hasMedia
  }

  /// The tool that a message is addressed to. Nil when it is addressed to all.
  private static func recipient(_ fields: LooseFields) -> String? {
    fields.text("recipient").flatMap { ["all", ""].contains($0) ? nil : $0 }
  }

  /// A message of a tool as a part of the next answer. Code that is addressed to all is shown if no answer follows.
  private static func toolPart(_ fields: LooseFields, _ kind: String) -> EntryContent {
    var content = EntryContent()
    var part: [String: JSONValue] = ["content": fields["content"] ?? .null]
    part["role"] = (fields.object("author")?.text("role") ?? fields.text("role")).map(JSONValue.text)
    part["name"] = fields.object("author")?.text("name").map(JSONValue.text)
    part["recipient"] = recipient(fields).map(JSONValue.text)
    content.appendToolPart(.object(part))
    if kind == "code", recipient(fields) == nil {
      content.append(fields.object("content")?.text("text") ?? "")
    }
    return content
  }

  /// Reads the status, which describes the model's writing. A question is never unsent in an export.
  private func readStatus(_ word: String?, into entry: inout HistoryEntry) {
    guard let word else { return }
    let status = EntryStatus(word: word)
    entry.status = entry.message.role == .assistant && status == .unfinished ? .unfinished : .sent
    if entry.status == .unfinished { entry.message.status = word.storable }
  }
}
