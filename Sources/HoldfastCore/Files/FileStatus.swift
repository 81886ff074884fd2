import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The status of a file or a folder, read without opening it. `FileManager` reports the same, but also looks up the
/// names of the owner and group, which takes longer than all the rest.
package struct FileStatus: Sendable {
  package let byteCount: Int64
  /// Twelve bits. The last nine say who can read, write and enter.
  package let permissions: Int
  package let isFolder: Bool

  /// Follows symbolic links. Throws `ENOENT` when there is nothing at `place`.
  package init(of place: URL) throws(POSIXError) {
    var status = stat()
    guard fstatat(AT_FDCWD, place.path, &status, 0) == 0 else { throw POSIXError.last }
    byteCount = Int64(status.st_size)
    permissions = Int(status.st_mode & 0o7777)
    isFolder = status.st_mode & S_IFMT == S_IFDIR
  }
}
