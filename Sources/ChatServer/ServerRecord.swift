import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

/// The content of a server, read from its file by a read-only connection. The server may be running in another
/// process, or have been killed.
package struct ServerRecord: Sendable {
  let folder: URL
  private var file: URL { folder.appending(path: ServerDatabase.fileName) }

  /// The record of the server on this folder.
  package init(folder: URL) { self.folder = folder }

  /// Whether the folder is a server's.
  package var isThere: Bool { (try? FileStatus(of: file).byteCount) ?? 0 > 0 }

  /// All messages of a conversation in order, each in its present state.
  package func messages(in conversation: ConversationID) throws -> [Wire.MessageItem] {
    try read { try Self.messages(in: conversation, $0) }
  }

  /// The read marks of a conversation's members.
  package func readMarks(in conversation: ConversationID) throws -> [Wire.ReadMarkItem] {
    try read { try Self.readMarks(in: conversation, $0) }
  }

  private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try open { try $0.read(body) }
  }

  func open<Value>(_ body: (DatabaseQueue) throws -> Value) throws -> Value {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    let queue = try DatabaseQueue(path: file.path, configuration: configuration)
    // The values that were read are valid even if closing fails.
    defer { try? queue.close() }
    return try body(queue)
  }

  static func messages(in conversation: ConversationID, _ db: Database) throws -> [Wire.MessageItem] {
    try Row.fetchAll(
      db, sql: "SELECT \(Messages.columns) FROM message WHERE conversation = ? ORDER BY \"order\"",
      arguments: [conversation.rawValue]
    ).map(Messages(db: db).item)
  }

  static func readMarks(in conversation: ConversationID, _ db: Database) throws -> [Wire.ReadMarkItem] {
    try Row.fetchAll(
      db, sql: "SELECT account, message, \"order\" FROM readMark WHERE conversation = ? ORDER BY account",
      arguments: [conversation.rawValue]
    ).map {
      Wire.ReadMarkItem(
        conversation: conversation.rawValue, reader: $0["account"], message: $0["message"],
        order: $0["order"])
    }
  }
}
