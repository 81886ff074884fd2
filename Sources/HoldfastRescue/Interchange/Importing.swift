import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Brings in what an app had before, or what another store has exported (SPEC H9, H10): a `history.json`, a queue of
  /// unsent messages, or drafts. Which of them it is, is told by the file's contents ([how](docs/decisions/0030-imports-are-cut-by-a-reader-of-our-own.md)).
  ///
  /// ```swift
  /// let report = try client.importHistory(from: url) { progress in show(progress) }
  /// for problem in report.problems { print("\(problem.entry): \(problem.explanation)") }
  /// ```
  ///
  /// Messages of a history are history here too: none of them is sent. Unsent messages go into the outbox, drafts into
  /// their composers; where there is a draft already, that one stays, and the imported text is a version of it
  /// (`versions()`). To import a file again changes nothing, also when what it brought has been sent, cancelled or
  /// discarded since, and also after a part of it was imported: entries are told by their IDs, and those without one by
  /// their contents and what they stand behind. A conversation that is here keeps its title and its members.
  ///
  /// A file of any size takes about as much memory as its largest message. It is read twice, and what is new is stored in
  /// transactions of at most 250 messages, between which others write. Blocks its caller, and nobody else for long: call
  /// it from a task of its own. It is on disk when this returns. A crash in between leaves whole transactions, and the
  /// next import of the same file goes on behind them.
  ///
  /// - Parameters:
  ///   - bringingBackDeleted: conversations that were deleted on this device are imported too. They are passed over and
  ///     counted else, so that an import which is done by mistake does not bring back what was to be gone.
  ///   - progress: called for each transaction, at least. What it throws ends the import; what was stored stays, and the
  ///     next import of the same file goes on behind it.
  /// - Returns: what was imported, and what could not be, entry by entry. A damaged file is no error.
  /// - Throws: what `progress` throws, as it is. Otherwise ``ChatError`` with code `fileUnreadable`; `fileUnrecognized` when
  ///   it is none of these files; or one that starts with `storage`.
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

/// A file that is being imported, and how far that is.
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
        .fileUnrecognized, "The file is no history, no queue and no drafts. Nothing was imported.")
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
      // A long look ahead can be ended by its caller too.
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

  /// Nil: it is none of them.
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
      // A history whose beginning is damaged.
      guard try cursor.seekLandmark() == .conversation else { return nil }
      self = .history
    }
  }

  /// By the first key that only one of them has.
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
    .fileUnreadable, "The file cannot be read. Check that it is there, and its permissions.")
}
