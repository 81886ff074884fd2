import Foundation
import GRDB
import HoldfastCore

/// The account of a store whose app may be running.
package enum StoreAccount {
  /// The account that a store belongs to. Nil when there is no store in the folder.
  package static func owner(of store: URL) throws(ChatError) -> UserID? {
    try Store.typed {
      guard try StoreReading.isThere(in: store) else { return nil }
      return try StoreReading.open(store) { queue in try queue.read { try Reading($0).settings.owner() } }
    }
  }

  /// Prevents apps from sending from the store or writing to it until the returned lock is released.
  package static func lockAgainstApps(_ store: URL) throws(ChatError) -> some AnyObject & Sendable {
    let lock = try Store.reportingLock(store.appendingPathComponent(Store.fileName)) {
      try makePrivateFolder(store)
      return try FileLock(store.appendingPathComponent(FileLock.drain))
    }
    guard try lock.acquire() else {
      throw ChatError(.storageBusy, "The app is using the store. End it, and try again.")
    }
    return lock
  }
}
