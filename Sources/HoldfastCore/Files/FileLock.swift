import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A lock that ends with its process: `flock(2)` on a file that stays. Two locks of one process exclude each other
/// too, because each opens the file for itself.
///
/// A process that waits for a lock watches its file (``FileWatcher``). Its holder closes the file to give the lock
/// up, which the system reports, and the system closes the files of a dead process.
package final class FileLock: Sendable {
  /// The lock of the process that sends and receives.
  package static let drain = "drain.lock"
  /// The lock for the length of one transaction, where several processes write.
  package static let write = "write.lock"

  package let file: URL
  private let descriptor: Int32

  /// Opens the file, and makes it if it is missing; only its owner can open it. It locks nothing yet.
  package init(_ file: URL) throws(ChatError) {
    self.file = file
    var descriptor: Int32
    repeat {
      descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw Self.failure(errno) }
    self.descriptor = descriptor
  }

  deinit {
    // The unlock comes first, because the system reports the close a moment before it releases a lock that is still
    // held.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Acquires the lock, unless another holder has it. Returns whether this instance holds the lock now. Never waits.
  package func acquire() throws(ChatError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: return false
      case let error: throw Self.failure(error)
      }
    }
    return true
  }

  /// Releases the lock, if it is held.
  package func release() { _ = flock(descriptor, LOCK_UN) }

  /// Runs `body` while the lock is held. Waits for the current holder first. Afterwards, the watchers of the file are
  /// notified.
  package func hold<Value>(_ body: () throws -> Value) throws -> Value {
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Self.failure(errno) }
    }
    defer {
      // The file's new date notifies the watchers. Unlike a byte in the file, it needs no room on a full disk.
      _ = futimens(descriptor, nil)
      _ = flock(descriptor, LOCK_UN)
    }
    return try body()
  }

  private static func failure(_ error: Int32) -> ChatError {
    switch error {
    case ENOSPC, EDQUOT: ChatError(.storageFull, "The disk is full. Free some space and try again.")
    case EACCES, EPERM, EROFS, ELOOP:
      ChatError(.storagePermissions, "The store cannot be written. Check the folder's permissions.")
    default:
      ChatError(
        .storageFailed,
        "The store's lock files failed: \(String(cString: strerror(error))). Check the folder.")
    }
  }
}
