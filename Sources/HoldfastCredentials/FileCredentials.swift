import Foundation
import HoldfastCore
import HoldfastStore

/// Credentials in files that only their owner can read, one file for each account.
///
/// ```swift
/// let credentials = FileCredentials(folder: URL(fileURLWithPath: "/var/lib/bot/credentials"))
/// ```
///
/// The same user and root can read the files: Linux has no safer location for all programs.
public struct FileCredentials: CredentialStore {
  package let folder: URL

  /// - Parameter folder: the folder of the files, made with mode 0700 when it is missing. It must not be a store's own
  ///   folder, which is backed up.
  public init(folder: URL) { self.folder = folder }

  /// Reads the credential. Costs reading a file. A file that others can read is refused.
  public func credential(for user: UserID) throws(ChatError) -> Credential? {
    try Store.typed {
      let file = file(of: user)
      guard FileManager.default.fileExists(atPath: file.path) else { return nil }
      for place in [folder, file] { try requirePrivate(place) }
      let open = try OpenFile(reading: file)
      return Credential(try open.read(Int(clamping: try open.byteCount()), at: 0))
    }
  }

  /// Stores or removes the credential. A crash leaves the previous credential or the new one.
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
      // A crash may have left the file.
      try? files.removeItem(at: new)
      let open = try OpenFile.new(new)
      try open.write(credential.bytes, at: 0)
      try open.sync()
      guard rename(new.path, file.path) == 0 else { throw POSIXError.last }
      try syncFolder(folder)
    }
  }

  /// The file of an account. It is named by the checksum of the account's ID, because the ID may be any text.
  private func file(of user: UserID) -> URL {
    folder.appendingPathComponent(
      ChatAttachment.Checksum(of: Data(user.rawValue.utf8)).rawValue)
  }

  private func requirePrivate(_ place: URL) throws {
    guard try FileStatus(of: place).permissions & 0o077 == 0 else {
      throw ChatError(
        .storagePermissions, "Others can read the credentials. Take that permission away: chmod go=.")
    }
  }
}
