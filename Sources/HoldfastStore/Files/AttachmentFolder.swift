import Foundation
import HoldfastCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The files of the attachments, beside the database (rule D16). Each is stored under its checksum, readable only by
/// the owner.
///
/// ```
///   import-…      being copied in, locked by the process that copies
///   CHECKSUM      complete, on disk, and matching its name
///   CHECKSUM.part being fetched
/// ```
///
/// The database says which files are needed. A file is moved into place, or removed, only inside a write
/// transaction. Processes that add a file and processes that sweep therefore exclude each other.
package struct AttachmentFolder: Sendable {
  package let url: URL

  package init(in store: URL) { url = store.appendingPathComponent("attachments", isDirectory: true) }

  /// A folder outside any store, with complete files only.
  package init(at url: URL) { self.url = url }

  /// A copy without references so far.
  package struct Import: Sendable {
    fileprivate let file: OpenFile
    package let place: URL
    package let checksum: ChatAttachment.Checksum
    package let byteCount: Int64
  }

  package func file(of checksum: ChatAttachment.Checksum) -> URL {
    url.appendingPathComponent(checksum.rawValue)
  }
  package func part(of checksum: ChatAttachment.Checksum) -> URL {
    url.appendingPathComponent(checksum.rawValue + ".part")
  }

  /// Makes the file of a copy, empty and locked. Call it inside a transaction. Otherwise a sweep by another process
  /// could run between creation and locking, and mistake the file for a leftover of a dead process.
  ///
  /// - Parameter name: a name that no other copy has.
  package func begin(named name: String) throws -> OpenFile {
    try makePrivateFolder(url)
    let file = try OpenFile.new(url.appendingPathComponent(Self.importPrefix + name))
    guard file.lock() else { throw POSIXError(.EAGAIN) }
    return file
  }

  /// Copies the pieces that `read` returns, until a piece is empty. The copy is synced when this returns. Move it
  /// into place with ``settle(_:)``, or remove it.
  package func copy(
    into file: OpenFile, named name: String, atMost maximumBytes: Int64,
    _ read: (_ offset: Int64) throws -> Data
  ) throws -> Import {
    var hash = SHA256Hasher()
    var offset: Int64 = 0
    while true {
      let piece = try read(offset)
      guard !piece.isEmpty else { break }
      guard offset + Int64(piece.count) <= maximumBytes else { throw ChatError.tooLarge(maximumBytes) }
      hash.update(piece)
      try file.write(piece, at: offset)
      offset += Int64(piece.count)
    }
    try file.sync()
    return Import(
      file: file, place: url.appendingPathComponent(Self.importPrefix + name),
      checksum: ChatAttachment.Checksum(hash.finish()), byteCount: offset)
  }

  /// Gives the copy its name, inside the transaction that refers to it. If a file already has the name, it has the
  /// same contents.
  package func settle(_ copy: Import) throws(POSIXError) { try move(copy.place, to: file(of: copy.checksum)) }

  /// Gives a fetched file its name. The file is complete, and its checksum is right.
  package func finishPart(of checksum: ChatAttachment.Checksum) throws(POSIXError) {
    try move(part(of: checksum), to: file(of: checksum))
  }

  package func abandon(_ copy: Import) { unlink(copy.place.path) }

  /// Removes a copy that was begun and not finished.
  package func abandon(named name: String) {
    unlink(url.appendingPathComponent(Self.importPrefix + name).path)
  }

  package func removePart(of checksum: ChatAttachment.Checksum) { unlink(part(of: checksum).path) }

  private func move(_ from: URL, to: URL) throws(POSIXError) {
    guard rename(from.path, to.path) == 0 else { throw POSIXError.last }
    try sync()
  }

  /// Removes the files of these attachments. Call it inside a write transaction that has found no references to
  /// them.
  package func remove(_ checksums: [ChatAttachment.Checksum]) throws(POSIXError) {
    guard !checksums.isEmpty, FileManager.default.fileExists(atPath: url.path) else { return }
    for checksum in checksums {
      unlink(file(of: checksum).path)
      unlink(part(of: checksum).path)
    }
    try sync()
  }

  /// Removes the leftovers of a dead process: unfinished copies, files without a row, and parts of attachments that
  /// are complete or no longer wanted. A file with any other name is not the engine's, and is kept. Call it inside a
  /// write transaction.
  ///
  /// - Parameter isHere: for each attachment that has a row, whether its file is present.
  package func sweep(_ isHere: [ChatAttachment.Checksum: Bool]) throws(POSIXError) {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) else { return }
    var hasChanged = false
    for name in names where isLeftOver(name, isHere) {
      unlink(url.appendingPathComponent(name).path)
      hasChanged = true
    }
    if hasChanged { try sync() }
  }

  private func isLeftOver(_ name: String, _ isHere: [ChatAttachment.Checksum: Bool]) -> Bool {
    if name.hasPrefix(Self.importPrefix) {
      guard let file = try? OpenFile(reading: url.appendingPathComponent(name)) else { return false }
      return file.lock()
    }
    let isPart = name.hasSuffix(".part")
    let checksum = ChatAttachment.Checksum(rawValue: isPart ? String(name.dropLast(5)) : name)
    guard checksum.isWellFormed else { return false }
    return isPart ? isHere[checksum] != false : isHere[checksum] == nil
  }

  /// Syncs the folder: the names of its files are on disk when this returns.
  package func sync() throws(POSIXError) { try syncFolder(url) }

  private static let importPrefix = "import-"
}

extension ChatError {
  fileprivate static func tooLarge(_ maximumBytes: Int64) -> ChatError {
    let limit =
      maximumBytes < 1_000_000 ? "\(maximumBytes) bytes" : "\(maximumBytes / 1_000_000) MB"
    return ChatError(.attachmentTooLarge, "The file is over \(limit). Choose a smaller one.")
  }
}

extension AttachmentFolder {
  /// Copies one file into another store's folder, private to its owner. The bytes are synced; ``sync()`` of the
  /// other folder syncs the name. Returns false, and leaves no such file, when the source is missing or does not
  /// match its checksum.
  package func copy(_ checksum: ChatAttachment.Checksum, to other: AttachmentFolder) throws -> Bool {
    guard let source = try? OpenFile(reading: file(of: checksum)) else { return false }
    try makePrivateFolder(other.url)
    let place = other.file(of: checksum)
    let target = try OpenFile.new(place)
    var (hash, offset) = (SHA256Hasher(), Int64(0))
    while let piece = try? source.read(OpenFile.pieceBytes, at: offset), !piece.isEmpty {
      hash.update(piece)
      do { try target.write(piece, at: offset) } catch {
        unlink(place.path)
        throw error
      }
      offset += Int64(piece.count)
    }
    guard ChatAttachment.Checksum(hash.finish()) == checksum else {
      unlink(place.path)
      return false
    }
    try target.sync()
    return true
  }
}
