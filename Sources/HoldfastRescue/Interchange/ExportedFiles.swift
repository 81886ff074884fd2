import Foundation
import HoldfastCore
import HoldfastStore

/// The folder beside an exported file, with the bytes of the attachments that the file names, each under its
/// checksum.
struct ExportedFiles {
  private let source: AttachmentFolder
  private let target: AttachmentFolder
  private let location: URL
  /// For each attachment so far, whether it was copied.
  private var isCopied: [ChatAttachment.Checksum: Bool] = [:]

  var copied: Int { isCopied.values.count { $0 } }
  var missing: Int { isCopied.values.count { !$0 } }

  /// The folder that belongs to a file: `history.json.attachments` for `history.json`.
  static func folder(beside file: URL) -> AttachmentFolder {
    AttachmentFolder(
      at: file.deletingLastPathComponent().appendingPathComponent(
        file.lastPathComponent + ".attachments", isDirectory: true))
  }

  /// The folder of a file that may have been renamed: the one that belongs to it, or else the only one beside it.
  static func found(beside file: URL) -> AttachmentFolder {
    let own = folder(beside: file)
    guard !FileManager.default.fileExists(atPath: own.url.path) else { return own }
    let place = file.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
    let folders = names.filter { $0.hasSuffix(".attachments") }
    return folders.count == 1
      ? AttachmentFolder(at: place.appendingPathComponent(folders[0], isDirectory: true)) : own
  }

  /// Makes the folder under a temporary name until ``finish()``.
  init(from source: AttachmentFolder, beside file: URL) throws {
    location = Self.folder(beside: file).url
    guard !FileManager.default.fileExists(atPath: location.path) else {
      throw ChatError(.alreadyThere, "\(location.path) exists already. Choose another name.")
    }
    let partial = file.lastPathComponent + ".attachments.partial"
    self.source = source
    target = AttachmentFolder(
      at: file.deletingLastPathComponent().appendingPathComponent(partial, isDirectory: true))
    abandon()
    try makePrivateFolder(target.url)
  }

  /// Copies the files that were not copied before. A file that is not on this device is counted.
  mutating func copy(_ attachments: [ChatAttachment]) throws {
    for checksum in attachments.map(\.checksum) where isCopied[checksum] == nil {
      isCopied[checksum] = checksum.isWellFormed ? try source.copy(checksum, to: target) : false
    }
  }

  /// Renames the folder to its final name. Its files are on disk.
  func finish() throws {
    try target.sync()
    try FileManager.default.moveItem(at: target.url, to: location)
  }

  /// Removes the unfinished folder.
  func abandon() { try? FileManager.default.removeItem(at: target.url) }

  /// Removes the finished folder, because its file could not be finished.
  func remove() { try? FileManager.default.removeItem(at: location) }
}
