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
  /// Messages of a history become history here, and none of them is sent. Unsent messages go into the outbox, and
  /// drafts into their composers. Where a composer has a draft already, that draft stays, and the imported text
  /// becomes a version of it (`versions()`). A conversation that is already here keeps its title and its members.
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
    try Store.telling(progress) { progress throws(ChatError) in
      try Store.typed {
        try ImportedFile(file, progress).importAll(into: self, bringingBackDeleted: bringingBackDeleted)
      }
    }
  }
}

/// A file that is being imported, with the progress of the import.
final class ImportedFile {
  private let source: OpenFile
  private let progress: (InterchangeProgress) throws -> Void
  private let byteCount: Int64
  private var completed: Int64 = 0

  init(_ file: URL, _ progress: @escaping (InterchangeProgress) throws -> Void) throws(ChatError) {
    do {
      guard file.isFileURL else { throw POSIXError(.EINVAL) }
      source = try OpenFile(reading: file)
      byteCount = try source.byteCount()
    } catch {
      throw .fileUnreadable
    }
    self.progress = progress
  }

  func importAll(into client: ChatClient, bringingBackDeleted: Bool) throws -> ImportReport {
    guard let format = try ImportFormat(reading: cursor) else {
      throw ChatError(
        .fileUnrecognized, "The file has no history, queue or drafts. Choose another file.")
    }
    var report: ImportReport
    switch format {
    case .history:
      let history = HistoryImport(client, bringingBackDeleted: bringingBackDeleted) { try self.reached($0) }
      report = try history.run(cursor)
    case .queue: report = try QueueImport(client) { try self.reached($0) }.run(cursor)
    case .singleDraft, .draftsByProject: report = try DraftImport(client, format).run(cursor)
    }
    try reached(byteCount)
    report.bytes = byteCount
    report.problems.sort { $0.offset < $1.offset }
    return report
  }

  private var cursor: JSONCursor {
    JSONCursor { [self] offset in
      // The caller can end a long look ahead too.
      try progress(InterchangeProgress(completed: completed, total: byteCount))
      do { return try source.read(OpenFile.pieceBytes, at: offset) } catch { throw ChatError.fileUnreadable }
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
