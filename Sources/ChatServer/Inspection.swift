import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay
import HoldfastStore

extension ChatServer {
  /// The IDs of all conversations, so that tests can compare them with the created ones.
  package func conversationIDs() throws -> [ConversationID] {
    try database.read { db in
      try String.fetchAll(db, sql: "SELECT id FROM conversation ORDER BY id").map(
        ConversationID.init(rawValue:))
    }
  }

  /// The read marks of a conversation's members, so that tests can compare them with the expected ones.
  package func readMarks(in conversation: ConversationID) throws -> [Wire.ReadMarkItem] {
    try database.read { try ServerRecord.readMarks(in: conversation, $0) }
  }

  /// Compares the files with the database, after removing the leftovers of a crash as the next launch would.
  package func auditAttachments() throws -> AttachmentAudit {
    let known = try Self.known(database, attachments)
    attachments.sweep {
      known.files.contains($0.lastPathComponent) || known.parts.contains($0.lastPathComponent)
    }
    return AttachmentAudit(
      of: attachments.url, holding: Set(known.files.map(ChatAttachment.Checksum.init(rawValue:))),
      parts: known.parts)
  }

  /// The attachments of a conversation's messages, by message ID, so that tests can compare them with the expected
  /// ones.
  package func attachments(in conversation: ConversationID) throws -> [String: [Wire.AttachmentItem]] {
    try database.read { db in
      let messages = try String.fetchAll(
        db,
        sql: """
          SELECT DISTINCT message.id FROM message JOIN messageAttachment a ON a.message = message.id
          WHERE message.conversation = ?
          """, arguments: [conversation.rawValue])
      let uploads = Uploads(db: db)
      return Dictionary(uniqueKeysWithValues: try messages.map { ($0, try uploads.attachments(of: $0)) })
    }
  }

  /// All messages of a conversation in order, each in its present state with its reactions, so that tests can
  /// compare them with the expected ones.
  package func messages(in conversation: ConversationID) throws -> [Wire.MessageItem] {
    try database.read { try ServerRecord.messages(in: conversation, $0) }
  }

  /// The order of a conversation's last message that was published up to a cursor. 0: none was.
  package func lastOrder(in conversation: ConversationID, upTo cursor: Int64) throws -> Int64 {
    try database.read { try History(db: $0).lastOrder(of: conversation.rawValue, upTo: cursor) }
  }

  /// The operations that were carried out on a message, each with the message's revision after it, in their order.
  package func operations(on message: String) throws -> [(id: String, sender: String, revision: Int64)] {
    try database.read { db in
      try Row.fetchAll(
        db, sql: "SELECT id, sender, revision FROM operation WHERE message = ? ORDER BY revision, id",
        arguments: [message]
      ).map { (id: $0["id"], sender: $0["sender"], revision: $0["revision"]) }
    }
  }

  /// Whether a message or an operation with this ID was accepted.
  package func hasAccepted(_ id: String) throws -> Bool {
    try database.read { db in
      try Messages(db: db).place(of: id) != nil || Operations(db: db).accepted(id) != nil
    }
  }

  /// Whether the server still accepts frames from this connection.
  package func takes(from connection: ConnectionID) -> Bool { !isStopped && sessions[connection] != nil }
}
