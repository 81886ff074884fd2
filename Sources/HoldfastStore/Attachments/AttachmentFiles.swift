import Foundation
import HoldfastCore

/// The files of the attachments, kept in step with their rows.
extension Store {
  /// Copies a file into the folder. No sweep takes the copy until it is put in its place or abandoned. Costs the
  /// reading and writing of the whole file, outside of any transaction.
  package func copyAttachment(
    named name: String, atMost maximumBytes: Int64, _ read: (_ offset: Int64) throws -> Data
  ) throws(ChatError) -> AttachmentFolder.Import {
    do throws(ChatError) {
      let file = try writeUnsynced { _ in try attachments.begin(named: name) }
      return try Self.typed {
        try attachments.copy(into: file, named: name, atMost: maximumBytes) { offset in
          try requireOpen()
          return try read(offset)
        }
      }
    } catch {
      attachments.abandon(named: name)
      throw error
    }
  }

  /// Deletes the attachments that nothing refers to, rows and files, in two transactions. A row is gone from the
  /// disk before its file goes, so that no crash in between leaves a row that promises a file.
  func sweepAttachments() throws(ChatError) {
    let unused = try write { try $0.attachments.deleteUnused() }
    try removeFiles(of: unused)
  }

  /// Sweeps at launch, and also takes away what an earlier process left.
  package func sweepAttachmentFolder() throws(ChatError) {
    guard FileManager.default.fileExists(atPath: attachments.url.path) else { return }
    _ = try write { try $0.attachments.deleteUnused() }
    try writeUnsynced { try attachments.sweep(try $0.attachments.here()) }
  }

  /// Removes the files of the attachments that have no row. Runs inside a transaction, because another process
  /// may bring one of them at this moment.
  package func removeFiles(of checksums: [ChatAttachment.Checksum]) throws(ChatError) {
    guard !checksums.isEmpty else { return }
    try writeUnsynced { transaction in
      let isHere = try transaction.attachments.here()
      try attachments.remove(checksums.filter { isHere[$0] == nil })
    }
  }
}
