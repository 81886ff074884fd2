import Foundation
import GRDB
import HoldfastCore

/// Who refers to an attachment.
package enum AttachmentOwner {
  case message(MessageID)
  case draft(DraftKey)
}

/// An attachment as the store has it, before the state of this process is added.
package struct StoredAttachment: Equatable {
  package var attachment: Attachment
  /// How much of it the server had when it was last asked.
  package var uploadedBytes: Int64
  package var isHere: Bool
  /// The server has all of it.
  package var isUploaded: Bool
}

extension Transaction {
  /// There is a file of this attachment now, or there will be one once it is fetched. One that is here stays, and what
  /// was only said of it does not count any more.
  package func insertAttachment(_ attachment: Attachment, isHere: Bool, now: Date) throws {
    try run(
      """
      INSERT INTO attachment (checksum, byteCount, isHere, createdAt) VALUES (?, ?, ?, ?)
      ON CONFLICT (checksum) DO UPDATE SET isHere = max(isHere, excluded.isHere),
        byteCount = CASE WHEN excluded.isHere THEN excluded.byteCount ELSE byteCount END
      """, [attachment.checksum.rawValue, attachment.byteCount, isHere, now.microseconds])
    // A message may have come with the same file, and have waited for it.
    if isHere { changes.timelines.formUnion(try db.conversations(with: attachment.checksum)) }
  }

  /// The owner's attachments are these, in this order.
  package func setAttachments(_ attachments: [Attachment], of owner: AttachmentOwner) throws {
    let insert: String
    let arguments: StatementArguments
    switch owner {
    case .message(let id):
      arguments = [id.rawValue]
      insert = "messageID, draftID) VALUES (?, ?, ?, ?, ?, NULL)"
      try run("DELETE FROM attachmentUse WHERE messageID = ?", arguments)
    case .draft(let key):
      arguments = [key.conversation.rawValue, key.slot.rawValue]
      insert = """
        messageID, draftID)
        VALUES (?, ?, ?, ?, NULL, (SELECT id FROM draft WHERE conversationID = ? AND slot = ?))
        """
      try run(
        """
        DELETE FROM attachmentUse
        WHERE draftID = (SELECT id FROM draft WHERE conversationID = ? AND slot = ?)
        """, arguments)
    }
    for (number, attachment) in attachments.enumerated() {
      try run(
        "INSERT INTO attachmentUse (checksum, number, name, mediaType, " + insert,
        [attachment.checksum.rawValue, number, attachment.name, attachment.mediaType] + arguments)
    }
  }

  /// A message that is deleted has none any more. Once this is committed, the files go that nothing else refers to.
  func removeAttachments(from id: MessageID) throws {
    try run("DELETE FROM attachmentUse WHERE messageID = ?", [id.rawValue])
    if changedRows > 0 { changes.unusedAttachments = true }
  }

  /// Forgets the attachments that nobody refers to, and gives their checksums: once this is committed, their files may
  /// go. Costs one pass over the attachments.
  func deleteUnusedAttachments() throws -> [AttachmentChecksum] {
    try db.rows(
      """
      DELETE FROM attachment
      WHERE NOT EXISTS (SELECT 1 FROM attachmentUse u WHERE u.checksum = attachment.checksum)
      RETURNING checksum
      """
    ) { AttachmentChecksum(rawValue: $0[0]) }
  }

  /// The server has so much of it. With its name there, it has all of it.
  package func noteUpload(_ checksum: AttachmentChecksum, bytes: Int64, serverID: String?) throws {
    try run(
      "UPDATE attachment SET uploadedBytes = ?, serverID = coalesce(?, serverID) WHERE checksum = ?",
      [bytes, serverID, checksum.rawValue])
    let conversations = try db.conversations(with: checksum)
    changes.timelines.formUnion(conversations)
    // What waited for it may leave.
    if serverID != nil { changes.lanes.formUnion(conversations) }
  }

  /// The server does not have the attachments of this message after all: they are uploaded again.
  package func forgetUploads(of id: MessageID) throws {
    try run(
      """
      UPDATE attachment SET uploadedBytes = 0, serverID = NULL
      WHERE checksum IN (SELECT checksum FROM attachmentUse WHERE messageID = ?)
      """, [id.rawValue])
  }

  /// Its user wants it, although it is too large to be fetched unasked.
  package func want(_ checksum: AttachmentChecksum) throws {
    try run(
      "UPDATE attachment SET wantedRevision = ? WHERE checksum = ? AND wantedRevision IS NULL",
      [try nextRevision(), checksum.rawValue])
  }

  /// Its file is in its place.
  package func noteFetched(_ checksum: AttachmentChecksum) throws {
    try run(
      "UPDATE attachment SET isHere = 1, wantedRevision = NULL WHERE checksum = ?", [checksum.rawValue])
    changes.timelines.formUnion(try db.conversations(with: checksum))
  }
}

extension Database {
  private static let storedAttachment = """
    u.checksum, u.name, u.mediaType, a.byteCount, a.uploadedBytes, a.isHere,
    a.serverID IS NOT NULL AND a.uploadedBytes = a.byteCount
    """

  private static func storedAttachment(_ row: Row) -> StoredAttachment {
    StoredAttachment(
      attachment: Attachment(
        checksum: AttachmentChecksum(rawValue: row[0]), name: row[1], mediaType: row[2], byteCount: row[3]),
      uploadedBytes: row[4], isHere: row[5], isUploaded: row[6])
  }

  package func attachments(of id: MessageID) throws -> [StoredAttachment] {
    try rows(
      """
      SELECT \(Self.storedAttachment) FROM attachmentUse u JOIN attachment a ON a.checksum = u.checksum
      WHERE u.messageID = ? ORDER BY u.number
      """, [id.rawValue], Self.storedAttachment)
  }

  package func attachments(of key: DraftKey) throws -> [Attachment] {
    try rows(
      """
      SELECT \(Self.storedAttachment) FROM draft d
      JOIN attachmentUse u ON u.draftID = d.id JOIN attachment a ON a.checksum = u.checksum
      WHERE d.conversationID = ? AND d.slot = ? ORDER BY u.number
      """, [key.conversation.rawValue, key.slot.rawValue]
    ) { Self.storedAttachment($0).attachment }
  }

  /// The attachments of these messages. Most stores have few: where no message has one, nothing is looked for.
  package func attachments(of messages: [StoredMessage]) throws -> [MessageID: [StoredAttachment]] {
    guard try row("SELECT 1 FROM attachmentUse WHERE messageID IS NOT NULL LIMIT 1") != nil else {
      return [:]
    }
    var found: [MessageID: [StoredAttachment]] = [:]
    for message in messages {
      let attachments = try attachments(of: message.id)
      if !attachments.isEmpty { found[message.id] = attachments }
    }
    return found
  }

  package func attachment(_ checksum: AttachmentChecksum) throws -> StoredAttachment? {
    try row(
      """
      SELECT \(Self.storedAttachment) FROM attachment a JOIN attachmentUse u ON u.checksum = a.checksum
      WHERE a.checksum = ? LIMIT 1
      """, [checksum.rawValue]
    ).map(Self.storedAttachment)
  }

  /// Whether the file of each attachment is here.
  func attachmentsHere() throws -> [AttachmentChecksum: Bool] {
    Dictionary(
      uniqueKeysWithValues: try rows("SELECT checksum, isHere FROM attachment") {
        (AttachmentChecksum(rawValue: $0[0]), $0[1] as Bool)
      })
  }

  /// The conversations in which a message has it.
  package func conversations(with checksum: AttachmentChecksum) throws -> [ConversationID] {
    try rows(
      """
      SELECT DISTINCT m.conversationID FROM attachmentUse u JOIN message m ON m.id = u.messageID
      WHERE u.checksum = ? ORDER BY m.conversationID
      """, [checksum.rawValue]
    ) { ConversationID(rawValue: $0[0]) }
  }

  /// The first attachment of a queued message that the server does not have. Nil: it has all of them, or the message
  /// is not queued any more.
  package func nextUpload(of id: MessageID) throws -> StoredAttachment? {
    try row(
      """
      SELECT \(Self.storedAttachment) FROM outbox o
      JOIN attachmentUse u ON u.messageID = o.messageID JOIN attachment a ON a.checksum = u.checksum
      WHERE o.messageID = ? AND o.parkedCode IS NULL AND o.isHeld = 0
        AND (a.serverID IS NULL OR a.uploadedBytes <> a.byteCount)
      ORDER BY u.number LIMIT 1
      """, [id.rawValue]
    ).map(Self.storedAttachment)
  }

  /// Queued messages with this attachment.
  package func queuedMessages(
    with checksum: AttachmentChecksum
  ) throws -> [MessageID] {
    try rows(
      """
      SELECT o.messageID FROM attachmentUse u JOIN outbox o ON o.messageID = u.messageID
      WHERE u.checksum = ? AND o.parkedCode IS NULL AND o.isHeld = 0 ORDER BY o.position
      """, [checksum.rawValue]
    ) { MessageID(rawValue: $0[0]) }
  }

  /// What is not here and was asked for, in the order of asking; then what is small enough to be fetched unasked, the
  /// newest first. But for `others`.
  package func nextFetch(
    atMost maximumBytes: Int64, besides others: Set<AttachmentChecksum>
  ) throws -> StoredAttachment? {
    let cursor = try Row.fetchCursor(
      cachedStatement(
        sql: """
          SELECT \(Self.storedAttachment) FROM attachment a JOIN attachmentUse u ON u.checksum = a.checksum
          WHERE a.isHere = 0 AND (a.wantedRevision IS NOT NULL OR a.byteCount <= ?)
          ORDER BY a.wantedRevision IS NULL, a.wantedRevision, a.createdAt DESC, a.checksum
          """), arguments: [maximumBytes])
    while let row = try cursor.next() {
      let stored = Self.storedAttachment(row)
      if !others.contains(stored.attachment.checksum) { return stored }
    }
    return nil
  }
}
