import Foundation
import GRDB

/// Writes the history of a store into a file.
package enum StoreExport {
  /// As ``ChatClient/exportHistory(to:as:progress:)``, without a client, of a store that others may be using.
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

  /// The account that a store belongs to. Nil: there is no store in the folder.
  package static func owner(of store: URL) throws(ChatError) -> UserID? {
    try Store.typed {
      guard StoreReading.isThere(in: store) else { return nil }
      return try StoreReading.open(store) { queue in try queue.read { try $0.owner() } }
    }
  }

  /// Nobody sends from the store, or writes to it, until what this gives is let go.
  package static func lockAgainstApps(_ store: URL) throws(ChatError) -> some AnyObject & Sendable {
    try Store.typed { try makePrivateFolder(store) }
    let lock = try FileLock(store.appendingPathComponent(FileLock.drain))
    guard try lock.take() else {
      throw ChatError(.storageBusy, "The app is using the store. End it, and try again.")
    }
    return lock
  }

  /// From one snapshot of the database.
  static func write(
    _ db: Database, to file: URL, _ format: ExportFormat, _ progress: (InterchangeProgress) throws -> Void
  ) throws -> ExportReport {
    guard !FileManager.default.fileExists(atPath: file.path) else {
      throw ChatError(.alreadyThere, "There is such a file already. Choose another name.")
    }
    let partial = file.deletingLastPathComponent().appendingPathComponent(file.lastPathComponent + ".partial")
    try? FileManager.default.removeItem(at: partial)
    do {
      var writer = try HistoryWriter(partial, for: file, format)
      let total = try db.visibleMessageCount()
      try writer.begin(active: try db.activeConversation())
      try db.forEachExportedConversation { conversation in
        try writer.begin(conversation)
        try db.forEachExportedMessage(of: conversation.id) { message in
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
