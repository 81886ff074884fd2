import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// The format of an exported history.
public enum ExportFormat: String, Sendable, Codable, Hashable, CaseIterable {
  /// A `history.json`, which ``ChatClient/importHistory(from:bringingBackDeleted:progress:)`` reads.
  case json
  /// Plain text for people. It cannot be imported.
  case text
}

/// The contents of an export.
public struct ExportReport: Sendable, Codable, Hashable {
  public var location: URL
  public var bytes: Int64 = 0
  public var conversations: Int = 0
  public var messages: Int = 0
}

extension ChatClient {
  /// Writes all conversations with their messages into a new file, while everything goes on (SPEC H9). The file
  /// shows the store at the moment at which the export was begun. It names attachments with their checksums, but
  /// does not contain their files. Drafts are in ``exportUnsent()``. Deleted contents are left out, and so are
  /// credentials.
  ///
  /// ```swift
  /// try client.exportHistory(to: documents.appending(path: "history.json")) { progress in show(progress) }
  /// ```
  ///
  /// An export that is imported into an empty store and exported again gives the same file, byte by byte. A message
  /// that waits in the outbox has the status `queued` or `failed`, and becomes history where the file is imported.
  /// To take unsent messages to another device, use ``backUp(to:progress:)``.
  ///
  /// Costs one pass over the store, and as much memory as the largest message. Blocks its caller, and no other
  /// caller: call it from a task of its own. Only the file's owner can read it. The file is on disk when this
  /// returns. It gets its name once it is complete: a crash in between leaves a file that ends in `.partial`.
  ///
  /// - Parameter progress: called for each 1,000 messages. An error that it throws ends the export.
  /// - Throws: the errors of `progress`, unchanged. Otherwise ``ChatError`` with code `alreadyThere` when the file
  ///   exists, or with a code that starts with `storage`. No file is left then.
  @discardableResult
  public nonisolated func exportHistory(
    to file: URL, as format: ExportFormat = .json, progress: (InterchangeProgress) throws -> Void = { _ in }
  ) throws -> ExportReport {
    try Store.telling(progress) { progress throws(ChatError) in
      try store.read { try StoreExport.write($0, to: file, format, progress) }
    }
  }
}
