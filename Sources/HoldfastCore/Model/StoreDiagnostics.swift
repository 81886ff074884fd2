import Foundation

/// How a store is doing: versions, sizes, counts, permissions and place. Never contents (SPEC S6, H6).
///
/// ```swift
/// let diagnostics = try client.storeDiagnostics()
/// report(diagnostics.databaseBytes + diagnostics.journalBytes + diagnostics.attachmentBytes)
/// ```
public struct StoreDiagnostics: Sendable, Codable, Hashable {
  /// The folder.
  public var location: URL
  public var sqliteVersion: String
  /// SQLite 3.7.0 to 3.51.2 may damage a database when two connections checkpoint it at the same instant (SPEC S2). The
  /// engine keeps them apart; other programs that open the file do not.
  public var hasJournalResetFault: Bool
  public var schemaVersion: String
  public var databaseBytes: Int64
  public var journalBytes: Int64
  public var attachmentBytes: Int64
  /// Within the database, and given back to the disk by ``ChatClient/enterBackground()``.
  public var freeBytes: Int64
  /// What is given up for the last draft when the disk is full is there.
  public var hasReserve: Bool
  /// Several processes use it (``StorageLocation/shared()``).
  public var isShared: Bool
  /// Nobody else can read or write folder, database, journal or attachments.
  public var isPrivate: Bool
  /// The permissions of what is not private, by name, as `0644`.
  public var openPermissions: [String: String]
  public var conversations: Int
  public var messages: Int
  /// Messages that the server has not confirmed, failed ones included.
  public var unsent: Int
  public var failed: Int
  public var drafts: Int
  public var attachments: Int

  public init(
    location: URL, sqliteVersion: String, hasJournalResetFault: Bool, schemaVersion: String,
    databaseBytes: Int64, journalBytes: Int64, attachmentBytes: Int64, freeBytes: Int64, hasReserve: Bool,
    isShared: Bool, isPrivate: Bool, openPermissions: [String: String], conversations: Int, messages: Int,
    unsent: Int, failed: Int, drafts: Int, attachments: Int
  ) {
    self.location = location
    self.sqliteVersion = sqliteVersion
    self.hasJournalResetFault = hasJournalResetFault
    self.schemaVersion = schemaVersion
    self.databaseBytes = databaseBytes
    self.journalBytes = journalBytes
    self.attachmentBytes = attachmentBytes
    self.freeBytes = freeBytes
    self.hasReserve = hasReserve
    self.isShared = isShared
    self.isPrivate = isPrivate
    self.openPermissions = openPermissions
    self.conversations = conversations
    self.messages = messages
    self.unsent = unsent
    self.failed = failed
    self.drafts = drafts
    self.attachments = attachments
  }

}
