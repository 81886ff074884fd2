import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

/// The conversations, and the names under which they are known.
package struct ConversationRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var conversations: ConversationRows<Self> { ConversationRows(db: self) }
}

extension ConversationRows where Access == Transaction {
  /// Makes the conversation unless it exists. Changes nothing if it does.
  package func create(_ id: ConversationKey, title: String?, members: [UserID], now: Date) throws {
    try run(
      """
      INSERT INTO conversation (id, title, titleIsCustom, members, createdAt, updatedAt, listRevision)
      VALUES (?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING
      """,
      [
        id.rawValue, ConversationTitle.storable(title), ConversationTitle.storable(title) != nil,
        StoredMembers.encode(members),
        now.microseconds, now.microseconds,
      ])
    guard changedRows > 0 else { return }
    try touch(id, now: now)
    changes.noteConversation(id)
  }

  /// Adds members to a conversation that an import made before the app did, as long as the server has not confirmed
  /// it (rule H16). Its queue may be sent from now on.
  package func complete(_ id: ConversationKey, members: [UserID]) throws {
    let stored: String? = try value(
      "SELECT members FROM conversation WHERE id = ? AND NOT isConfirmed", [id.rawValue])
    guard let stored else { return }
    let present = StoredMembers.decode(stored)
    let all = present + members.filter { !present.contains($0) }
    // Existing members came from the app, or from the imported file.
    if present.count < 2, all.count > present.count {
      try run("UPDATE conversation SET members = ? WHERE id = ?", [StoredMembers.encode(all), id.rawValue])
      changes.noteConversation(id)
    }
    guard try refusal(of: id)?.cause == .membersUnknown else { return }
    try liftRefusal(of: id)
  }

  /// Makes the conversation for an imported draft, unless it exists. A pending deletion is completed first, because
  /// the user adds a draft to the conversation.
  package func make(forDraftOf id: ConversationKey, by owner: UserID, now: Date) throws {
    try db.deletions.eraseToMakeAnew(id)
    guard try !isHere(id) else { return }
    try create(id, title: nil, members: [owner], now: now)
    try db.deletions.restoreHead(of: id)
  }

  /// Stores the server's statement about a conversation. A title that the owner gave is kept. If the server lists
  /// accounts that the conversation did not have here, the waiting messages fail, so that the user sees the members
  /// before they are sent (rule E1).
  package func confirm(
    _ conversation: IncomingConversation, as key: ConversationKey, now: Date
  ) throws {
    guard try !db.deletions.noteForgotten(key, members: StoredMembers.encode(conversation.members)) else {
      return
    }
    if let refusal = conversation.refusal, conversation.members.isEmpty {
      // A removed member gets no further details.
      guard try value("SELECT 1 FROM conversation WHERE id = ?", [key.rawValue]) as Int? != nil else {
        return
      }
      try refuse(key, reason: refusal)
      return changes.noteConversation(key)
    }
    // The server lists accounts only. Their assistants take part on this device.
    let stored: String? = try value(
      "SELECT members FROM conversation WHERE id = ? AND members LIKE '%assistant%'",
      [key.rawValue])
    let assistants = stored.map(StoredMembers.decode)?.filter { assistant in
      assistant.assistantName != nil && conversation.members.contains(assistant.account)
    }
    let members = conversation.members + (assistants ?? [])
    try create(
      key, title: nil, members: members, now: now)
    let named: String? = try value(
      "SELECT members FROM conversation WHERE id = ? AND NOT isConfirmed", [key.rawValue])
    try run(
      """
      UPDATE conversation SET isConfirmed = 1, members = ?,
        title = CASE WHEN titleIsCustom THEN title WHEN ? = '' THEN NULL ELSE coalesce(?, title) END WHERE id = ?
      """,
      [
        StoredMembers.encode(members), conversation.title, ConversationTitle.storable(conversation.title),
        key.rawValue,
      ])
    if let named, !Set(conversation.members).isSubset(of: StoredMembers.decode(named)) {
      try db.outbox.failWaiting(in: key, reason: FailureReason(.otherMembers))
    }
    for earlier in conversation.earlierIDs { try noteEarlierName(earlier, of: key) }
    // A removed user who receives the conversation again is a member again.
    if let refusal = conversation.refusal {
      try refuse(key, reason: refusal)
    } else {
      try liftRefusal(of: key)
    }
    changes.noteConversation(key)
  }

  /// Notes that the server has the conversation, because it accepted something in it.
  package func markConfirmed(_ id: ConversationKey) throws {
    try run("UPDATE conversation SET isConfirmed = 1 WHERE id = ? AND isConfirmed = 0", [id.rawValue])
  }

  /// Moves the conversation to the top of the list.
  package func touch(_ id: ConversationKey, now: Date) throws {
    try run(
      "UPDATE conversation SET listRevision = ?, updatedAt = ? WHERE id = ?",
      [try db.settings.nextRevision(), now.microseconds, id.rawValue])
    changes.list = true
  }

  /// Updates the conversation for a sent message, in one statement. The conversation moves to the top of the
  /// list. The first words become the title, if the conversation has no title and no other accounts (rule H1).
  /// With `endsDraft`, every older draft is stale from now on (rule D8).
  package func noteSend(
    _ id: MessageID, title: String, in conversation: ConversationKey, endsDraft: Bool, now: Date
  ) throws {
    guard conversation.isWellFormed, !db.localDeletions.isHidden(conversation) else {
      try require(conversation)
      return
    }
    try run(
      """
      UPDATE conversation SET listRevision = ?1, updatedAt = ?2,
        sentRevision = CASE WHEN ?3 THEN ?1 ELSE sentRevision END, lastSentMessageID = ?4,
        title = CASE WHEN title IS NULL AND \(ConversationTitle.isOfWords("members")) THEN ?5 ELSE title END
      WHERE id = ?6
      """,
      [
        try db.settings.nextRevision(), now.microseconds, endsDraft, id.rawValue, title,
        conversation.rawValue,
      ])
    guard changedRows > 0 else {
      try require(conversation)
      return
    }
    changes.list = true
  }

  /// Returns the conversation, or the one that it was merged into since the lookup.
  @discardableResult
  package func require(_ id: ConversationKey) throws -> ConversationKey {
    let id = whole(of: id)
    // SQLite's text ends at U+0000. An ID that contains U+0000 would find another conversation.
    guard id.isWellFormed, !db.localDeletions.isHidden(id), try isHere(id) else {
      throw ChatError.unknownConversation
    }
    return id
  }
}

/// The parts of a conversation that its timeline shows.
package struct ConversationHead {
  package var title: String?
  /// The members, decoded only when they are asked for.
  package var members: () -> [UserID]
  package var refusal: FailureReason?
  package var processing: ProcessingRequest?
  /// Whether the conversation is kept on this device alone.
  package var isOnDevice: Bool
  /// Whether the user has deleted the conversation, and may still undo that.
  package var isHidden: Bool
  /// Whether older messages were removed to make room.
  package var hasEvicted: Bool
}

private enum HeadColumn: String, QueryColumn {
  case title = "c.title"
  case members = "c.members"
  case refusedCode = "c.refusedCode"
  case refusedExplanation = "c.refusedExplanation"
  case requestID = "w.requestID"
  case isInterrupted = "w.isInterrupted"
  case startedAt = "w.startedAt"
  case isOnDevice = "c.isOnDevice"
  case isHidden = "EXISTS (SELECT 1 FROM deletion d WHERE d.conversationID = c.id)"
  case hasEvicted = "EXISTS (SELECT 1 FROM horizon h WHERE h.conversationID = c.id AND h.isEvicted)"

  static let conversation = select(
    "FROM conversation c LEFT JOIN work w ON w.conversationID = c.id WHERE c.id = ?")
}

extension ConversationHead {
  fileprivate init(_ name: ConversationID, _ row: QueryRow<HeadColumn>) {
    let storedMembers: String = row[.members]
    title = row[.title]
    members = { StoredMembers.decode(storedMembers) }
    refusal = row.failure(.refusedCode, .refusedExplanation)
    processing = (row[.requestID] as RequestID?).map { request in
      ProcessingRequest(
        id: request, conversation: name, isInterrupted: row[.isInterrupted], startedAt: row[.startedAt])
    }
    isOnDevice = row[.isOnDevice]
    (isHidden, hasEvicted) = (row[.isHidden], row[.hasEvicted])
  }
}

private enum ConversationColumn: String, QueryColumn {
  case id = "c.id"
  case title = "c.title"
  case members = "c.members"
  case metadata = "c.metadata"
  case createdAt = "c.createdAt"
  case updatedAt = "c.updatedAt"
  /// The beginning of the newest message's text (``String/excerpt``), or the name of its first attachment.
  case excerpt = """
    coalesce(nullif(substr(m.body, 1, 400), ''),
      (SELECT u.name FROM attachmentUse u WHERE u.messageID = m.id ORDER BY u.number LIMIT 1), m.body)
    """
  case excerptSender = "m.sender"
  case isWithoutText = "m.body IS ''"
  case hasImages = "m.images IS NOT NULL"
  case hasVideos = "m.videos IS NOT NULL"
  case isLastDeleted = "m.deletedAt IS NOT NULL"
  case refusedCode = "c.refusedCode"
  case refusedExplanation = "c.refusedExplanation"

  static let one = select(from + "WHERE c.id = ?")
  static let listed = select(
    from + """
      WHERE c.id \(DeletionRule.notDeleted) ORDER BY c.listRevision DESC LIMIT ?
      """)
  static let chosen = select(
    from + "WHERE c.id IN (SELECT value FROM json_each(?)) ORDER BY c.listRevision DESC")

  private static let from = """
    FROM conversation c
    LEFT JOIN message m ON m.position = (SELECT position FROM message WHERE conversationID = c.id
      ORDER BY place DESC, position DESC LIMIT 1)

    """
}

extension StoredConversation {
  fileprivate init(_ row: QueryRow<ConversationColumn>, named name: ConversationID) {
    let isLastDeleted: Bool = row[.isLastDeleted]
    self.init(
      id: row[.id], name: name, title: row[.title], members: StoredMembers.decode(row[.members]),
      metadata: row[.metadata], createdAt: row[.createdAt], updatedAt: row[.updatedAt],
      excerpt: isLastDeleted ? nil : (row[.excerpt] as String?)?.excerpt, excerptSender: row[.excerptSender],
      isLastDeleted: isLastDeleted, refusal: row.failure(.refusedCode, .refusedExplanation))
  }
}

extension ConversationRows {
  /// Whether the conversation is stored, hidden or not.
  package func isHere(_ id: ConversationKey) throws -> Bool {
    try exists("SELECT 1 FROM conversation WHERE id = ?", [id.rawValue])
  }

  /// The present name of the conversation. Nil when the conversation is not there.
  package func presentName(of name: ConversationID) throws -> ConversationID? {
    guard name.isWellFormed else { return nil }
    let key = try key(of: name)
    // A deleted conversation counts as absent, even while Undo is offered.
    return try isVisible(key) ? self.name(of: key) : nil
  }

  /// Whether the conversation is stored and not deleted from the user's view.
  package func isVisible(_ id: ConversationKey) throws -> Bool {
    guard id.isWellFormed else { return false }
    return try exists(
      """
      SELECT 1 FROM conversation
      WHERE id = ? AND NOT EXISTS (SELECT 1 FROM deletion WHERE conversationID = conversation.id)
      """, [id.rawValue])
  }

  package func stored(_ id: ConversationKey) throws -> StoredConversation? {
    try row(ConversationColumn.one, [id.rawValue]) { StoredConversation($0, named: try name(of: id)) }
  }

  package func head(_ id: ConversationKey) throws -> ConversationHead? {
    try row(HeadColumn.conversation, [id.rawValue]) { ConversationHead(try name(of: id), $0) }
  }

  /// The conversations, newest first. The operations on the newest message of each are applied to its excerpt.
  package func stored(limit: Int) throws -> [StoredConversation] {
    try stored(ConversationColumn.listed, [limit])
  }

  /// These conversations, newest first.
  package func stored(_ ids: [ConversationKey]) throws -> [StoredConversation] {
    try stored(ConversationColumn.chosen, [StoredMembers.encode(ids)])
  }

  private func stored(
    _ query: Query<ConversationColumn>, _ arguments: StatementArguments
  ) throws -> [StoredConversation] {
    var conversations = try rows(query, arguments) { row in
      var conversation = StoredConversation(row, named: try name(of: row[.id]))
      if row[.isWithoutText] {
        conversation.isExcerptFile = conversation.excerpt?.isEmpty == false
        conversation.hasImages = row[.hasImages]
        conversation.hasVideos = row[.hasVideos]
      }
      return conversation
    }
    if try exists("SELECT 1 FROM stream LIMIT 1") {
      for index in conversations.indices where conversations[index].excerpt?.isEmpty == true {
        conversations[index].excerpt = try streamExcerpt(of: conversations[index].id)
      }
    }
    guard try exists("SELECT 1 FROM operation LIMIT 1") else { return conversations }
    for index in conversations.indices {
      for operation in try operationsOnLast(of: conversations[index].id) where operation.failure == nil {
        switch operation.kind {
        case .edit:
          conversations[index].excerpt = operation.text.string.excerpt
          conversations[index].isExcerptFile = false
        case .delete: (conversations[index].excerpt, conversations[index].isLastDeleted) = (nil, true)
        case .react, .unreact: break
        }
      }
    }
    return conversations
  }

  /// The stored beginning of a message that is still being written, or was cut off.
  private func streamExcerpt(of conversation: ConversationKey) throws -> String {
    let last: MessageID? = try value(
      "SELECT id FROM message WHERE conversationID = ? ORDER BY place DESC, position DESC LIMIT 1",
      [conversation.rawValue])
    return try db.streams.prefix(of: last ?? "").text.excerpt
  }

  private func operationsOnLast(of conversation: ConversationKey) throws -> [StoredOperation] {
    try db.operations.all(in: conversation, limit: 1).values.first ?? []
  }
}
