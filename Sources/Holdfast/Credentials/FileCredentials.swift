import Crypto
import Foundation
import HoldfastCore
import HoldfastStore

/// Credentials in files that only their owner can read, one for each account.
///
/// ```swift
/// let credentials = FileCredentials(folder: URL(fileURLWithPath: "/var/lib/bot/credentials"))
/// ```
///
/// Whoever is that user, or root, can read them: Linux has no place that is safer for all programs.
public struct FileCredentials: CredentialStore {
  package let folder: URL

  /// - Parameter folder: made with mode 0700 when it is missing. Not a store's own folder: what is in that is backed up.
  public init(folder: URL) { self.folder = folder }

  /// Costs the reading of a file. Refuses one that others can read.
  public func credential(for user: UserID) throws(ChatError) -> Credential? {
    try Store.typed {
      let file = file(of: user)
      guard FileManager.default.fileExists(atPath: file.path) else { return nil }
      for place in [folder, file] { try requirePrivate(place) }
      let open = try OpenFile(reading: file)
      return Credential(try open.read(Int(clamping: try open.byteCount()), at: 0))
    }
  }

  /// A crash leaves the one before, or the new one.
  public func set(_ credential: Credential?, for user: UserID) throws(ChatError) {
    try Store.typed {
      let file = file(of: user)
      let files = FileManager.default
      guard let credential else {
        guard files.fileExists(atPath: file.path) else { return }
        try files.removeItem(at: file)
        return try syncFolder(folder)
      }
      try makePrivateFolder(folder)
      try requirePrivate(folder)
      let new = file.appendingPathExtension("new")
      // A crash left it.
      try? files.removeItem(at: new)
      let open = try OpenFile.new(new)
      try open.write(credential.bytes, at: 0)
      try open.sync()
      guard rename(new.path, file.path) == 0 else { throw POSIXError.last }
      try syncFolder(folder)
    }
  }

  /// An account's ID may be anything; its checksum names a file.
  private func file(of user: UserID) -> URL {
    folder.appendingPathComponent(
      ChatAttachment.Checksum(SHA256.hash(data: Data(user.rawValue.utf8))).rawValue)
  }

  private func requirePrivate(_ place: URL) throws {
    guard try FileStatus(of: place).permissions & 0o077 == 0 else {
      throw ChatError(
        .storagePermissions, "Others can read the credentials. Take that permission away: chmod go=.")
    }
  }
}
