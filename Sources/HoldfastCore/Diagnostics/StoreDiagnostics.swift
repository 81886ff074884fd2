import Foundation

/// The state of a store: versions, sizes, counts, permissions and location. Never contents (rules S6, H6).
///
/// ```swift
/// let diagnostics = try client.storeDiagnostics()
/// report(diagnostics.databaseBytes + diagnostics.journalBytes + diagnostics.attachmentBytes)
/// ```
public struct StoreDiagnostics: Sendable, Codable, Hashable {
  /// The store's folder.
  public var location: URL
  /// The version of the SQLite library that runs.
  public var sqliteVersion: String
  /// Whether this version of SQLite has the journal reset fault: SQLite 3.7.0 to 3.51.2 may damage a database
  /// when two connections checkpoint it at the same instant (rule S2). The engine prevents that among its own
  /// connections, but not for other programs that open the file.
  public var hasJournalResetFault: Bool
  /// The version of the tables.
  public var schemaVersion: String
  /// The size of the database file.
  public var databaseBytes: Int64
  /// The size of the journal (the WAL file).
  public var journalBytes: Int64
  /// The size of all attachment files, in bytes.
  public var attachmentBytes: Int64
  /// Unused bytes within the database. ``ChatClient/enterBackground()`` gives them back to the disk.
  public var freeBytes: Int64
  /// Whether copies of deleted texts may be left in the database (rule S9). ``ChatClient/enterBackground()`` removes
  /// them from a store of up to 16 MB, and ``ChatClient/compact(progress:)`` from any store.
  public var isCompactionDue: Bool
  /// Whether the reserve exists: the space that is given up for the last draft when the disk is full.
  public var hasReserve: Bool
  /// Whether several processes use the store (``StorageLocation/shared()``).
  public var isShared: Bool
  /// Whether the folder, the database, the journal and the attachments are closed to all other users of the
  /// device.
  public var isPrivate: Bool
  /// The permissions of the files that are not private, such as `0644`, by name.
  public var openPermissions: [String: String]
  /// The number of conversations.
  public var conversations: Int
  /// The number of messages, unsent ones included.
  public var messages: Int
  /// Messages that the server has not confirmed, including failed ones.
  public var unsent: Int
  /// The number of messages that have failed.
  public var failed: Int
  /// The number of drafts.
  public var drafts: Int
  /// The number of attachment files.
  public var attachments: Int

  /// Diagnostics with these values, for previews and tests.
  public init(
    location: URL, sqliteVersion: String, hasJournalResetFault: Bool, schemaVersion: String,
    databaseBytes: Int64, journalBytes: Int64, attachmentBytes: Int64, freeBytes: Int64,
    isCompactionDue: Bool = false, hasReserve: Bool, isShared: Bool, isPrivate: Bool,
    openPermissions: [String: String], conversations: Int, messages: Int,
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
    self.isCompactionDue = isCompactionDue
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
