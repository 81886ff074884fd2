import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport

/// The content of a message, as Matrix writes it and as the engine does.
///
/// Other clients read `body`. What only the engine knows is beside it, under names that begin with `dev.holdfast.`.
struct MatrixMessage: Sendable, Hashable {
  enum Key {
    static let id = "dev.holdfast.id"
    /// The room and the account for which the ID is claimed.
    static let room = "dev.holdfast.room"
    static let sender = "dev.holdfast.sender"
    static let reply = "dev.holdfast.reply"
    static let formatting = "dev.holdfast.formatting"
    static let reasoning = "dev.holdfast.reasoning"
    static let metadata = "dev.holdfast.metadata"
    static let images = "dev.holdfast.images"
    static let videos = "dev.holdfast.videos"
    static let request = "dev.holdfast.request"
    static let role = "dev.holdfast.role"
    static let assistant = "dev.holdfast.assistant"
    /// The text of a message with files, whose `body` is a file's name where there is no text.
    static let text = "dev.holdfast.text"
    static let attachments = "dev.holdfast.attachments"
    static let whole = "dev.holdfast.whole"
    static let part = "dev.holdfast.part"
  }

  var content: MessageContent
  var role: MessageRole
  /// The assistant of the sender that has written the message. Nil: the sender.
  var assistant: String?
  /// The files whose checksums are sent. Those of other clients are not.
  var attachments: [OutgoingMessage.SentAttachment]

  init(_ fields: JSONFields) {
    let relation = fields.object("m.relates_to")
    // In a thread, the message in front of it is named for clients that know no threads.
    let answered =
      relation?.isSet("is_falling_back") == true
      ? nil : relation?.object("m.in_reply_to")?.event("event_id")
    let ours = fields.word(Key.reply)
    attachments = fields.objects(Key.attachments).compactMap(OutgoingMessage.SentAttachment.init)
    var text = (attachments.isEmpty ? nil : fields.text(Key.text)) ?? fields.text("body") ?? ""
    if answered != nil, !fields.has(Key.id) { text = Self.withoutQuote(text) }
    if fields.text("msgtype") == "m.emote", !text.isBlank { text = "* " + text }
    if attachments.isEmpty, let shown = Self.shown(fields) { text = shown }
    // Of our own messages, pictures may be all there is.
    if text.isBlank, attachments.isEmpty, !fields.has(Key.id) { text = "[Empty message]" }
    content = MessageContent(
      text, formatting: Self.data(fields, Key.formatting), reasoning: fields.word(Key.reasoning),
      // The server's name is one message's alone. An ID of ours may be claimed by another one.
      replyTo: (answered ?? ours).map(MessageID.init(rawValue:)).flatMap { $0.isWellFormed ? $0 : nil },
      request: fields.word(Key.request).map(RequestID.init(rawValue:)),
      metadata: Self.data(fields, Key.metadata), images: fields.texts(Key.images),
      videos: fields.texts(Key.videos))
    role = fields.text(Key.role).flatMap(MessageRole.init(rawValue:)) ?? .user
    assistant = fields.word(Key.assistant).flatMap { UserID.isAssistantName($0) ? $0 : nil }
  }

  /// The types of events without a text of their own, and the text in their place.
  static let placeholders = [
    "m.sticker": "Sticker", "m.poll.start": "Poll", "org.matrix.msc3381.poll.start": "Poll",
    "m.poll.end": "Poll ended", "org.matrix.msc3381.poll.end": "Poll ended",
    "m.room.encrypted": "Encrypted message", "m.call.invite": "Call",
  ]

  /// The text in place of an event that has none of its own, by its kind and name.
  init(placeholderOf type: String, _ fields: JSONFields) {
    let poll = fields.object("m.poll") ?? fields.object("org.matrix.msc3381.poll.start")
    let question = poll?.object("question")
    let plain = question?.objects("m.text").first { ["", "text/plain"].contains($0.text("mimetype") ?? "") }
    let name =
      type == "m.sticker"
      ? fields.word("body")
      : plain?.word("body") ?? question?.word("org.matrix.msc1767.text") ?? question?.word("body")
    self.init(JSONFields(["body": Self.placeholder(Self.placeholders[type] ?? "Message", name)]))
  }

  /// "[Picture: a.png]", or "[Picture]" without a name.
  private static func placeholder(_ kind: String, _ name: String?) -> String {
    name.flatMap { $0.isBlank ? nil : "[\(kind): \($0)]" } ?? "[\(kind)]"
  }

  /// The text in place of a file of another client, whose bytes are not fetched: its kind and its name, above its
  /// caption ([Matrix, media captions](https://spec.matrix.org/v1.15/client-server-api/#media-captions)). Nil: it is no
  /// such file.
  private static func shown(_ fields: JSONFields) -> String? {
    let kinds = [
      "m.image": "Picture", "m.video": "Video", "m.audio": "Audio", "m.file": "File",
      "m.location": "Location",
    ]
    guard let kind = fields.text("msgtype").flatMap({ kinds[$0] }) else { return nil }
    let body = fields.text("body") ?? ""
    let name = fields.word("filename") ?? body
    return placeholder(kind, name) + (name == body || body.isBlank ? "" : "\n\(body)")
  }

  /// The author: the account that sent the event, or an assistant of it.
  func author(_ sender: UserID) -> UserID { assistant.map { .assistant($0, of: sender) } ?? sender }

  private static func data(_ fields: JSONFields, _ name: String) -> Data? {
    fields.text(name).flatMap { Data(base64Encoded: $0) }
  }

  /// The text behind the quote that older clients put in front of an answer
  /// ([removed in Matrix 1.13](https://spec.matrix.org/v1.13/client-server-api/#rich-replies)).
  private static func withoutQuote(_ text: String) -> String {
    guard text.hasPrefix("> ") else { return text }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let rest = lines.drop { $0.hasPrefix("> ") || $0 == ">" }
    guard rest.first == "" else { return text }
    return rest.dropFirst().joined(separator: "\n")
  }
}

extension MatrixMessage {
  /// The fields of a message that an account sends into a room.
  static func fields(
    of message: OutgoingMessage, in room: String, by account: UserID
  ) -> [String: JSONValue] {
    var fields = content(message.content)
    if !message.attachments.isEmpty {
      fields[Key.text] = .text(message.text)
      fields[Key.attachments] = .array(message.attachments.map { .object($0.fields) })
      fields.merge(shown(message.attachments, message.text)) { _, shown in shown }
    }
    fields[Key.id] = .text(message.id.rawValue)
    (fields[Key.room], fields[Key.sender]) = (.text(room), .text(account.rawValue))
    if message.role != .user { fields[Key.role] = .text(message.role.rawValue) }
    fields[Key.assistant] = message.sender?.assistantName.map(JSONValue.text)
    if let event = message.serverIDs.replyTo {
      fields["m.relates_to"] = ["m.in_reply_to": ["event_id": .text(event)]]
    }
    // Without it, servers look for names in the text.
    fields["m.mentions"] = [:]
    return fields
  }

  /// What other clients show of files: one file as such, and the names of several
  /// ([Matrix, media captions](https://spec.matrix.org/v1.15/client-server-api/#media-captions)).
  private static func shown(
    _ files: [OutgoingMessage.SentAttachment], _ text: String
  ) -> [String: JSONValue] {
    let names = files.map(\.attachment.name).joined(separator: "\n")
    guard let only = files.first, files.count == 1 else {
      return ["body": .text(text.isEmpty ? names : "\(text)\n\(names)")]
    }
    let file = only.attachment
    return [
      "msgtype": .text(file.matrixType), "body": .text(text.isEmpty ? file.name : text),
      "filename": .text(file.name), "url": .text(only.serverID),
      "info": ["mimetype": .text(file.mediaType), "size": .integer(Int(file.byteCount))],
    ]
  }

  /// The fields of an edit. Clients that know no edits show the beginning of the text.
  static func fields(ofEdit message: OutgoingMessage, of target: String, isWhole: Bool) -> [String: JSONValue]
  {
    var new = content(
      isWhole ? message.content : MessageContent(message.text, formatting: message.formatting))
    new["m.mentions"] = [:]
    var fields: [String: JSONValue] = [
      "msgtype": "m.text", "body": .text("* " + message.text.prefix(100)), "m.new_content": .object(new),
      "m.relates_to": ["rel_type": "m.replace", "event_id": .text(target)], "m.mentions": [:],
    ]
    if isWhole { fields[Key.whole] = true }
    return fields
  }

  private static func content(_ content: MessageContent) -> [String: JSONValue] {
    var fields: [String: JSONValue] = ["msgtype": "m.text", "body": .text(content.text)]
    fields[Key.reply] = content.replyTo.map { .text($0.rawValue) }
    fields[Key.formatting] = content.formatting.map { .text($0.base64EncodedString()) }
    fields[Key.reasoning] = content.reasoning.map(JSONValue.text)
    fields[Key.metadata] = content.metadata.map { .text($0.base64EncodedString()) }
    fields[Key.request] = content.request.map { .text($0.rawValue) }
    if !content.images.isEmpty { fields[Key.images] = .array(content.images.map(JSONValue.text)) }
    if !content.videos.isEmpty { fields[Key.videos] = .array(content.videos.map(JSONValue.text)) }
    return fields
  }
}

extension ChatAttachment {
  /// How other clients show the file.
  fileprivate var matrixType: String {
    switch mediaType.split(separator: "/").first {
    case "image": "m.image"
    case "video": "m.video"
    case "audio": "m.audio"
    default: "m.file"
    }
  }
}

extension OutgoingMessage.SentAttachment {
  fileprivate var fields: [String: JSONValue] {
    [
      "url": .text(serverID), "sha256": .text(attachment.checksum.rawValue), "name": .text(attachment.name),
      "type": .text(attachment.mediaType), "size": .integer(Int(attachment.byteCount)),
    ]
  }

  /// Nil without an address or a checksum.
  fileprivate init?(_ fields: JSONFields) {
    guard let url = fields.word("url"), let checksum = fields.word("sha256") else { return nil }
    let attachment = ChatAttachment(
      checksum: ChatAttachment.Checksum(rawValue: checksum), name: fields.text("name") ?? "",
      mediaType: fields.text("type") ?? "", byteCount: fields.number("size") ?? -1)
    self.init(attachment, serverID: url)
  }
}
