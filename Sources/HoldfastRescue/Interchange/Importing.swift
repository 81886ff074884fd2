import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Imports the data of an earlier app, or an export of another store (SPEC H9, H10): a `history.json`, a queue of
  /// unsent messages, or drafts. The file's contents tell which of them it is
  /// ([how](docs/decisions/0030-imports-are-cut-by-a-reader-of-our-own.md)).
  ///
  /// ```swift
  /// let report = try client.importHistory(from: url) { progress in show(progress) }
  /// for problem in report.problems { print("\(problem.entry): \(problem.explanation)") }
  /// ```
  ///
  /// A history that was exported with its attachments has their files in a folder beside it. They come along, and so do
  /// the files of drafts, whose bytes are in base64 in the file. An ID of more than 255 bytes is replaced by one made of
  /// its SHA-256 (``ConversationID/init(imported:)``), which is the same each time.
  ///
  /// Messages of a history become history here, and none of them is sent. Unsent messages go into the outbox, and
  /// drafts into their composers. Where a composer has a draft already, that draft stays, the imported text becomes a
  /// version of it (`versions()`), and the imported files join its files. A conversation that is already here keeps its title and its members.
  ///
  /// Importing a file again changes nothing. This holds after the imported entries have been sent, cancelled or
  /// discarded, and after a partial import. Entries are recognized by their IDs. Entries without an ID are
  /// recognized by their contents and the entry before them.
  ///
  /// A file of any size takes about as much memory as its largest message. The file is read twice. New entries are
  /// stored in transactions of at most 250 messages, and others can write in between. Blocks its caller, and no
  /// other caller for long: call it from a task of its own. The import is on disk when this returns. A crash in
  /// between leaves complete transactions, and the next import of the same file goes on behind them.
  ///
  /// - Parameters:
  ///   - bringingBackDeleted: imports conversations that were deleted on this device, too. Otherwise they are
  ///     skipped and counted, so that an import by mistake does not bring back deleted conversations.
  ///   - progress: called at least once for each transaction. An error that it throws ends the import. The stored
  ///     part stays, and the next import of the same file goes on behind it.
  /// - Returns: the imported entries in numbers, and the problems entry by entry. A damaged file is no error.
  /// - Throws: the errors of `progress`, unchanged. Otherwise ``ChatError`` with code `fileUnreadable`;
  ///   `fileUnrecognized` when the file is none of these; or a code that starts with `storage`.
  @discardableResult
  public nonisolated func importHistory(
    from file: URL, bringingBackDeleted: Bool = false,
    progress: (InterchangeProgress) throws -> Void = { _ in }
  ) throws -> ImportReport {
    try bring(bringingBackDeleted, progress) { progress throws(ChatError) in try ImportedFile(file, progress)
    }
  }

  /// Imports bytes in memory, such as those that an app kept under a key of its user defaults (SPEC H10). Everything
  /// else is as with a file (``importHistory(from:bringingBackDeleted:progress:)-(URL,_,_)``).
  ///
  /// ```swift
  /// if let queue = UserDefaults.standard.data(forKey: "queue") { try client.importHistory(from: queue) }
  /// ```
  ///
  /// - Throws: as for a file.
  @discardableResult
  public nonisolated func importHistory(
    from data: Data, bringingBackDeleted: Bool = false,
    progress: (InterchangeProgress) throws -> Void = { _ in }
  ) throws -> ImportReport {
    try bring(bringingBackDeleted, progress) { progress throws(ChatError) in ImportedFile(data, progress) }
  }

  /// Imports what an earlier app left in one of its usual places (SPEC H10). Everything else is as with a file
  /// (``importHistory(from:bringingBackDeleted:progress:)-(URL,_,_)``).
  ///
  /// ```swift
  /// for source in ImportSource.found() where source.format != nil { try client.importHistory(from: source) }
  /// ```
  ///
  /// - Throws: as for a file. The place of a window is `fileUnrecognized` here, because it needs the app's own types:
  ///   ``importPlace(from:into:as:version:sheet:)`` reads it.
  @discardableResult
  public nonisolated func importHistory(
    from source: ImportSource, bringingBackDeleted: Bool = false,
    progress: (InterchangeProgress) throws -> Void = { _ in }
  ) throws -> ImportReport {
    try bring(bringingBackDeleted, progress) { progress throws(ChatError) in try source.open(progress) }
  }

  private nonisolated func bring(
    _ bringsBackDeleted: Bool, _ progress: (InterchangeProgress) throws -> Void,
    _ open: (@escaping (InterchangeProgress) throws -> Void) throws(ChatError) -> ImportedFile
  ) throws -> ImportReport {
    try Store.telling(progress) { progress throws(ChatError) in
      let file = try open(progress)
      return try Store.typed { try file.importAll(into: self, bringingBackDeleted: bringsBackDeleted) }
    }
  }
}

/// A file, or bytes in memory, that is being imported, with the progress of the import.
final class ImportedFile {
  private let read: (_ offset: Int64) throws -> Data
  private let progress: (InterchangeProgress) throws -> Void
  let byteCount: Int64
  private var completed: Int64 = 0
  /// The folder beside the file, with the bytes of attachments. Nil for bytes in memory.
  private let folder: AttachmentFolder?

  init(_ file: URL, _ progress: @escaping (InterchangeProgress) throws -> Void) throws(ChatError) {
    do {
      guard file.isFileURL else { throw POSIXError(.EINVAL) }
      let source = try OpenFile(reading: file)
      byteCount = try source.byteCount()
      read = { offset in try source.read(OpenFile.pieceBytes, at: offset) }
    } catch {
      throw .fileUnreadable
    }
    folder = ExportedFiles.folder(beside: file)
    self.progress = progress
  }

  init(_ data: Data, _ progress: @escaping (InterchangeProgress) throws -> Void) {
    byteCount = Int64(data.count)
    folder = nil
    self.progress = progress
    read = { offset in
      let from = data.startIndex + Int(min(offset, Int64(data.count)))
      return data[from..<min(from + OpenFile.pieceBytes, data.endIndex)]
    }
  }

  /// The format, told by the contents. Nil when nothing in them can be imported.
  func format() throws -> ImportFormat? { try ImportFormat(reading: cursor) }

  func importAll(into client: ChatClient, bringingBackDeleted: Bool) throws -> ImportReport {
    var report: ImportReport
    switch try format() {
    case .history: report = try importHistory(into: client, bringingBackDeleted: bringingBackDeleted)
    case .queue: report = try QueueImport(client) { try self.reached($0) }.run(cursor)
    case .singleDraft: report = try DraftImport(client, .singleDraft) { try self.reached($0) }.run(cursor)
    case .draftsByProject:
      report = try DraftImport(client, .draftsByProject) { try self.reached($0) }.run(cursor)
    case .place:
      throw ChatError(
        .fileUnrecognized, "The file has the place of a window. The app imports it for one of its windows.")
    case nil:
      throw ChatError(
        .fileUnrecognized, "The file has no history, queue or drafts. Choose another file.")
    }
    try reached(byteCount)
    report.bytes = byteCount
    report.problems.sort { $0.offset < $1.offset }
    return report
  }

  /// Imports a history, then its drafts, and then the files that its messages name.
  private func importHistory(into client: ChatClient, bringingBackDeleted: Bool) throws -> ImportReport {
    let history = HistoryImport(client, bringingBackDeleted: bringingBackDeleted) { try self.reached($0) }
    var report = try history.run(cursor)
    if let offset = history.draftsAt {
      let drafts = DraftImport(
        client, .history, folder: folder, bringingBackDeleted: bringingBackDeleted
      ) { try self.reached($0) }
      var place = cursor
      place.move(to: offset)
      report.add(try drafts.run(list: place))
    }
    if let folder { try bringFiles(in: folder, into: client, &report) }
    return report
  }

  /// Copies the files that messages here wait for. A file that nothing refers to stays where it is.
  private func bringFiles(in folder: AttachmentFolder, into client: ChatClient, _ report: inout ImportReport)
    throws
  {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []
    for checksum in names.sorted().map(ChatAttachment.Checksum.init(rawValue:)) where checksum.isWellFormed {
      guard let stored = try client.store.read({ try $0.attachment(checksum) }), !stored.isHere,
        let file = try? OpenFile(reading: folder.file(of: checksum))
      else { continue }
      // The caller can end the import between two files.
      try reached(byteCount)
      try client.store.copying { () throws(ChatError) in
        let copy = try client.store.copyAttachment(named: client.environment.makeID(), atMost: .max) {
          try file.read(OpenFile.pieceBytes, at: $0)
        }
        defer { client.store.attachments.abandon(copy) }
        guard copy.checksum == checksum else {
          return report.note(.attachmentDamaged, "attachments/\(checksum)", at: byteCount)
        }
        var attachment = stored.attachment
        attachment.byteCount = copy.byteCount
        let now = client.environment.now()
        try client.store.write { transaction in
          try client.store.attachments.settle(copy)
          try transaction.insertAttachment(attachment, isHere: true, now: now)
        }
        report.attachments += 1
      }
    }
  }

  /// A cursor at the beginning of the bytes.
  var cursor: JSONCursor {
    JSONCursor { [self] offset in
      // The caller can end a long look ahead too.
      try progress(InterchangeProgress(completed: completed, total: byteCount))
      do { return try read(offset) } catch { throw ChatError.fileUnreadable }
    }
  }

  private func reached(_ offset: Int64) throws {
    completed = max(completed, min(offset, byteCount))
    try progress(InterchangeProgress(completed: completed, total: byteCount))
  }
}

extension ImportFormat {
  private static let draftKeys: Set = ["text", "attachments", "savedAt"]

  /// Nil when the file is none of them.
  package init?(reading start: JSONCursor) throws {
    var cursor = start
    try cursor.skipMark()
    do {
      switch try cursor.peekValue() {
      case .openArray: self = .queue
      case .openObject:
        cursor.step()
        guard let format = try Self.format(ofObject: &cursor) else { return nil }
        self = format
      default: throw JSONDamage.malformed
      }
    } catch is JSONDamage {
      // A history with a damaged beginning is still recognized.
      guard try cursor.seekLandmark() == .conversation else { return nil }
      self = .history
    }
  }

  /// Tells the format by the first key that only one of the formats has. Nil when there is none.
  private static func format(ofObject cursor: inout JSONCursor) throws -> ImportFormat? {
    var isFirst = true
    while let key = try cursor.nextKey(isFirst: isFirst) {
      isFirst = false
      switch key {
      case "conversations", "activeConversationID": return .history
      case "draftInput", "draftInputSessionId": return .singleDraft
      case _ where PlaceFields.recognized.contains(key): return .place
      default: break
      }
      guard try cursor.peekValue() == .openObject else {
        try cursor.skip()
        continue
      }
      cursor.step()
      var isFirstInside = true
      while let inner = try cursor.nextKey(isFirst: isFirstInside) {
        isFirstInside = false
        if draftKeys.contains(inner) { return .draftsByProject }
        try cursor.skip()
      }
    }
    return nil
  }
}

extension ChatError {
  static let fileUnreadable = ChatError(
    .fileUnreadable, "The file cannot be read. Check that it exists and that you may read it.")
}
