import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A file that stays open for as long as the object lives. Reads and writes name their offset, so that two holders
/// of one file do not move each other's position.
package final class OpenFile: Sendable {
  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Opens a file to be read. Folders, devices and pipes are refused, and never waited for.
  package init(reading file: URL) throws(POSIXError) {
    descriptor = open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError.last }
    guard try status().st_mode & S_IFMT == S_IFREG else { throw POSIXError(.EINVAL) }
  }

  /// Makes a file that only its owner can read. Throws `EEXIST` when the file exists.
  package static func new(_ file: URL) throws(POSIXError) -> OpenFile {
    try OpenFile(file, O_CREAT | O_EXCL | O_RDWR)
  }

  /// Opens a file for further writes, and makes it if it is missing.
  package static func goingOn(_ file: URL) throws(POSIXError) -> OpenFile {
    try OpenFile(file, O_CREAT | O_RDWR)
  }

  private convenience init(_ file: URL, _ flags: Int32) throws(POSIXError) {
    let descriptor = open(file.path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw POSIXError.last }
    self.init(descriptor)
  }

  package func byteCount() throws(POSIXError) -> Int64 { Int64(try status().st_size) }

  /// Reads at most `count` bytes from `offset` on. Fewer are returned only at the end of the file.
  package func read(_ count: Int, at offset: Int64) throws(POSIXError) -> Data {
    var data = Data(count: count)
    var filled = 0
    while filled < count {
      let read = data.withUnsafeMutableBytes { bytes in
        pread(descriptor, bytes.baseAddress! + filled, count - filled, off_t(offset) + off_t(filled))
      }
      guard read >= 0 else {
        if errno == EINTR { continue }
        throw POSIXError.last
      }
      guard read > 0 else { break }
      filled += read
    }
    return filled == count ? data : data.prefix(filled)
  }

  package func write(_ data: Data, at offset: Int64) throws(POSIXError) {
    var written = 0
    while written < data.count {
      let step = data.withUnsafeBytes { bytes in
        pwrite(descriptor, bytes.baseAddress! + written, data.count - written, off_t(offset) + off_t(written))
      }
      guard step >= 0 else {
        if errno == EINTR { continue }
        throw POSIXError.last
      }
      written += step
    }
  }

  package func cut(to byteCount: Int64) throws(POSIXError) {
    guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw POSIXError.last }
  }

  /// Reserves `byteCount` bytes on the disk. Throws `ENOSPC` when there is not enough room.
  package func allocate(_ byteCount: Int64) throws(POSIXError) {
    #if canImport(Darwin)
      // Every file system supports writing, unlike the other calls that reserve room.
      try write(Data(repeating: 0x5A, count: Int(byteCount)), at: 0)
    #else
      let error = posix_fallocate(descriptor, 0, off_t(byteCount))
      guard error == 0 else { throw POSIXError(.init(rawValue: error) ?? .EIO) }
    #endif
  }

  /// Returns once the bytes are on the disk (rule S1).
  package func sync() throws(POSIXError) {
    #if canImport(Darwin)
      // On Apple's systems fsync leaves the data in the drive's cache.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw POSIXError.last }
  }

  /// Takes the lock that ends with the process. Returns false when another holder has it.
  package func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Takes the lock that ends with the process, once no other holder has it. Each object is a holder of its
  /// own, also within one process. Two threads that use one object do not wait for each other here.
  package func waitForLock() throws(POSIXError) {
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw POSIXError.last }
    }
  }

  /// Releases the lock, if it is held.
  package func unlock() { _ = flock(descriptor, LOCK_UN) }

  /// The checksum of the file's contents. Reads all of them, a piece at a time.
  package func checksum() throws(POSIXError) -> ChatAttachment.Checksum {
    var hash = SHA256Hasher()
    var offset: Int64 = 0
    while true {
      let piece = try read(Self.pieceBytes, at: offset)
      hash.update(piece)
      offset += Int64(piece.count)
      guard piece.count == Self.pieceBytes else { return ChatAttachment.Checksum(hash.finish()) }
    }
  }

  /// The most of a file that is in memory at once.
  package static let pieceBytes = 256 * 1024

  private func status() throws(POSIXError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw POSIXError.last }
    return status
  }
}

extension POSIXError {
  /// The error of the last system call.
  package static var last: POSIXError { POSIXError(.init(rawValue: errno) ?? .EIO) }

  /// The POSIX error under an error of Foundation's. Nil when it has no POSIX error.
  package init?(under error: CocoaError) {
    let cause = error.userInfo[NSUnderlyingErrorKey]
    if let cause = cause as? POSIXError {
      self = cause
    } else if let cause = cause as? NSError, cause.domain == NSPOSIXErrorDomain,
      let code = POSIXErrorCode(rawValue: Int32(cause.code))
    {
      self.init(code)
    } else {
      return nil
    }
  }

  /// The system's description of the error, such as "No such file or directory".
  package var words: String { String(cString: strerror(code.rawValue)) }

  package var isFullDisk: Bool { code == .ENOSPC || code == .EDQUOT || code == .EFBIG }
}
