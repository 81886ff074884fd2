import Foundation
import HoldfastCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A file beside the database that only reserves space (rule S4). It is deleted when the disk is full, so that the
/// last draft still fits. It is made again once there is space.
///
/// ```
///   there ── a draft finds the disk full ──► given up ── a commit, and four times its size is free ──► there
/// ```
package final class Reserve: Sendable {
  static let name = "reserve"
  static let byteCount = 256 << 10

  let file: URL
  /// Whether the reserve is missing, as far as this process knows.
  private let isOut = Mutex(true)

  init(in folder: URL) {
    file = folder.appendingPathComponent(Self.name)
  }

  var isThere: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// Deletes the reserve. Returns false when there was none, so that no space was gained.
  func release() -> Bool {
    isOut.withLock { $0 = true }
    return unlink(file.path) == 0
  }

  /// Makes the reserve, unless it exists or there is little space. A failure is ignored. Costs no sync, and nothing
  /// while the reserve exists.
  func makeAgain() {
    guard isOut.withLock({ $0 }) else { return }
    guard !isThere else { return isOut.withLock { $0 = false } }
    guard hasRoom, let made = try? OpenFile.new(file) else { return }
    do throws(POSIXError) {
      try made.allocate(Int64(Self.byteCount))
      isOut.withLock { $0 = false }
    } catch {
      unlink(file.path)
    }
  }

  /// Whether four times the size of the reserve is free, so that the reserve does not take newly freed space at
  /// once.
  private var hasRoom: Bool {
    var status = statvfs()
    guard statvfs(file.deletingLastPathComponent().path, &status) == 0 else { return false }
    // Some file systems report more free bytes than the integer can hold.
    let (free, isMore) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isMore || free >= UInt64(4 * Self.byteCount)
  }
}
