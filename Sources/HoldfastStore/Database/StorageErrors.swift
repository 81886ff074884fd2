import Foundation
import GRDB
import HoldfastCore

extension Store {
  /// Turns every error into a ``ChatError``, without SQL and without contents.
  package static func typed<Value>(_ body: () throws -> Value) throws(ChatError) -> Value {
    do {
      return try body()
    } catch let error as ChatError {
      throw error
    } catch let error as DatabaseError {
      throw ChatError(error)
    } catch let error as POSIXError where error.isFullDisk {
      throw ChatError.fullDisk
    } catch let error as POSIXError where error.code == .EACCES || error.code == .EPERM {
      throw ChatError(
        .storagePermissions, "The store cannot be read or written. Check the permissions of its folder.")
    } catch let error as POSIXError {
      throw ChatError(.storageFailed, "The store failed: \(error.words).")
    } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
      throw ChatError.fullDisk
    } catch let error as CocoaError {
      guard let cause = POSIXError(under: error) else {
        throw ChatError(.storageFailed, "The store failed (Cocoa \(error.code.rawValue)).")
      }
      return try typed { throw cause }
    } catch {
      throw ChatError(.storageFailed, "The store failed: \(type(of: error)).")
    }
  }

  /// Runs `body` with a function that reports progress to the caller. An error thrown by `progress` ends `body` and
  /// is rethrown unchanged, because it is not an error of the store.
  package static func reporting<Progress, Value>(
    _ progress: (Progress) throws -> Void,
    _ body: (@escaping (Progress) throws -> Void) throws(ChatError) -> Value
  ) throws -> Value {
    var thrown: (any Error)?
    return try withoutActuallyEscaping(progress) { progress in
      do throws(ChatError) {
        return try body { step in
          // GRDB ignores an error that is thrown at the last step of a copy.
          if let thrown { throw thrown }
          do {
            try progress(step)
          } catch {
            thrown = error
            throw error
          }
        }
      } catch {
        throw thrown ?? error
      }
    }
  }
}

extension ChatError {
  /// - Parameter what: what was looked for: a store, or a backup.
  package static func missing(_ what: String = "store", in folder: URL) -> ChatError {
    let isFile = (try? FileStatus(of: folder))?.isFolder == false
    return ChatError(
      .storageUnavailable,
      isFile
        ? "\(folder.path) is a file. Name the folder of a \(what)."
        : "There is no \(what) in \(folder.path). Check the path.")
  }

  package static let ofSomethingElse = ChatError(
    .storageForeign, "The file is a database of something else. It was left as it is.")

  static let newer = ChatError(
    .storageNewer, "The store was written by a newer version. Update the app; nothing was changed.")

  static let fullDisk = ChatError(.storageFull, "The disk is full. Free some space and try again.")

  package init(_ error: DatabaseError) {
    switch error.resultCode {
    case .SQLITE_FULL: self = .fullDisk
    // The journal's shared-memory index could not grow.
    case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: self = .fullDisk
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      self.init(
        .storageDamaged, "The store is damaged. It was left as it is; run holdfast doctor --salvage on it.")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(.storageBusy, "Another process holds the store. Try again.")
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN:
      self.init(
        .storagePermissions, "The store cannot be read or written. Check the permissions of its folder.")
    case .SQLITE_AUTH:
      self = .locked
    default:
      self.init(.storageFailed, "The store failed with SQLite code \(error.extendedResultCode.rawValue).")
    }
  }
}
