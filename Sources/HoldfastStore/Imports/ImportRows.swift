import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

/// The rows of an import.
package struct ImportRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var imports: ImportRows<Self> { ImportRows(db: self) }
}

/// The fields of a conversation that is made from an import.
package struct ImportedHead {
  package var id: ConversationKey
  package var title: String?
  package var titleIsCustom: Bool
  package var members: [UserID]
  package var metadata: Data?
  package var createdAt: Int64
  package var updatedAt: Int64

  package init(
    id: ConversationKey, title: String? = nil, titleIsCustom: Bool, members: [UserID], metadata: Data? = nil,
    createdAt: Int64, updatedAt: Int64
  ) {
    self.id = id
    self.title = title
    self.titleIsCustom = titleIsCustom
    self.members = members
    self.metadata = metadata
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

}

extension ImportRows where Access == Transaction {
  /// Makes a conversation from an import. An existing conversation is unchanged. Imported conversations are listed
  /// below those used in this app, ordered by their last changes. Returns whether the conversation is new.
  package func addConversation(_ head: ImportedHead) throws -> Bool {
    try run(
      """
      INSERT INTO conversation (id, title, titleIsCustom, members, metadata, createdAt, updatedAt, listRevision)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      [
        head.id.rawValue, ConversationTitle.storable(head.title),
        head.titleIsCustom && ConversationTitle.storable(head.title) != nil,
        StoredMembers.encode(head.members),
        head.metadata, head.createdAt, head.updatedAt, head.updatedAt - (1 << 62),
      ])
    guard changedRows > 0 else { return false }
    try db.deletions.restoreHead(of: head.id)
    changes.noteConversation(head.id)
    return true
  }

  /// Stores a past message. It counts as delivered, and is never sent.
  package func addMessage(
    _ message: ImportedMessage, as id: MessageID, sender: UserID, in conversation: ConversationKey,
    place: Int64,
    createdAt: Int64, now: Date
  ) throws {
    let reactions = message.reactions.map {
      IncomingMessage.Reaction($0.value, from: UserID(rawValue: $0.by), serverID: $0.serverName)
    }
    try run(
      importInsertion,
      [
        id.rawValue, conversation.rawValue, message.order, place, sender.rawValue, message.role.rawValue,
        ReferenceList.column(message.readBy.map(\.storable)),
        message.status == HistoryStatus.delivered ? nil : message.status, message.editedAt, createdAt,
        max(message.revision, reactions.isEmpty ? 0 : 1), message.deletedAt,
        message.order == nil && message.deletedAt == nil,
      ] + message.content.arguments)
    for reaction in reactions { try db.operations.insertReaction(reaction, to: id, in: conversation) }
    if let name = message.serverID, MessageID.isWellFormed(name), try db.messages.holder(of: name) == nil {
      try db.messages.keep(.isFree, name, of: id, in: conversation)
    }
    if !message.attachments.isEmpty {
      for attachment in message.attachments { try db.attachments.insert(attachment, isHere: false, now: now) }
      try db.attachments.set(message.attachments, of: .message(id))
    }
    changes.noteMessage(in: conversation)
  }

  /// Notes an imported item, so that it is not imported again, even after the item is gone. Returns whether it is
  /// new.
  package func note(_ item: String) throws -> Bool {
    try run("INSERT INTO importedItem (item) VALUES (?) ON CONFLICT DO NOTHING", [item])
    return changedRows > 0
  }

  /// Stores a reply that its writer did not finish. It can be continued or retried here, and deleted.
  ///
  /// - Parameter failure: why the reply failed. Nil when it was cut off.
  package func addUnfinished(
    _ message: ImportedMessage, as id: MessageID, sender: UserID, in conversation: ConversationKey,
    place: Int64,
    createdAt: Int64, failure: FailureReason?, now: Date
  ) throws {
    var row = message
    (row.status, row.content.text, row.content.reasoning) = (nil, "", nil)
    try addMessage(
      row, as: id, sender: sender, in: conversation, place: place, createdAt: createdAt, now: now)
    try run("UPDATE message SET isRecorded = 0 WHERE id = ?", [id.rawValue])
    try run(
      """
      INSERT INTO stream (messageID, requestID, writer, isInterrupted, startedAt, failedCode, failedExplanation)
      VALUES (?, ?, 'import', 1, ?, ?, ?)
      """,
      [
        id.rawValue, message.content.request?.rawValue, createdAt, failure?.code.rawValue,
        failure?.explanation,
      ])
    let content = message.content
    guard !content.text.isEmpty || content.reasoning != nil else { return }
    try run(
      "INSERT INTO chunk (messageID, firstSequence, nextSequence, text, reasoning) VALUES (?, 0, 1, ?, ?)",
      [id.rawValue, content.text, content.reasoning ?? ""])
  }

  /// Completes an imported message that was stored only with its beginning.
  package func replace(_ message: ImportedMessage, as id: MessageID) throws {
    let conversation: ConversationKey? = try value(
      "UPDATE message SET importedStatus = NULL, isRecorded = serverOrder IS NULL WHERE id = ? RETURNING conversationID",
      [id.rawValue])
    try db.streams.finish(id, message.content)
    if let conversation { changes.noteMessage(in: conversation) }
  }

  /// Marks an imported message as failed. It keeps its place.
  package func fail(_ id: MessageID, in conversation: ConversationKey, reason: FailureReason) throws {
    try run(
      "UPDATE outbox SET parkedCode = ?, parkedExplanation = ? WHERE messageID = ?",
      [reason.code.rawValue, reason.explanation, id.rawValue])
    changes.noteEntry(in: conversation)
  }

  /// Marks imported messages as read up to a place. The server is not notified, because it does not have them.
  package func read(in conversation: ConversationKey, upTo place: Int64) throws {
    try run(
      "UPDATE conversation SET readPlace = ?1 WHERE id = ?2 AND readPlace < ?1",
      [place, conversation.rawValue])
    if changedRows > 0 { changes.list = true }
  }

  /// Moves an imported conversation to its date in the list, below those used in this app. A date earlier than the
  /// last change moves only a new conversation.
  package func setDate(_ id: ConversationKey, _ date: Int64, isNew: Bool) throws {
    try run(
      """
      UPDATE conversation SET updatedAt = ?1, listRevision = ?1 - (1 << 62)
      WHERE id = ?2 AND listRevision < 0 AND (?3 OR updatedAt < ?1)
      """, [date, id.rawValue, isNew])
    if changedRows > 0 { changes.list = true }
  }

  /// Sets the creation date of a conversation that an import has just made.
  package func setCreation(_ id: ConversationKey, at date: Int64) throws {
    try run("UPDATE conversation SET createdAt = ? WHERE id = ?", [date, id.rawValue])
  }

  /// Titles an untitled conversation after its first message.
  package func setTitle(_ id: ConversationKey, by owner: UserID) throws {
    let isUntitled = try value("SELECT title IS NULL FROM conversation WHERE id = ?", [id.rawValue]) ?? false
    if isUntitled { try db.conversations.setTitle(nil, of: id, by: owner) }
  }
}

/// The facts about a stored message that an import compares with an entry of its file.
package struct KnownImport {
  package var id: MessageID
  package var conversation: ConversationKey
  package var place: Int64
  package var role: MessageRole
  /// The whole text, or the stored beginning of it.
  package var text: String
  /// The message was edited or deleted since it was stored.
  package var isChanged: Bool
  package var isInOutbox: Bool
  package var hasOrder: Bool
  /// The message was cut off.
  package var isUnfinished: Bool
  /// The message is being written now.
  package var isBeingWritten: Bool
}

private enum KnownImportColumn: String, QueryColumn {
  case conversationID = "m.conversationID"
  case place = "m.place"
  case role = "m.role"
  case body = "m.body"
  case isChanged =
    "m.editedAt IS NOT NULL OR m.deletedAt IS NOT NULL OR EXISTS (SELECT 1 FROM operation p WHERE p.messageID = m.id)"
  case isInOutbox = "EXISTS (SELECT 1 FROM outbox o WHERE o.messageID = m.id)"
  case hasOrder = "m.serverOrder IS NOT NULL"
  case importedStatus = "m.importedStatus"
  case isStreaming = "s.messageID IS NOT NULL AND NOT s.regenerates"
  case isBeingWritten = "coalesce(NOT s.isInterrupted, 0)"

  static let message = select("FROM message m LEFT JOIN stream s ON s.messageID = m.id WHERE m.id = ?")
}

private enum NextColumn: String, QueryColumn {
  case place, createdAt

  static let message = select(
    "FROM message WHERE conversationID = ? AND place > ? ORDER BY place, position LIMIT 1")
}

extension KnownImport {
  fileprivate init(_ id: MessageID, _ row: QueryRow<KnownImportColumn>) {
    self.id = id
    conversation = row[.conversationID]
    place = row[.place]
    role = MessageRole(rawValue: row[.role]) ?? .user
    text = row[.body]
    isChanged = row[.isChanged]
    isInOutbox = row[.isInOutbox]
    hasOrder = row[.hasOrder]
    let status: String? = row[.importedStatus]
    isUnfinished =
      row[.isStreaming] || ["streaming", "interrupted", "in_progress", "incomplete"].contains(status ?? "")
    isBeingWritten = row[.isBeingWritten]
  }
}

extension ImportRows {
  /// The stored facts about a message that an import brings. Nil when the message is absent.
  package func known(_ id: MessageID) throws -> KnownImport? {
    guard var known = try row(KnownImportColumn.message, [id.rawValue], { KnownImport(id, $0) }) else {
      return nil
    }
    if known.isUnfinished, known.text.isEmpty { known.text = try db.streams.prefix(of: id).text }
    return known
  }

  /// The place of the last imported message up to a date. Nil when there is no such message.
  package func place(upTo date: Int64, in conversation: ConversationKey) throws -> Int64? {
    try value(
      """
      SELECT place FROM message WHERE conversationID = ? AND place < 0 AND createdAt <= ?
      ORDER BY place DESC, position DESC LIMIT 1
      """, [conversation.rawValue, date])
  }

  package func hasMessages(in conversation: ConversationKey) throws -> Bool {
    try exists("SELECT 1 FROM message WHERE conversationID = ? LIMIT 1", [conversation.rawValue])
  }

  /// The next message after a place. Nil when no message is behind it.
  package func next(
    in conversation: ConversationKey, behind place: Int64
  ) throws -> (place: Int64, createdAt: Int64)? {
    try row(NextColumn.message, [conversation.rawValue, place]) { ($0[.place], $0[.createdAt]) }
  }

  package func contains(_ item: String) throws -> Bool {
    try exists("SELECT 1 FROM importedItem WHERE item = ?", [item])
  }
}

private let importInsertion = """
  INSERT INTO message (id, conversationID, serverOrder, place, sender, role, readBy, importedStatus, editedAt,
    createdAt, revision, deletedAt, isRecorded, \(MessageContent.columns))
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \(MessageContent.placeholders))
  """
