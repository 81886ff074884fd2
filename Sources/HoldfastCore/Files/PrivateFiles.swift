import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Makes a folder that only its owner can read (rule P3), and its missing parent folders. The folders and their names
/// are durable when this returns.
///
/// - Throws: ``ChatError`` with code `storagePermissions` or `storageUnavailable`, and the path in its sentence, when
///   there can be no folder. An error of the system when the disk is full, or fails.
package func makePrivateFolder(_ folder: URL) throws {
  let files = FileManager.default
  var parents: [URL] = []
  var place = folder.standardizedFileURL
  while !files.fileExists(atPath: place.path) {
    place.deleteLastPathComponent()
    parents.append(place)
  }
  do {
    guard !parents.isEmpty else {
      guard try FileStatus(of: folder).isFolder else { throw POSIXError(.ENOTDIR) }
      return
    }
    do {
      try files.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch let error as CocoaError { throw POSIXError(under: error) ?? error }
  } catch let error as POSIXError {
    switch error.code {
    case .EACCES, .EPERM, .EROFS:
      throw ChatError(.storagePermissions, "\(folder.path) may not be written. Check the permissions.")
    case .EEXIST, .ENOTDIR, .ELOOP:
      let isBelowFile = (try? FileStatus(of: place))?.isFolder == false
      throw ChatError(
        .storageUnavailable,
        "\((isBelowFile ? place : folder).path) is no folder: a file is in its place. Choose another one.")
    default: throw error
    }
  }
  for parent in parents.reversed() { try syncFolder(parent) }
}

/// Makes an empty file with mode 0600, before SQLite would make it with the process's mask. SQLite gives the
/// journal the mode of the database.
package func makePrivateFile(_ file: URL) throws {
  let descriptor = open(file.path, O_CREAT | O_EXCL | O_RDWR, 0o600)
  guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  close(descriptor)
}

/// Syncs a folder. The name of a new file is durable only once its folder is (rule S1).
package func syncFolder(_ folder: URL) throws(POSIXError) {
  let descriptor = open(folder.path, O_RDONLY)
  guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  defer { close(descriptor) }
  guard fsync(descriptor) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
}
