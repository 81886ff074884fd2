import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// The format of an exported history.
public enum ExportFormat: String, Sendable, Codable, Hashable, CaseIterable {
  /// A `history.json`, which the following function reads:
  /// ``ChatClient/importHistory(from:named:authors:bringingBackDeleted:progress:)-(URL,_,_,_,_)``.
  case json
  /// Plain text for people. It cannot be imported.
  case text

  /// Contents that an export has only on request (rule H9).
  public struct Additions: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    /// Additions from the bits of others.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The drafts, with their cursors, replied-to messages, formatting and dates: in JSON, under the key `drafts`,
    /// which readers of the format skip when they do not know it. Earlier versions of a draft are left out.
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
  /// The number of drafts in the file, on request.
  public var drafts: Int = 0
  /// The number of attachment files beside the file, on request.
  public var attachments: Int = 0
  /// The number of attachments in the file whose files are not on this device, on request.
  public var missingAttachments: Int = 0
}

extension ChatClient {
  /// Writes all conversations with their messages into a new file, without interrupting the app (rule H9). The file
  /// is a snapshot of the moment at which the export was begun. It names attachments with their checksums. Drafts
  /// and attachment files are exported on request. Deleted contents and credentials are left out.
  ///
  /// ```swift
  /// let file = documents.appending(path: "history.json")
  /// try client.exportHistory(to: file, including: [.drafts, .attachments]) { progress in show(progress) }
  /// ```
  ///
  /// An export that is imported into an empty store and exported again in the same way gives the same file and the
  /// same folder, byte by byte. The round trip keeps conversations, messages with all of their fields, drafts with
  /// their files, unfinished edits of messages, and the files of messages. It does not keep the earlier versions of
  /// drafts. A message that waits in the outbox has the status `queued` or `failed`. After an import, it waits until
  /// its user has confirmed it. It has the same ID, so that a server accepts it only once. Without additions, an
  /// export has neither drafts nor files.
  ///
  /// Costs one pass over the store, and as much memory as the largest message. Blocks its caller, and no other
  /// caller: call it from its own task. Only the file's owner can read it. The file is on disk when this returns.
  /// The file and the folder get their names once they are complete, the folder first: a crash in between leaves
  /// names that end in `.partial`. Text in composers is stored first, so that the drafts include it.
  ///
  /// - Parameters:
  ///   - file: the file to write, which does not exist yet.
  ///   - format: JSON, which can be imported again, or text for people.
  ///   - additions: contents beyond conversations and messages. None by default.
  ///   - progress: called for each 1,000 messages. An error that it throws ends the export.
  /// - Throws: the errors of `progress`, unchanged. Otherwise ``ChatError`` with code `alreadyThere` when the file
  ///   or the folder exists, or with a storage code. No file is left then.
  @discardableResult
  public nonisolated func exportHistory(
    to file: URL, as format: ExportFormat = .json, including additions: ExportFormat.Additions = [],
    progress: (InterchangeProgress) throws -> Void = { _ in }
  ) throws -> ExportReport {
    if additions.contains(.drafts) { try drafts.saveAll() }
    return try Store.reporting(progress) { progress throws(ChatError) in
      // On a full disk the newest text of a reply is left out, and everything else is exported.
      try? store.foldTail()
      return try store.read {
        try StoreExport.write($0, to: file, format, including: additions, from: store.attachments, progress)
      }
    }
  }
}
