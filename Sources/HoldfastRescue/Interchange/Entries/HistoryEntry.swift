import Foundation
import HoldfastCore
import HoldfastStore

/// A message of a file, with the file's statements about its delivery.
struct HistoryEntry {
  var message: ImportedMessage
  /// Nil when the file states none.
  var status: EntryStatus?
  /// Whether the user of the file wrote the message. Nil when the file does not show it.
  var isOwn: Bool?
  /// The conversation, for a file in which the messages of several conversations are mixed.
  var conversation: ConversationID?
  /// The evidence about the author. Nil in a format that always names the author.
  var author: Author?
  /// Whether it has been decided if the message is unsent.
  var isResolved = false
  /// Whether a field shows that the entry is in a queue, such as the number of its attempts.
  var isInQueue = false
  /// Whether the message has no text, and shows the names of its files.
  var isTextNames = false
  /// Whether the app kept the message and did not show it.
  var isHidden = false
  /// Whether the entry is not a message: its thoughts, tool calls and their results belong to the next answer.
  var isOfAnswer = false
  /// The files whose bytes are in the entry.
  var inlineFiles: [InlineFile] = []
  /// The reason why the answer failed, in the words of its app.
  var failure: String?
  /// The parts of the entry that could not be read. The entry itself is imported.
  var problems: [ImportProblem.Code] = []
  var notes: [ImportProblem.Code] = []

  init(message: ImportedMessage) { self.message = message }

  /// A message that was never shown.
  init(hidden text: String) {
    self.init(message: ImportedMessage(role: .system, content: MessageContent(text)))
    isHidden = true
  }

  /// Whether the entry is a message that its user still has to send.
  var isUnsent: Bool {
    isOwn != false && message.role == .user && message.deletedAt == nil && status?.isUnsent == true
  }
}

/// The reason why nothing of an entry can be imported.
struct EntryProblem: Error {
  var code: ImportProblem.Code
}

/// Parses the messages of one file: their authors, contents and dates.
struct EntryReading {
  /// The largest message of a file, in bytes.
  static let largestMessage = 64 << 20

  /// The user into whose store the file is imported. Nil while only the format is detected.
  let user: UserID?
  let dates: ImportDates
  /// The user's statement about the authors in this file.
  var authors = ImportAuthors()
  /// Whether the accounts beside the roles are the authors', and not the file's owner's. Determined at the first
  /// account of someone other than the user.
  var accountsDiffer = Once { false }
  /// Whether each character of the file's texts is a byte of UTF-8.
  var isDoublyEncoded = Once { false }

  /// Reads a message whose fields have the names that most apps use, such as `role`, `content` and `timestamp`.
  func entry(_ value: JSONValue) throws -> HistoryEntry {
    guard let fields = LooseFields(value) else { throw EntryProblem(code: .wrongFields) }
    var content = try self.content(of: fields)
    let author = try author(fields)
    if author.role == .tool, fields["toolcallid"] != nil, !content.hasMedia {
      content = EntryContent()
      content.appendToolPart(value)
    }
    var entry = HistoryEntry(message: ImportedMessage(role: author.role, content: content.message))
    content.takeInlineFiles()
    entry.inlineFiles = content.inlineFiles
    if content.message.text.isEmpty, let names = content.shownNames {
      content.message.text = names
      entry.isTextNames = true
    }
    try readDates(fields, into: &entry)
    entry.message.id = fields.id(Self.ids)
    entry.message.sender = author.sender
    (entry.isOwn, entry.author) = (author.isOwn, author)
    entry.isOfAnswer = content.isOfAnswer && fields["deletedat"] == nil
    entry.conversation = fields.id(Self.conversations).map(ConversationID.init(rawValue:))
    readStatus(fields, into: &entry)
    readAdditions(fields, into: &entry, &content)
    let kept = content.message.storable
    entry.message.content = kept
    entry.message.content.images = content.message.images.map(\.storable)
    entry.message.content.videos = content.message.videos.map(\.storable)
    let isShort =
      kept.images.count < content.message.images.count || kept.videos.count < content.message.videos.count
    if isShort || content.hasBytesInside { entry.problems.append(.attachmentsLeftOut) }
    if !content.isWhole { entry.problems.append(.fieldLeftOut) }
    if content.hasFilesElsewhere { entry.notes.append(.filesElsewhere) }
    if content.isCut { entry.notes.append(.partsLeftOut) }
    if entry.message.role == .assistant, let reason = Self.error(fields["error"]) ?? content.failure {
      (entry.status, entry.failure) = (.failed, reason)
    }
    return entry
  }

  /// The reason why an answer failed: empty when its app states no details. Nil when there is no error.
  private static func error(_ value: JSONValue?) -> String? {
    switch value {
    case .bool(true): return ""
    case .text(let text): return text.isBlank ? nil : text
    case .object(let object) where !object.isEmpty:
      let fields = LooseFields(object)
      return fields["content", "message", "detail", "error", "description"].flatMap(error) ?? ""
    default: return nil
    }
  }

  func author(_ fields: LooseFields) throws -> Author {
    try Author(fields, user: user, authors, accountsDiffer)
  }

  static let ids = [
    "id", "messageid", "uuid", "localid", "msgid", "clientid", "clientmessageid", "tempid", "guid", "key",
    "mid",
  ]
  static let conversations = [
    "chatid", "conversationid", "sessionid", "threadid", "projectid", "roomid", "channelid", "convid",
    "dialogid",
    "groupid", "conversation", "chat", "room", "channel", "thread", "to", "recipient", "recipientid", "peer",
    "peerid",
  ]

  func readDates(_ fields: LooseFields, into entry: inout HistoryEntry) throws {
    if let date = try dates.date(fields) { entry.setDate(date, fraction: fields["microseconds"]) }
    if entry.message.createdAt == nil, !entry.problems.contains(.dateUnreadable) {
      entry.notes.append(.undated)
    }
    if let date = fields["editedat"] { entry.message.editedAt = try entry.read(date, dates) }
    if let date = fields["deletedat"] { entry.message.deletedAt = try entry.read(date, dates) }
  }

  private func content(of fields: LooseFields) throws -> EntryContent {
    var content = EntryContent(fields)
    let hasFailed = Self.error(fields["error"]) != nil && fields.text("role") != nil
    if content == nil, hasFailed { content = EntryContent() }
    guard let content,
      content.hasSomething || fields["deletedat"] != nil || content.isEmptyText || hasFailed
    else {
      throw EntryProblem(code: content == nil ? .wrongFields : .empty)
    }
    return content
  }

  static let statuses = [
    "status", "state", "deliverystatus", "deliverystate", "sendstatus", "messagestatus",
  ]

  /// Fields that an entry has while it waits to be sent, and that a sent message does not have.
  static let queueFields = [
    "retrycount", "retries", "attempts", "attemptcount", "retryattempts", "queuedat", "enqueuedat",
    "lastattempt",
    "lastattemptat", "nextattempt", "nextattemptat", "nextretry", "nextretryat", "maxretries", "lasterror",
    "numattempts", "tries", "numretries", "queueid",
  ]

  private func readStatus(_ fields: LooseFields, into entry: inout HistoryEntry) {
    let value = fields.first(Self.statuses).flatMap { $0.text?.isEmpty == true ? nil : $0 }
    entry.message.status = value?.text?.storable
    // A number has a meaning only to its app.
    entry.status = value.map { $0.text.map(EntryStatus.init(word:)) ?? .unknown } ?? Self.flags(fields)
    let flagged = Self.flags(fields)
    if entry.status == .unknown, let flagged { entry.status = flagged }
    if entry.status?.isUnsent == true, flagged == .withdrawn { entry.status = .withdrawn }
    let words = Self.statuses.compactMap { fields.text($0).map(EntryStatus.init(word:)) }
    // If one field says that the message was sent, and another that it waits, its user decides.
    if entry.status == .waiting, flagged == .sent || words.contains(.sent) { entry.status = .unfinished }
    entry.isInQueue = Self.queueFields.contains { fields[$0] != nil }
  }

  /// The status by flags, for an app without a word for the status.
  private static func flags(_ fields: LooseFields) -> EntryStatus? {
    func isSet(_ names: String...) -> Bool { names.contains { fields[$0]?.bool == true } }
    func isDenied(_ names: String...) -> Bool { names.contains { fields[$0]?.bool == false } }
    func isThere(_ names: String...) -> Bool {
      names.contains { name in fields[name].map { $0 != .text("") && $0.bool != false } ?? false }
    }
    if isSet("cancelled", "canceled", "iscancelled", "iscanceled", "isdeleted", "deleted") {
      return .withdrawn
    }
    if isSet(
      "sent", "issent", "delivered", "isdelivered", "isread", "read", "synced", "issynced", "acked", "success"
    ) {
      return .sent
    }
    if isThere(
      "sentat", "deliveredat", "readat", "serverid", "servermessageid", "seenat", "syncedat", "remoteid",
      "ackedat")
    {
      return .sent
    }
    if isSet("failed", "isfailed", "haserror", "iserror", "error") || isThere("failedat", "failurereason") {
      return .failed
    }
    if isSet(
      "pending", "ispending", "queued", "isqueued", "sending", "issending", "unsent", "isunsent", "islocal")
    {
      return .waiting
    }
    if isDenied("sent", "issent", "delivered", "isdelivered", "synced", "issynced") { return .waiting }
    if isSet("isstreaming", "streaming", "unfinished", "ispartial", "interrupted") { return .unfinished }
    if isDenied("done", "isfinal", "iscomplete", "complete", "finished") { return .unfinished }
    return nil
  }

  /// Reads the fields that the engine adds to the format, and those that other apps write beside a message.
  private func readAdditions(
    _ fields: LooseFields, into entry: inout HistoryEntry, _ content: inout EntryContent
  ) {
    content.message.readAdditions(fields)
    content.message.metadata = content.metadata(fields)
    entry.message.order = fields["order"]?.integer.flatMap {
      (1...TimelinePlace.maximumOrder).contains($0) ? $0 : nil
    }
    entry.message.serverID = fields.text("servermessagename").flatMap {
      MessageID.isWellFormed($0) ? $0 : nil
    }
    if entry.status == .waiting, entry.message.order != nil || entry.message.serverID != nil {
      entry.status = .unfinished
    }
    entry.message.readBy = fields["readby"]?.array?.compactMap(\.text) ?? []
    entry.message.revision = max(0, fields["revision"]?.integer ?? 0)
    entry.message.reactions = fields["reactions"]?.array?.compactMap(Self.reaction) ?? []
    entry.message.attachments = Array(
      (fields["attachments"]?.array ?? []).compactMap(Self.attachment).prefix(ChatAttachment.mostReceived))
  }

  private static func reaction(_ value: JSONValue) -> ImportedMessage.Reaction? {
    guard let fields = LooseFields(value), let by = fields.text("by"), let value = fields.text("value") else {
      return nil
    }
    return ImportedMessage.Reaction(by: by, value: value, serverName: fields.text("servername"))
  }

  private static func attachment(_ value: JSONValue) -> ChatAttachment? {
    guard let fields = LooseFields(value), let checksum = fields.text("checksum"),
      let name = fields.text("name"),
      let mediaType = fields.text("mediatype"), let byteCount = fields["bytecount"]?.integer
    else { return nil }
    return ChatAttachment(
      checksum: ChatAttachment.Checksum(rawValue: checksum), name: name, mediaType: mediaType,
      byteCount: byteCount
    ).sanitized
  }
}

extension HistoryEntry {
  /// Sets the message's date. The fraction of a second may be in another field, as in an export of this engine.
  mutating func setDate(_ date: ImportedDate, fraction: JSONValue? = nil) {
    note(date)
    guard let microseconds = date.microseconds else { return }
    let rest = fraction?.integer.flatMap { (0..<1_000_000).contains($0) ? $0 : nil } ?? 0
    message.createdAt = microseconds + (microseconds % 1_000_000 == 0 ? rest : 0)
  }

  fileprivate mutating func read(_ value: JSONValue, _ dates: ImportDates) throws -> Int64? {
    let date = try dates.read(value)
    note(date)
    return date.microseconds
  }

  private mutating func note(_ date: ImportedDate) {
    switch date {
    case .at: break
    case .withoutZone: if !notes.contains(.withoutZone) { notes.append(.withoutZone) }
    case .unlikely: if !notes.contains(.unlikelyDate) { notes.append(.unlikelyDate) }
    case .unreadable: if !problems.contains(.dateUnreadable) { problems.append(.dateUnreadable) }
    }
  }
}

extension ImportedMessage {
  init(role: MessageRole, content: MessageContent) {
    self.init(
      role: role, content: content, readBy: [], revision: 0, reactions: [], attachments: [])
  }

  /// Distinguishes the message from other messages, regardless of IDs.
  var fingerprint: String {
    ImportedID.make([role.rawValue, createdAt.map(String.init) ?? "", sender?.rawValue ?? "", content.text])
  }
}
