import Foundation
import Synchronization
import HoldfastCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A file beside the database that takes up room and says nothing (SPEC S4). When the disk is full it is given up, so
/// that the last draft still fits; it is made again once there is room.
///
/// ```
///   there ── a draft finds the disk full ──► given up ── a commit, and four times its size is free ──► there
/// ```
package final class Reserve: Sendable {
  static let name = "reserve"
  static let byteCount = 256 << 10

  let file: URL
  /// It is missing, as far as this process knows.
  private let isOut = Mutex(true)

  init(in folder: URL) {
    file = folder.appendingPathComponent(Self.name)
  }

  var isThere: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// Gives it up. False when there was none: there is no more room than before.
  func release() -> Bool {
    isOut.withLock { $0 = true }
    return unlink(file.path) == 0
  }

  /// Makes it, unless it is there or there is little room. It is no promise: when it cannot be made, nothing is said.
  /// Costs no sync, and nothing while it is there.
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

  /// Four times its size is free, so that what was freed for others is not taken at once.
  private var hasRoom: Bool {
    var status = statvfs()
    guard statvfs(file.deletingLastPathComponent().path, &status) == 0 else { return false }
    // Some file systems say that they have more than can be counted.
    let (free, isMore) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isMore || free >= UInt64(4 * Self.byteCount)
  }
}
