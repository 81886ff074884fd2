import Foundation
import HoldfastCore
import HoldfastRelay

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The server's attachment files, readable only by their owner.
///
/// ```
///   CHECKSUM               complete and verified
///   ACCOUNT-CHECKSUM.part  being uploaded by this account, named by the digest of its ID
/// ```
///
/// A complete file serves every account that has uploaded it. The database records which accounts uploaded it and
/// which may fetch it.
struct ServerFolder: Sendable {
  let url: URL

  init(in server: URL) { url = server.appending(path: "attachments", directoryHint: .isDirectory) }

  func file(of checksum: ChatAttachment.Checksum) -> URL { url.appending(path: checksum.rawValue) }

  func part(of checksum: ChatAttachment.Checksum, from account: UserID) -> URL {
    let digest = ChatAttachment.Checksum(of: Data(account.rawValue.utf8))
    return url.appending(path: "\(digest)-\(checksum).part")
  }

  /// The number of uploaded bytes. 0 when the upload has not begun.
  func byteCount(of checksum: ChatAttachment.Checksum, from account: UserID) throws -> Int64 {
    do {
      return try OpenFile(reading: part(of: checksum, from: account)).byteCount()
    } catch let error where error.code == .ENOENT {
      return 0
    }
  }

  func append(
    _ data: Data, at offset: Int64, to checksum: ChatAttachment.Checksum, from account: UserID
  ) throws {
    try makePrivateFolder(url)
    try OpenFile.goingOn(part(of: checksum, from: account)).write(data, at: offset)
  }

  /// Verifies a complete upload and gives it its name. Returns false when its checksum is wrong.
  func finishUpload(of checksum: ChatAttachment.Checksum, from account: UserID) throws -> Bool {
    try makePrivateFolder(url)
    let part = part(of: checksum, from: account)
    let file = try OpenFile.goingOn(part)
    guard try file.checksum() == checksum else { return false }
    try file.sync()
    guard rename(part.path, self.file(of: checksum).path) == 0 else { throw POSIXError.last }
    try syncFolder(url)
    return true
  }

  func removePart(of checksum: ChatAttachment.Checksum, from account: UserID) {
    unlink(part(of: checksum, from: account).path)
  }

  func remove(_ checksum: ChatAttachment.Checksum) { unlink(file(of: checksum).path) }

  func read(_ count: Int, of checksum: ChatAttachment.Checksum, at offset: Int64) throws -> Data {
    try OpenFile(reading: file(of: checksum)).read(count, at: offset)
  }

  /// Deletes files that a crash left behind and the database does not know.
  func sweep(keeping isKnown: (URL) -> Bool) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    for name in names {
      let file = url.appending(path: name)
      if !isKnown(file) { unlink(file.path) }
    }
  }
}
