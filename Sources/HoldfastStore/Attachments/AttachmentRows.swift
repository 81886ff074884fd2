import Foundation
import GRDB
import HoldfastCore

/// The attachments: what refers to them, and what is transferred.
package struct AttachmentRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var attachments: AttachmentRows<Self> { AttachmentRows(db: self) }
}

/// A message or draft that refers to an attachment.
package enum AttachmentOwner {
  case message(MessageID)
  case draft(DraftKey)
}

/// An attachment as it is stored, before the state of this process is added.
package struct StoredAttachment: Equatable {
  package var attachment: ChatAttachment
  /// The number of bytes that the server had when it was last asked.
  package var uploadedBytes: Int64
  package var isHere: Bool
  /// Whether the server has all of the attachment.
  package var isUploaded: Bool
}

extension AttachmentRows where Access == Transaction {
  /// Stores the row of an attachment whose file is here, or will be once it is fetched. An attachment that is
  /// here stays here. Its real size replaces the size that was only announced.
  package func insert(_ attachment: ChatAttachment, isHere: Bool, now: Date) throws {
    try run(
      """
      INSERT INTO attachment (checksum, byteCount, isHere, createdAt) VALUES (?, ?, ?, ?)
      ON CONFLICT (checksum) DO UPDATE SET isHere = max(isHere, excluded.isHere),
        byteCount = CASE WHEN excluded.isHere THEN excluded.byteCount ELSE byteCount END
      """, [attachment.checksum.rawValue, attachment.byteCount, isHere, now.microseconds])
    // A message may have arrived with the same file and be waiting for it.
    if isHere { changes.timelines.formUnion(try conversations(with: attachment.checksum)) }
  }

  /// Replaces the owner's attachments with these, in this order. After the commit, the files that nothing refers to
  /// any longer are removed.
  ///
  /// - Parameter serverIDs: the server's own names of the files.
  package func set(
    _ attachments: [ChatAttachment], named serverIDs: [ChatAttachment.Checksum: String] = [:],
    of owner: AttachmentOwner
  ) throws {
    let insert: String
    let arguments: StatementArguments
    let replaced: [ChatAttachment.Checksum]
    switch owner {
    case .message(let id):
      arguments = [id.rawValue]
      insert = messageUseInsert
      replaced = try values("DELETE FROM attachmentUse WHERE messageID = ? RETURNING checksum", arguments)
      let conversation: ConversationKey? = try value(
        "SELECT conversationID FROM message WHERE id = ?", [id.rawValue])
      if let conversation { changes.timelines.insert(conversation) }
    case .draft(let key):
      arguments = [key.conversation.rawValue, key.slot.rawValue]
      insert = draftUseInsert
      replaced = try values(
        """
        DELETE FROM attachmentUse
        WHERE draftID = (SELECT id FROM draft WHERE conversationID = ? AND slot = ?) RETURNING checksum
        """, arguments)
      changes.noteDraft(in: key.conversation)
    }
    for (number, attachment) in attachments.enumerated() {
      try run(
        insert,
        [
          attachment.checksum.rawValue, number, attachment.name, attachment.mediaType,
          serverIDs[attachment.checksum].flatMap(Self.storedServerID),
        ] + arguments)
    }
    if !Set(replaced).isSubset(of: attachments.map(\.checksum)) { changes.unusedAttachments = true }
  }

  /// The name in storable form. Nil for an empty, oversized or unstorable name.
  private static func storedServerID(_ name: String) -> String? {
    !name.isEmpty && name.utf8.count <= MessageContent.maximumReferenceBytes ? name.storable : nil
  }

  /// Removes the attachments of a deleted message. After the commit, the files that nothing else refers to are
  /// removed.
  func remove(from id: MessageID) throws {
    try run("DELETE FROM attachmentUse WHERE messageID = ?", [id.rawValue])
    if changedRows > 0 { changes.unusedAttachments = true }
  }

  /// Deletes the rows of the attachments that nothing refers to, and returns their checksums. Their files may go
  /// after the commit. Costs one pass over the attachments.
  func deleteUnused() throws -> [ChatAttachment.Checksum] {
    try values(
      """
      DELETE FROM attachment
      WHERE NOT EXISTS (SELECT 1 FROM attachmentUse u WHERE u.checksum = attachment.checksum)
      RETURNING checksum
      """)
  }

  /// Notes how many bytes of the attachment the server has. The server has all of it once `serverID` is set.
  package func noteUpload(_ checksum: ChatAttachment.Checksum, bytes: Int64, serverID: String?) throws {
    try run(
      "UPDATE attachment SET uploadedBytes = ?, serverID = coalesce(?, serverID) WHERE checksum = ?",
      [bytes, serverID, checksum.rawValue])
    let conversations = try conversations(with: checksum)
    changes.timelines.formUnion(conversations)
    // Messages that waited for the upload can be sent now.
    if serverID != nil { changes.lanes.formUnion(conversations) }
  }

  /// Resets the uploads of a message's attachments, because the server does not have them after all. They are
  /// uploaded again.
  package func forgetUploads(of id: MessageID) throws {
    let forgotten: [ChatAttachment.Checksum] = try values(
      """
      UPDATE attachment SET uploadedBytes = 0, serverID = NULL
      WHERE checksum IN (SELECT checksum FROM attachmentUse WHERE messageID = ?) RETURNING checksum
      """, [id.rawValue])
    for checksum in forgotten { changes.timelines.formUnion(try conversations(with: checksum)) }
  }

  /// Notes that the user wants an attachment that is too large for automatic download. Announces no change:
  /// observers show only the transfer, not the wish.
  package func want(_ checksum: ChatAttachment.Checksum) throws {
    try run(
      "UPDATE attachment SET wantedRevision = ? WHERE checksum = ? AND wantedRevision IS NULL",
      [try db.settings.nextRevision(), checksum.rawValue])
  }

  /// Notes that the attachment's file is in its place.
  package func noteFetched(_ checksum: ChatAttachment.Checksum) throws {
    try run(
      "UPDATE attachment SET isHere = 1, wantedRevision = NULL WHERE checksum = ?", [checksum.rawValue])
    changes.timelines.formUnion(try conversations(with: checksum))
  }
}

private enum AttachmentColumn: String, QueryColumn {
  case checksum = "u.checksum"
  case name = "u.name"
  case mediaType = "u.mediaType"
  case byteCount = "a.byteCount"
  case uploadedBytes = "a.uploadedBytes"
  case isHere = "a.isHere"
  case isUploaded = "a.serverID IS NOT NULL AND a.uploadedBytes = a.byteCount"

  static let message = select(
    """
    FROM attachmentUse u JOIN attachment a ON a.checksum = u.checksum
    WHERE u.messageID = ? ORDER BY u.number
    """)

  static let draft = select(
    """
    FROM draft d
    JOIN attachmentUse u ON u.draftID = d.id JOIN attachment a ON a.checksum = u.checksum
    WHERE d.conversationID = ? AND d.slot = ? ORDER BY u.number
    """)

  static let one = select(
    """
    FROM attachment a JOIN attachmentUse u ON u.checksum = a.checksum
    WHERE a.checksum = ? LIMIT 1
    """)

  static let nextUpload = select(
    """
    FROM outbox o
    JOIN attachmentUse u ON u.messageID = o.messageID JOIN attachment a ON a.checksum = u.checksum
    WHERE o.messageID = ? AND \(OutboxRule.isQueuedInO)
      AND (a.serverID IS NULL OR a.uploadedBytes <> a.byteCount)
    ORDER BY u.number LIMIT 1
    """)

  static let fetches = select(
    """
    FROM attachment a JOIN attachmentUse u ON u.checksum = a.checksum
    WHERE a.isHere = 0 AND (a.wantedRevision IS NOT NULL OR a.byteCount <= ?)
    ORDER BY a.wantedRevision IS NULL, a.wantedRevision, a.createdAt DESC, a.checksum
    """)
}

extension StoredAttachment {
  fileprivate init(_ row: QueryRow<AttachmentColumn>) {
    attachment = ChatAttachment(
      checksum: row[.checksum], name: row[.name], mediaType: row[.mediaType], byteCount: row[.byteCount])
    uploadedBytes = row[.uploadedBytes]
    isHere = row[.isHere]
    isUploaded = row[.isUploaded]
  }
}

private enum FileColumn: String, QueryColumn {
  case checksum = "a.checksum"
  case isHere = "a.isHere"

  static let all = select("FROM attachment a")
  static let used = Query<Self> {
    "SELECT DISTINCT \($0) FROM attachmentUse u JOIN attachment a ON a.checksum = u.checksum"
  }
}

extension AttachmentRows {
  package func all(of id: MessageID) throws -> [StoredAttachment] {
    try rows(AttachmentColumn.message, [id.rawValue], StoredAttachment.init)
  }

  package func all(of key: DraftKey) throws -> [ChatAttachment] {
    try rows(AttachmentColumn.draft, [key.conversation.rawValue, key.slot.rawValue]) {
      StoredAttachment($0).attachment
    }
  }

  /// The attachments of these messages. Most stores have few: if no message has one, the messages are not looked
  /// up.
  package func all(of messages: [MessageID]) throws -> [MessageID: [StoredAttachment]] {
    guard try areInMessages() else { return [:] }
    var found: [MessageID: [StoredAttachment]] = [:]
    for message in messages {
      let attachments = try all(of: message)
      if !attachments.isEmpty { found[message] = attachments }
    }
    return found
  }

  /// Whether any message in the store has an attachment.
  func areInMessages() throws -> Bool {
    try exists("SELECT 1 FROM attachmentUse WHERE messageID IS NOT NULL LIMIT 1")
  }

  package func stored(_ checksum: ChatAttachment.Checksum) throws -> StoredAttachment? {
    try row(AttachmentColumn.one, [checksum.rawValue], StoredAttachment.init)
  }

  /// For each attachment, whether its file is here.
  func here() throws -> [ChatAttachment.Checksum: Bool] {
    try files(FileColumn.all)
  }

  /// For each attachment that a message or a draft refers to, whether its file is here.
  package func used() throws -> [ChatAttachment.Checksum: Bool] { try files(FileColumn.used) }

  private func files(_ query: Query<FileColumn>) throws -> [ChatAttachment.Checksum: Bool] {
    let files = try rows(query) { row in (row[.checksum] as ChatAttachment.Checksum, row[.isHere] as Bool) }
    return Dictionary(uniqueKeysWithValues: files)
  }

  /// The server's own names of a file, as reported with messages.
  package func serverIDs(of checksum: ChatAttachment.Checksum) throws -> [String] {
    try values(
      "SELECT DISTINCT serverID FROM attachmentUse WHERE checksum = ? AND serverID IS NOT NULL ORDER BY serverID",
      [checksum.rawValue])
  }

  /// The conversations in which a message has the attachment.
  package func conversations(with checksum: ChatAttachment.Checksum) throws -> [ConversationKey] {
    try values(
      """
      SELECT DISTINCT m.conversationID FROM attachmentUse u JOIN message m ON m.id = u.messageID
      WHERE u.checksum = ? ORDER BY m.conversationID
      """, [checksum.rawValue])
  }

  /// The first attachment of a queued message that the server does not have. Nil when the server has all of them,
  /// or the message is no longer queued.
  package func nextUpload(of id: MessageID) throws -> StoredAttachment? {
    try row(AttachmentColumn.nextUpload, [id.rawValue], StoredAttachment.init)
  }

  /// The queued messages with this attachment.
  package func queuedMessages(
    with checksum: ChatAttachment.Checksum
  ) throws -> [MessageID] {
    try values(
      """
      SELECT o.messageID FROM attachmentUse u JOIN outbox o ON o.messageID = u.messageID
      WHERE u.checksum = ? AND \(OutboxRule.isQueuedInO) ORDER BY o.position
      """, [checksum.rawValue])
  }

  /// The next attachment to fetch, except those in `others`. Requested attachments come first, in the order of the
  /// requests. Attachments within the automatic download limit follow, newest first.
  package func nextFetch(
    atMost maximumBytes: Int64, besides others: Set<ChatAttachment.Checksum>
  ) throws -> StoredAttachment? {
    var next: StoredAttachment?
    try forEachRow(of: AttachmentColumn.fetches, [maximumBytes]) { row in
      guard !others.contains(row[.checksum]) else { return true }
      next = StoredAttachment(row)
      return false
    }
    return next
  }
}

private let messageUseInsert = """
  INSERT INTO attachmentUse (checksum, number, name, mediaType, serverID, messageID, draftID)
  VALUES (?, ?, ?, ?, ?, ?, NULL)
  """

private let draftUseInsert = """
  INSERT INTO attachmentUse (checksum, number, name, mediaType, serverID, messageID, draftID)
  VALUES (?, ?, ?, ?, ?, NULL, (SELECT id FROM draft WHERE conversationID = ? AND slot = ?))
  """
