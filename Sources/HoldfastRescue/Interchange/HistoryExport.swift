import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// In which form a history is written.
public enum ExportFormat: String, Sendable, Codable, Hashable, CaseIterable {
  /// A `history.json`, which ``ChatClient/importHistory(from:bringingBackDeleted:progress:)`` reads.
  case json
  /// Plain text for people. Nothing reads it back.
  case text
}

/// What an export has.
public struct ExportReport: Sendable, Codable, Hashable {
  public var location: URL
  public var bytes: Int64 = 0
  public var conversations: Int = 0
  public var messages: Int = 0
}

extension ChatClient {
  /// Writes all conversations with their messages into a new file, while everything goes on (SPEC H9). It is one moment of
  /// the store: the one at which it was begun. Attachments are named in it with their checksums, and their files are not
  /// in it; drafts are in ``exportUnsent()``. What is deleted is not in it, and neither are credentials.
  ///
  /// ```swift
  /// try client.exportHistory(to: documents.appending(path: "history.json")) { progress in show(progress) }
  /// ```
  ///
  /// Imported into an empty store and exported again it is the same file, byte by byte. A message that waits in the outbox
  /// has the status `queued` or `failed`, and is history where it is imported: to take what is unsent to another device,
  /// use ``backUp(to:progress:)``.
  ///
  /// Costs one pass over the store, and as much memory as the largest message; blocks its caller, and nobody else: call it
  /// from a task of its own. Only the file's owner can read it. It is on disk when this returns, and has its name once it
  /// is whole: a crash in between leaves one that ends in `.partial`.
  ///
  /// - Parameter progress: called for each 1,000 messages. What it throws ends the export.
  /// - Throws: what `progress` throws, as it is. Otherwise ``ChatError`` with code `alreadyThere` when there is such a file,
  ///   or one that starts with `storage`. There is no file then.
  @discardableResult
  public nonisolated func exportHistory(
    to file: URL, as format: ExportFormat = .json, progress: (InterchangeProgress) throws -> Void = { _ in }
  ) throws -> ExportReport {
    try Store.telling(progress) { progress throws(ChatError) in
      try store.export { try StoreExport.write($0, to: file, format, progress) }
    }
  }
}
