import CDiskFaults
import Foundation
import Testing

/// The disk under one folder of SQLite's files. It fails on request.
///
/// It is in use until its last reference is gone, and must outlive every connection to its files.
package final class FaultyDisk: @unchecked Sendable {
  // Unchecked: the C side locks everything that it does.
  private let disk: OpaquePointer

  package struct Operations: OptionSet {
    package var rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let write = Operations(rawValue: Int32(disk_write.rawValue))
    package static let truncate = Operations(rawValue: Int32(disk_truncate.rawValue))
    package static let sync = Operations(rawValue: Int32(disk_sync.rawValue))
    package static let open = Operations(rawValue: Int32(disk_open.rawValue))
    package static let delete = Operations(rawValue: Int32(disk_delete.rawValue))
    package static let all: Operations = [.write, .truncate, .sync, .open, .delete]
  }

  package init(under folder: URL) throws {
    try #require(disk_install() == 0)
    disk = try #require(disk_watch(folder.path))
  }

  deinit { disk_unwatch(disk) }

  /// Lets the n-th operation from now on fail, and those after it, up to `count` in all.
  package func fail(_ operations: Operations, at n: Int64, count: Int64 = 1, as failure: disk_failure) {
    disk_fail(disk, operations.rawValue, n, count, failure)
  }

  /// Loses the power at the n-th operation from now on.
  package func losePower(at n: Int64, losing loss: disk_loss, seed: UInt64) {
    disk_lose_power(disk, Operations.all.rawValue, n, loss, seed)
  }

  package func heal() { disk_heal(disk) }

  package func count(_ operations: Operations) -> Int64 { disk_count(disk, operations.rawValue) }

  package var hasFailed: Bool { disk_has_failed(disk) }
}
