import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// Writes the history of a store into a file.
package enum StoreExport {
  /// Exports a store that other processes may be using, like ``ChatClient/exportHistory(to:as:including:progress:)``
  /// but without a client.
  package static func write(
    store: URL, to file: URL, _ format: ExportFormat, including additions: ExportFormat.Additions = [],
    progress: (InterchangeProgress) throws -> Void
  ) throws -> ExportReport {
    try Store.reporting(progress) { progress throws(ChatError) in
      try Store.typed {
        try StoreReading.read(store) {
          try write(
            $0, to: file, format, including: additions, from: AttachmentFolder(in: store), progress)
        }
      }
    }
  }

  /// Exports from one snapshot of the database.
  ///
  /// - Parameter attachments: the store's folder of attachments.
  package static func write(
    _ store: Reading, to file: URL, _ format: ExportFormat, including additions: ExportFormat.Additions,
    from attachments: AttachmentFolder, _ progress: (InterchangeProgress) throws -> Void
  ) throws -> ExportReport {
    guard !FileManager.default.fileExists(atPath: file.path) else {
      throw ChatError(.alreadyThere, "\(file.path) exists already. Choose another name.")
    }
    let folder = file.deletingLastPathComponent()
    guard (try? FileStatus(of: folder))?.isFolder == true else {
      throw ChatError(
        .storageUnavailable, "There is no folder \(folder.path). Make it, or choose another one.")
    }
    let partial = folder.appendingPathComponent(file.lastPathComponent + ".partial")
    try? FileManager.default.removeItem(at: partial)
    var files = additions.contains(.attachments) ? try ExportedFiles(from: attachments, beside: file) : nil
    do {
      var report = try write(store, to: partial, for: file, format, additions, &files, progress)
      try files?.finish()
      do { try FileManager.default.moveItem(at: partial, to: file) } catch {
        files?.remove()
        throw error
      }
      try syncFolder(folder)
      (report.attachments, report.missingAttachments) = (files?.copied ?? 0, files?.missing ?? 0)
      return report
    } catch {
      try? FileManager.default.removeItem(at: partial)
      files?.abandon()
      throw error
    }
  }

  private static func write(
    _ store: Reading, to partial: URL, for file: URL, _ format: ExportFormat,
    _ additions: ExportFormat.Additions, _ files: inout ExportedFiles?,
    _ progress: (InterchangeProgress) throws -> Void
  ) throws -> ExportReport {
    var writer: HistoryWriter
    do { writer = try HistoryWriter(partial, for: file, format) } catch let error as POSIXError
      where !error.isFullDisk
    {
      throw ChatError(
        error.code == .EACCES ? .storagePermissions : .storageFailed,
        "\(file.path) cannot be written: \(error.words). Choose another place.")
    }
    let total = try store.exports.messageCount()
    try writer.begin(active: try store.conversations.active().map(store.name))
    if additions.contains(.drafts) {
      writer.beginDrafts()
      try store.exports.forEachDraft { draft in
        try writer.write(draft)
        try files?.copy(draft.draft.content.attachments)
      }
      writer.endDrafts()
    }
    writer.beginConversations()
    try store.exports.forEachConversation { conversation in
      try writer.begin(conversation)
      try store.exports.forEachMessage(of: conversation.key) { message in
        try writer.write(message)
        try files?.copy(message.attachments)
        guard writer.report.messages % 1000 == 0 else { return }
        try progress(InterchangeProgress(completed: Int64(writer.report.messages), total: total))
      }
      try writer.end()
    }
    try writer.finish()
    try progress(InterchangeProgress(completed: total, total: total))
    return writer.report
  }
}
