import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// The format of an exported history.
public enum ExportFormat: String, Sendable, Codable, Hashable, CaseIterable {
  /// A `history.json`, which ``ChatClient/importHistory(from:named:authors:bringingBackDeleted:progress:)-(URL,_,_,_,_)`` reads.
  case json
  /// Plain text for people. It cannot be imported.
  case text

  /// Contents that an export has only when they are asked for (rule H9).
  public struct Additions: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    /// Additions from the bits of others.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The drafts, with their cursors, answered messages, formatting and dates: in JSON, under the key `drafts`, which
    /// readers of the format skip when they do not know it. Earlier versions of a draft are left out.
    public static let drafts = Additions(rawValue: 1)
    /// The files of all exported messages and drafts, in a folder beside the file: `history.json.attachments` for
    /// `history.json`. Each has its checksum as its name.
    public static let attachments = Additions(rawValue: 2)
  }
}

/// The contents of an export.
public struct ExportReport: Sendable, Codable, Hashable {
  /// The exported file.
  public var location: URL
  /// The size of the file, in bytes.
  public var bytes: Int64 = 0
  /// The number of exported conversations.
  public var conversations: Int = 0
  /// The number of exported messages.
  public var messages: Int = 0
  /// Drafts in the file, when they were asked for.
  public var drafts: Int = 0
  /// Files of attachments beside the file, when they were asked for.
  public var attachments: Int = 0
  /// Attachments that the file names, and whose files are not on this device, when they were asked for.
  public var missingAttachments: Int = 0
}

extension ChatClient {
  /// Writes all conversations with their messages into a new file, while everything goes on (rule H9). The file
  /// shows the store at the moment at which the export was begun. It names attachments with their checksums. Drafts
  /// and the files of attachments are in an export that asks for them. Deleted contents are left out, and so are
  /// credentials.
  ///
  /// ```swift
  /// let file = documents.appending(path: "history.json")
  /// try client.exportHistory(to: file, including: [.drafts, .attachments]) { progress in show(progress) }
  /// ```
  ///
  /// An export that is imported into an empty store and exported again in the same way gives the same file and the same
  /// folder, byte by byte. The round trip keeps conversations, messages with all of their fields, drafts with their
  /// files, unfinished edits of messages, and the files of messages. It does not keep the earlier versions of drafts.
  /// A message that waits in the outbox has the status `queued` or `failed`. Where the file is imported, it waits there
  /// until its user has said that it is to go. It has the same ID, so that a server takes it once. Without additions, an
  /// export has neither drafts nor files.
  ///
  /// Costs one pass over the store, and as much memory as the largest message. Blocks its caller, and no other
  /// caller: call it from a task of its own. Only the file's owner can read it. The file is on disk when this
  /// returns. The file and the folder get their names once they are complete, the folder first: a crash in between
  /// leaves what ends in `.partial`. What is typed is stored first, so that the drafts have it.
  ///
  /// - Parameters:
  ///   - file: where the export goes: a file that does not exist yet.
  ///   - format: JSON, which can be imported again, or text for people.
  ///   - additions: contents beyond conversations and messages. Nothing by default.
  ///   - progress: called for each 1,000 messages. An error that it throws ends the export.
  /// - Throws: the errors of `progress`, unchanged. Otherwise ``ChatError`` with code `alreadyThere` when the file or
  ///   the folder exists, or with a code that starts with `storage`. No file is left then.
  @discardableResult
  public nonisolated func exportHistory(
    to file: URL, as format: ExportFormat = .json, including additions: ExportFormat.Additions = [],
    progress: (InterchangeProgress) throws -> Void = { _ in }
  ) throws -> ExportReport {
    if additions.contains(.drafts) { try drafts.saveAll() }
    return try Store.telling(progress) { progress throws(ChatError) in
      // On a full disk the newest words of a reply are left out, and everything else is exported.
      try? store.foldTail()
      return try store.read {
        try StoreExport.write($0, to: file, format, including: additions, from: store.attachments, progress)
      }
    }
  }
}
