import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// Writes the history of a store into a file.
package enum StoreExport {
  /// Exports a store that other processes may be using, like ``ChatClient/exportHistory(to:as:progress:)`` but
  /// without a client.
  package static func write(
    store: URL, to file: URL, _ format: ExportFormat, progress: (InterchangeProgress) throws -> Void
  ) throws -> ExportReport {
    try Store.telling(progress) { progress throws(ChatError) in
      try Store.typed { try write(storeIn: store, to: file, format, progress) }
    }
  }

  private static func write(
    storeIn folder: URL, to file: URL, _ format: ExportFormat,
    _ progress: (InterchangeProgress) throws -> Void
  ) throws -> ExportReport {
    try StoreReading.read(folder) { try write($0, to: file, format, progress) }
  }

  /// Exports from one snapshot of the database.
  package static func write(
    _ store: Reading, to file: URL, _ format: ExportFormat,
    _ progress: (InterchangeProgress) throws -> Void
  ) throws -> ExportReport {
    guard !FileManager.default.fileExists(atPath: file.path) else {
      throw ChatError(.alreadyThere, "The file exists already. Choose another name.")
    }
    let partial = file.deletingLastPathComponent().appendingPathComponent(file.lastPathComponent + ".partial")
    try? FileManager.default.removeItem(at: partial)
    do {
      var writer = try HistoryWriter(partial, for: file, format)
      let total = try store.visibleMessageCount()
      try writer.begin(active: try store.activeConversation())
      try store.forEachExportedConversation { conversation in
        try writer.begin(conversation)
        try store.forEachExportedMessage(of: conversation.id) { message in
          try writer.write(message)
          guard writer.report.messages % 1000 == 0 else { return }
          try progress(InterchangeProgress(completed: Int64(writer.report.messages), total: total))
        }
        try writer.end()
      }
      try writer.finish()
      try progress(InterchangeProgress(completed: total, total: total))
      try FileManager.default.moveItem(at: partial, to: file)
      try syncFolder(file.deletingLastPathComponent())
      return writer.report
    } catch {
      try? FileManager.default.removeItem(at: partial)
      throw error
    }
  }
}
