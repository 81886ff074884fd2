import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay
import HoldfastStore

/// The attachments that accounts have uploaded, and the messages that have them.
struct Uploads {
  let db: Database

  struct Upload: Sendable, Hashable {
    var account: UserID
    var checksum: ChatAttachment.Checksum
    var byteCount: Int64
    var isWhole: Bool
  }

  func find(_ checksum: ChatAttachment.Checksum, of account: UserID) throws -> Upload? {
    try Row.fetchOne(
      db.cachedStatement(
        sql: "SELECT account, checksum, byteCount, isWhole FROM upload WHERE account = ? AND checksum = ?"),
      arguments: [account.rawValue, checksum.rawValue]
    ).map(Self.upload)
  }

  func begin(_ checksum: ChatAttachment.Checksum, byteCount: Int64, of account: UserID) throws {
    try db.cachedStatement(sql: "INSERT INTO upload (account, checksum, byteCount) VALUES (?, ?, ?)")
      .execute(arguments: [account.rawValue, checksum.rawValue, byteCount])
  }

  func noteWhole(_ checksum: ChatAttachment.Checksum, of account: UserID) throws {
    try db.cachedStatement(sql: "UPDATE upload SET isWhole = 1 WHERE account = ? AND checksum = ?")
      .execute(arguments: [account.rawValue, checksum.rawValue])
  }

  func remove(_ checksum: ChatAttachment.Checksum, of account: UserID) throws {
    try db.cachedStatement(sql: "DELETE FROM upload WHERE account = ? AND checksum = ?")
      .execute(arguments: [account.rawValue, checksum.rawValue])
  }

  /// The account's complete and unfinished uploads that none of its own messages has yet, oldest first.
  func unsent(of account: UserID) throws -> [Upload] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT account, checksum, byteCount, isWhole FROM upload
          WHERE account = ? AND isSent = 0 ORDER BY number
          """), arguments: [account.rawValue]
    ).map(Self.upload)
  }

  /// Adds attachments to a message. They no longer count as unsent.
  func attach(_ attachments: [Wire.AttachmentItem], to message: String, of account: UserID) throws {
    let insert = try db.cachedStatement(
      sql: """
        INSERT INTO messageAttachment (message, number, checksum, name, mediaType, byteCount)
        VALUES (?, ?, ?, ?, ?, ?)
        """)
    let mark = try db.cachedStatement(
      sql: "UPDATE upload SET isSent = 1 WHERE account = ? AND checksum = ?")
    for (number, attachment) in attachments.enumerated() {
      try insert.execute(arguments: [
        message, number, attachment.checksum, attachment.name, attachment.mediaType, attachment.bytes,
      ])
      try mark.execute(arguments: [account.rawValue, attachment.checksum])
    }
  }

  /// Removes all attachments from a message of this account. An upload that no other message of the account has is
  /// deleted, so it must be uploaded again before it can be sent again. Returns the attachments that are no longer
  /// needed. Their files may be deleted once this is committed.
  func detach(from message: String, of account: UserID) throws -> [ChatAttachment.Checksum] {
    let checksums = try String.fetchAll(
      db.cachedStatement(sql: "DELETE FROM messageAttachment WHERE message = ? RETURNING checksum"),
      arguments: [message])
    let forget = try db.cachedStatement(
      sql: """
        DELETE FROM upload WHERE account = ?1 AND checksum = ?2 AND isSent = 1
          AND NOT EXISTS (
            SELECT 1 FROM messageAttachment a JOIN message ON message.id = a.message
            WHERE a.checksum = ?2 AND message.sender = ?1)
        """)
    return try Set(checksums).sorted().map(ChatAttachment.Checksum.init(rawValue:)).filter { checksum in
      try forget.execute(arguments: [account.rawValue, checksum.rawValue])
      return try !needs(checksum)
    }
  }

  func attachments(of message: String) throws -> [Wire.AttachmentItem] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT checksum, name, mediaType, byteCount FROM messageAttachment WHERE message = ? ORDER BY number
          """), arguments: [message]
    ).map {
      .init(checksum: $0["checksum"], name: $0["name"], mediaType: $0["mediaType"], bytes: $0["byteCount"])
    }
  }

  /// The attachment's size in bytes, for a member of a conversation with a message that has it. Nil for all other
  /// accounts: knowing a checksum gives no access.
  func byteCount(of checksum: ChatAttachment.Checksum, for account: UserID) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT a.byteCount FROM messageAttachment a
          JOIN message ON message.id = a.message
          JOIN member ON member.conversation = message.conversation AND member.account = ?
          WHERE a.checksum = ? LIMIT 1
          """), arguments: [account.rawValue, checksum.rawValue])
  }

  /// Whether a file is needed: an account has a complete upload of it, or a message has it.
  func needs(_ checksum: ChatAttachment.Checksum) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT EXISTS (SELECT 1 FROM upload WHERE checksum = ?1 AND isWhole = 1)
            OR EXISTS (SELECT 1 FROM messageAttachment WHERE checksum = ?1)
          """), arguments: [checksum.rawValue]) ?? true
  }

  /// The checksums of all files that the folder should have, and the unfinished uploads.
  func known() throws -> (files: Set<String>, parts: [Upload]) {
    let files = try String.fetchSet(
      db,
      sql: "SELECT checksum FROM upload WHERE isWhole = 1 UNION SELECT checksum FROM messageAttachment")
    let parts = try Row.fetchAll(
      db, sql: "SELECT account, checksum, byteCount, isWhole FROM upload WHERE isWhole = 0"
    ).map(Self.upload)
    return (files, parts)
  }

  private static func upload(_ row: Row) -> Upload {
    Upload(
      account: UserID(rawValue: row["account"]),
      checksum: ChatAttachment.Checksum(rawValue: row["checksum"]),
      byteCount: row["byteCount"], isWhole: row["isWhole"])
  }
}
