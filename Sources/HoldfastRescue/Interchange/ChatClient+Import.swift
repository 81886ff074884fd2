import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Imports the data of an earlier app, or an export of another store (rules H9, H10, H13): a `history.json`, the
  /// export of an app for language models, a queue of unsent messages, or drafts. The format is detected from the
  /// contents ([formats](docs/imports.md), [how](docs/decisions/0030-imports-are-cut-by-a-reader-of-our-own.md)).
  ///
  /// ```swift
  /// let report = try client.importHistory(from: url) { progress in show(progress) }
  /// for problem in report.problems { print("\(problem.entry): \(problem.explanation)") }
  /// ```
  ///
  /// A history that was exported with its attachments has their files in a folder beside it. They are imported too,
  /// and so are the files of drafts, whose bytes are in base64 in the file. An ID of more than 255 bytes is replaced
  /// by one made of its SHA-256 (``ConversationID/init(imported:)``), which is the same each time.
  ///
  /// Messages that were sent become history here, and none of them is sent. Unsent messages go into the outbox:
  /// those of a queue are sent as soon as possible, and those of a history once the user has confirmed them. A
  /// conversation that the import makes waits with its queue until the app has called
  /// ``ChatClient/createConversation(_:title:members:metadata:isOnDevice:)``, because the file does not name its
  /// members. Drafts go into their composers. If a composer already has a draft, that draft stays, the imported text
  /// becomes a version of it (`versions()`), and the imported files join its files. An existing conversation keeps
  /// its title and its members. Imported messages count as read.
  ///
  /// Importing is idempotent: importing a file again changes nothing, also after the imported entries have been
  /// sent, cancelled or discarded, and after a partial import. Entries are recognized by their IDs. Entries without
  /// an ID are recognized by their contents and the entry before them.
  ///
  /// A file of any size takes about as much memory as its largest message. The file is read twice. New entries are
  /// stored in transactions of at most 250 messages, and others can write in between. Blocks its caller, and no
  /// other caller for long: call it from its own task. The import is on disk when this returns. A crash in between
  /// leaves complete transactions, and the next import of the same file continues after them.
  ///
  /// - Parameters:
  ///   - file: the file to read. It stays unchanged. Its name matters if it has texts without a status: a copy under
  ///     another name is not recognized as a queue.
  ///   - source: a name for the app that the file comes from. Its conversations get IDs that begin with it, such as
  ///     `ChatGPT:1`. Nil: they have the IDs of the file, and a conversation whose ID is a count is kept apart from
  ///     another one with that count.
  ///   - authors: the authors of the messages, if the file does not name them in a recognized form.
  ///   - bringingBackDeleted: imports conversations that were deleted on this device, too. Otherwise they are
  ///     skipped and counted, so that an import by mistake does not restore deleted conversations.
  ///   - progress: called at least once for each transaction. An error that it throws ends the import. The stored
  ///     part stays, and the next import of the same file continues after it.
  /// - Returns: the imported entries in numbers, and the problems entry by entry. A damaged file is no error.
  /// - Throws: the errors of `progress`, unchanged. Otherwise ``ChatError`` with code `fileUnreadable`;
  ///   `fileUnrecognized` when the file has none of these formats; or a storage code.
  @discardableResult
  public nonisolated func importHistory(
    from file: URL, named source: String? = nil, authors: ImportAuthors = ImportAuthors(),
    bringingBackDeleted: Bool = false,
    progress: (InterchangeProgress) throws -> Void = { _ in }
  ) throws -> ImportReport {
    try bring(source, authors, bringingBackDeleted, progress) { progress throws(ChatError) in
      try ImportedFile(file, progress)
    }
  }

  /// Imports bytes in memory, such as those that an app kept under a key of its user defaults (rule H10). Otherwise
  /// it behaves as for a file (``importHistory(from:named:authors:bringingBackDeleted:progress:)-(URL,_,_,_,_)``).
  ///
  /// Bytes have no name. A queue of texts without a status is recognized by the name of its key:
  /// ``ImportSource/values(of:keys:)``.
  ///
  /// ```swift
  /// if let queue = UserDefaults.standard.data(forKey: "queue") { try client.importHistory(from: queue) }
  /// ```
  ///
  /// - Throws: as for a file.
  @discardableResult
  public nonisolated func importHistory(
    from data: Data, named source: String? = nil, authors: ImportAuthors = ImportAuthors(),
    bringingBackDeleted: Bool = false,
    progress: (InterchangeProgress) throws -> Void = { _ in }
  ) throws -> ImportReport {
    try bring(source, authors, bringingBackDeleted, progress) { progress throws(ChatError) in
      ImportedFile(data, progress)
    }
  }

  /// Imports a source that an earlier app left in one of its usual places (rule H10). Otherwise it behaves as for a
  /// file (``importHistory(from:named:authors:bringingBackDeleted:progress:)-(URL,_,_,_,_)``).
  ///
  /// ```swift
  /// for source in ImportSource.found() where source.format != nil { try client.importHistory(from: source) }
  /// ```
  ///
  /// - Throws: as for a file. The place of a window is `fileUnrecognized` here, because it needs the app's own types:
  ///   ``importPlace(from:into:as:version:sheet:)`` reads it.
  @discardableResult
  public nonisolated func importHistory(
    from source: ImportSource, named name: String? = nil, authors: ImportAuthors = ImportAuthors(),
    bringingBackDeleted: Bool = false,
    progress: (InterchangeProgress) throws -> Void = { _ in }
  ) throws -> ImportReport {
    try bring(name, authors, bringingBackDeleted, progress) { progress throws(ChatError) in
      try source.open(progress)
    }
  }

  private nonisolated func bring(
    _ source: String?, _ authors: ImportAuthors, _ bringsBackDeleted: Bool,
    _ progress: (InterchangeProgress) throws -> Void,
    _ open: (@escaping (InterchangeProgress) throws -> Void) throws(ChatError) -> ImportedFile
  ) throws -> ImportReport {
    try Store.reporting(progress) { progress throws(ChatError) in
      let file = try open(progress)
      return try Store.typed {
        try file.importAll(into: self, from: source, authors, bringingBackDeleted: bringsBackDeleted)
      }
    }
  }
}

extension ChatError {
  static let fileUnreadable = ChatError(
    .fileUnreadable, "The file cannot be read. Check that it exists, is a file, and that you may read it.")
  /// Lists the recognized formats.
  static let fileUnrecognized = ChatError(
    .fileUnrecognized,
    """
    The file has nothing that can be imported. Looked for: a history.json, a queue of unsent messages, a list of messages, \
    drafts, and the exports of ChatGPT, Claude, Open WebUI, LibreChat, ShareGPT, Facebook and Element. Choose another \
    file.
    """)
}
