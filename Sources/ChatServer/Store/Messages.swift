import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay
import HoldfastStore

/// The accepted messages.
///
/// Texts are bound and read as bytes. As C strings they would end at the first NUL character, but a reader must get
/// the exact text.
struct Messages {
  let db: Database

  /// The location of an accepted message.
  struct Place: Sendable, Hashable {
    var conversation: ConversationID
    var sender: UserID
    var order: Int64
    var at: Int64
  }

  func place(of id: String) throws -> Place? {
    let row = try Row.fetchOne(
      db.cachedStatement(sql: #"SELECT conversation, sender, "order", at FROM message WHERE id = ?"#),
      arguments: [id])
    return row.map {
      Place(
        conversation: ConversationID(rawValue: $0["conversation"]), sender: UserID(rawValue: $0["sender"]),
        order: $0["order"], at: $0["at"])
    }
  }

  /// Whether a message of the conversation answers the request. A deleted message counts too.
  func hasAnswer(to request: String, in conversation: String) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM message WHERE conversation = ? AND request = ?)"),
      arguments: [conversation, request]) ?? false
  }

  func insert(_ message: Wire.MessageItem) throws {
    try db.cachedStatement(sql: Self.insertion).execute(
      arguments: [
        message.id, message.conversation, message.sender, message.role, message.assistant, message.order,
        message.at,
      ] + message.content.arguments)
    try SearchIndex(db: db).note(message.content.text, of: message.id)
  }

  private static let insertion = """
    INSERT INTO message (id, conversation, sender, role, assistant, "order", at, \(MessageContent.columns))
    VALUES (?, ?, ?, ?, ?, ?, ?, \(MessageContent.placeholders))
    """
}

extension Messages {
  /// The columns that a query of messages selects, for ``item(_:)``.
  static let columns = """
    message.id, message.conversation, message.sender, message.role, message.assistant, \(MessageContent.selection),
    message."order", message.at, message.revision, message.editedAt, message.deletedAt,
    EXISTS (SELECT 1 FROM messageAttachment WHERE messageAttachment.message = message.id) AS hasAttachments
    """

  /// A message in its present state.
  func item(_ id: String) throws -> Wire.MessageItem? {
    try Row.fetchOne(
      db.cachedStatement(sql: "SELECT \(Self.columns) FROM message WHERE id = ?"), arguments: [id]
    ).map(item)
  }

  /// A message from a row with the ``columns``.
  func item(_ row: Row) throws -> Wire.MessageItem {
    let revision: Int64 = row["revision"]
    let id: String = row["id"]
    return Wire.MessageItem(
      id: id, conversation: row["conversation"], sender: row["sender"], role: row["role"],
      assistant: row["assistant"], content: MessageContent(row), order: row["order"], at: row["at"],
      revision: revision == 0 ? nil : revision,
      editedAt: row["editedAt"], deletedAt: row["deletedAt"],
      // A message that was never changed has no reactions, so the lookup is skipped.
      reactions: revision == 0 ? nil : try Reactions(db: db).items(to: id),
      attachments: row["hasAttachments"] ? try Uploads(db: db).attachments(of: id) : nil)
  }

  /// Replaces the text. The replaced text is not kept.
  func edit(_ id: String, to text: MessageContent.FormattedText, at: Int64) throws {
    try db.cachedStatement(
      sql: "UPDATE message SET body = CAST(? AS TEXT), formatting = ?, editedAt = ? WHERE id = ?"
    ).execute(arguments: [Data(text.string.utf8), text.formatting, at, id])
    try SearchIndex(db: db).note(text.string, of: id)
  }

  /// Replaces all of the content except `replyTo`. The replaced content is not kept.
  func replace(_ target: Wire.MessageItem, with new: MessageContent, at: Int64) throws {
    var content = target.content
    content.edit(new, isWhole: true)
    try db.cachedStatement(sql: Self.replacement).execute(arguments: content.arguments + [at, target.id])
    try SearchIndex(db: db).note(content.text, of: target.id)
  }

  private static let replacement = """
    UPDATE message SET (\(MessageContent.columns)) = (\(MessageContent.placeholders)), editedAt = ? WHERE id = ?
    """

  /// Empties the message. Only the request is kept: an answered request remains answered.
  func delete(_ message: Wire.MessageItem, at: Int64) throws {
    try db.cachedStatement(sql: Self.deletion).execute(
      arguments: MessageContent(request: message.content.request).arguments + [at, message.id])
    try Reactions(db: db).removeAll(from: message.id)
    try SearchIndex(db: db).note("", of: message.id)
  }

  private static let deletion = """
    UPDATE message SET (\(MessageContent.columns)) = (\(MessageContent.placeholders)), deletedAt = ? WHERE id = ?
    """

  /// Counts a change, and returns the new revision.
  func countChange(of id: String) throws -> Int64 {
    try Int64.fetchOne(
      db.cachedStatement(sql: "UPDATE message SET revision = revision + 1 WHERE id = ? RETURNING revision"),
      arguments: [id]) ?? 0
  }
}

extension MessageContent {
  /// The columns of the content, in the order of the ``placeholders`` and of the ``arguments``.
  fileprivate static let columns = "body, reasoning, replyTo, formatting, metadata, images, videos, request"

  fileprivate static let placeholders = "CAST(? AS TEXT), CAST(? AS TEXT), ?, ?, ?, ?, ?, ?"

  fileprivate var arguments: StatementArguments {
    [
      Data(text.utf8), reasoning.map { Data($0.utf8) }, replyTo?.rawValue, formatting, metadata,
      ReferenceList.column(images), ReferenceList.column(videos), request?.rawValue,
    ]
  }

  /// The columns that a query of messages selects.
  fileprivate static let selection = """
    CAST(message.body AS BLOB) AS body, CAST(message.reasoning AS BLOB) AS reasoning, message.replyTo,
    message.formatting, message.metadata, message.images, message.videos, message.request
    """

  fileprivate init(_ row: Row) {
    self.init(
      String(decoding: row["body"] as Data, as: UTF8.self), formatting: row["formatting"],
      reasoning: (row["reasoning"] as Data?).map { String(decoding: $0, as: UTF8.self) },
      replyTo: (row["replyTo"] as String?).map(MessageID.init(rawValue:)),
      request: (row["request"] as String?).map(RequestID.init(rawValue:)), metadata: row["metadata"],
      images: ReferenceList.references(row["images"]), videos: ReferenceList.references(row["videos"]))
  }
}
