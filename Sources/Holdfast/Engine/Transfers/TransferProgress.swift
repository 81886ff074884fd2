import HoldfastCore
import HoldfastStore
import Synchronization

/// Shows how much of an attachment has been moved. Any thread may use it: a transport reports progress while it moves
/// the bytes.
final class TransferProgress: Sendable {
  /// No message needs the file any longer: its messages were taken back, deleted, or have stopped.
  struct Unwanted: Error {}

  /// The progress of an upload is stored each time that so many bytes were sent. It is only a hint.
  private static let hintBytes: Int64 = 1 << 20

  private let store: Store
  /// The number of bytes that have been moved, for each attachment that is being moved.
  private let moved = Mutex<[ChatAttachment.Checksum: Int64]>([:])

  init(_ store: Store) { self.store = store }

  /// The number of bytes that have been moved. Nil when the file is not being moved.
  func bytes(of checksum: ChatAttachment.Checksum) -> Int64? { moved.withLock { $0[checksum] } }

  /// Returns whether the number has changed.
  func set(_ bytes: Int64?, of checksum: ChatAttachment.Checksum) -> Bool {
    moved.withLock { moved in
      defer { moved[checksum] = bytes }
      return moved[checksum] != bytes
    }
  }

  /// - Parameter bytes: Nil when the file is not being moved.
  func show(_ bytes: Int64?, of checksum: ChatAttachment.Checksum) {
    let conversations = (try? store.read { try $0.attachments.conversations(with: checksum) }) ?? []
    if set(bytes, of: checksum) {
      store.changes.publish(Changes(timelines: Set(conversations)))
    }
  }

  /// - Throws: ``Unwanted``, which ends the upload.
  func noteUploaded(_ bytes: Int64, of checksum: ChatAttachment.Checksum) throws {
    guard try !store.read({ try $0.attachments.queuedMessages(with: checksum) }).isEmpty else {
      throw Unwanted()
    }
    let before = self.bytes(of: checksum) ?? 0
    show(bytes, of: checksum)
    guard bytes / Self.hintBytes != before / Self.hintBytes else { return }
    try store.writeUnsynced { try $0.attachments.noteUpload(checksum, bytes: bytes, serverID: nil) }
  }

  /// - Throws: ``Unwanted``, which ends the download.
  func noteFetched(_ bytes: Int64, of checksum: ChatAttachment.Checksum) throws {
    guard try store.read({ try $0.attachments.stored(checksum) }) != nil else {
      store.attachments.removePart(of: checksum)
      throw Unwanted()
    }
    show(bytes, of: checksum)
  }
}
