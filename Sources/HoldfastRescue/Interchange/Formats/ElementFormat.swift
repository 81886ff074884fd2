import HoldfastCore

/// The export of a room by Element, in JSON: the room's events, in order. An edit and a deletion are separate events
/// after the message that they change.
struct ElementFormat: ConversationFormat {
  private struct Edit {
    var id: String
    var sender: String?
    var date: Int64
    var offset: Int64
  }

  private var edits: [String: [Edit]] = [:]
  private var reactions: [String: [(id: String, reaction: JSONValue)]] = [:]
  private var redacted: Set<String> = []
  private var messages: Set<String> = []

  var format: ImportFormat { .messages }
  var needsSurvey: Bool { true }

  static func isFirst(_ keys: Set<String>) -> Bool {
    keys.contains("originserverts") && !keys.isDisjoint(with: ["eventid", "type"])
  }

  mutating func survey(_ value: JSONValue, at offset: Int64) {
    guard let event = LooseFields(value), let type = event.text("type") else { return }
    let id = event.text("eventid") ?? ""
    let relation = event.object("content")?.object("mrelatesto")
    switch (type, relation?.text("reltype"), relation?.text("eventid")) {
    case ("m.room.redaction", _, _):
      (event.text("redacts") ?? event.object("content")?.text("redacts")).map { _ = redacted.insert($0) }
    case ("m.reaction", _, let target?):
      guard let key = relation?.text("key"), let sender = event.text("sender") else { return }
      reactions[target, default: []].append(
        (id, .object(["by": .text(sender), "value": .text(key), "serverName": .text(id)])))
    case ("m.room.message", "m.replace", let target?):
      guard Self.newContent(event) != nil, !Self.isRedacted(event) else { return }
      edits[target, default: []].append(
        Edit(
          id: id, sender: event.text("sender"), date: event["originserverts"]?.integer ?? .min, offset: offset
        ))
    case ("m.room.message", _, _), ("m.sticker", _, _): messages.insert(id)
    default: break
    }
  }

  private static func isRedacted(_ event: LooseFields) -> Bool {
    event.object("unsigned")?.has("redactedbecause") == true || event.has("redactedbecause")
      || event.object("content")?.names.isEmpty == true
  }

  private static func newContent(_ event: LooseFields) -> LooseFields? {
    event.object("content")?.object("mnewcontent")
  }

  /// The offset of the effective edit of a message: the last one by its sender that was not deleted.
  func replacement(of value: JSONValue) -> Int64? {
    guard let event = LooseFields(value), let id = event.text("eventid") else { return nil }
    return edits[id]?.filter { $0.sender == event.text("sender") && !redacted.contains($0.id) }
      .max { $0.date < $1.date }?.offset
  }

  func entry(_ value: JSONValue, _ reading: EntryReading) throws -> HistoryEntry? {
    try entry(value, replacedBy: nil, reading)
  }

  func entry(
    _ value: JSONValue, replacedBy edit: JSONValue?, _ reading: EntryReading
  ) throws -> HistoryEntry? {
    guard let event = LooseFields(value) else { throw EntryProblem(code: .wrongFields) }
    switch event.text("type") {
    case "m.room.message", "m.sticker": break
    // A message that could not be decrypted.
    case "m.room.encrypted": throw EntryProblem(code: .wrongFields)
    default: return nil
    }
    guard var content = event.object("content") else { throw EntryProblem(code: .wrongFields) }
    let relation = content.object("mrelatesto")
    let isEdit = relation?.text("reltype") == "m.replace"
    if isEdit, let target = relation?.text("eventid"), messages.contains(target) || redacted.contains(target)
    {
      return nil
    }
    let edited = LooseFields(edit)
    content = edited.flatMap(Self.newContent) ?? Self.newContent(event) ?? content
    let id = (isEdit ? relation?.text("eventid") : nil) ?? event.text("eventid") ?? ""
    let date = event["originserverts"] ?? .null
    var message: [String: JSONValue] = [
      "id": .text(id), "sender": event["sender"] ?? .null, "timestamp": date,
      "reactions": .array(
        (reactions[id] ?? []).filter { !redacted.contains($0.id) }.map(\.reaction)),
    ]
    if redacted.contains(id) || Self.isRedacted(event) {
      let because = event.object("unsigned")?.object("redactedbecause")?["originserverts"]
      message["deletedAt"] = because ?? date
      return try reading.entry(.object(message.merging(["content": .text("")]) { $1 }))
    }
    message["editedAt"] = edited?["originserverts"]
    message["replyTo"] = relation?.object("minreplyto")?["eventid"]
    Self.read(content, isReply: message["replyTo"] != nil, into: &message, event.text("type") == "m.sticker")
    return try reading.entry(.object(message))
  }

  private static func read(
    _ content: LooseFields, isReply: Bool, into message: inout [String: JSONValue], _ isSticker: Bool
  ) {
    let (body, name) = (content.text("body") ?? "", content.text("filename"))
    let isFile =
      isSticker || ["m.image", "m.file", "m.audio", "m.video"].contains(content.text("msgtype") ?? "")
    guard isFile else {
      message["content"] = .text(isReply ? withoutQuotation(body) : body)
      return
    }
    message["content"] = .text(name == nil || name == body ? "" : body)
    message["attachments"] = .array([.object(["name": .text(name ?? body)])])
  }

  /// The text without the quotation of the answered message that some apps put before it.
  private static func withoutQuotation(_ body: String) -> String {
    let lines = body.split(separator: "\n", omittingEmptySubsequences: false)
    let rest = lines.drop { $0.hasPrefix("> ") || $0 == ">" }
    guard rest.count < lines.count, rest.first?.isEmpty == true else { return body }
    return rest.dropFirst().joined(separator: "\n")
  }
}
