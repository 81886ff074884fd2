import Foundation
import HoldfastCore

/// The replacement of a damaged store by the store made from its readable part (rule S3).
package enum StoreExchange {
  /// The folder in which a salvaged store is made.
  package static func unfinished(_ folder: URL) -> URL {
    folder.deletingLastPathComponent().appendingPathComponent(folder.lastPathComponent + ".salvaging")
  }

  /// Finishes a replacement that was interrupted between its two renames. The old store was set aside, and its place
  /// is empty. The new store was complete by then, and is moved there now. Without this, the next launch would begin
  /// with an empty store.
  static func finish(_ folder: URL) throws {
    let (files, new) = (FileManager.default, unfinished(folder))
    guard !files.fileExists(atPath: folder.path), files.fileExists(atPath: new.path) else { return }
    try files.moveItem(at: new, to: folder)
    try syncFolder(folder.deletingLastPathComponent())
  }
}
