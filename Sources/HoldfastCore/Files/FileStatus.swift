import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// What the system says of a file or a folder without opening it. `FileManager` tells the same, and looks the names of its
/// owner and group up for it, which takes longer than all the rest.
package struct FileStatus: Sendable {
  package let byteCount: Int64
  /// Of these twelve bits, the last nine say who can read, write and enter.
  package let permissions: Int

  /// Follows symbolic links. Throws `ENOENT` when there is nothing.
  package init(of place: URL) throws(POSIXError) {
    var status = stat()
    guard fstatat(AT_FDCWD, place.path, &status, 0) == 0 else { throw POSIXError.last }
    byteCount = Int64(status.st_size)
    permissions = Int(status.st_mode & 0o7777)
  }
}
