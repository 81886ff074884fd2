import HoldfastCore
import HoldfastStore

/// Shows how much of an attachment has been moved. Any thread may use it: a transport tells of progress while it
/// moves the bytes.
struct TransferProgress: Sendable {
  /// No message needs the file any longer: its messages were taken back, deleted, or have stopped.
  struct Unwanted: Error {}

  /// The progress of an upload is stored each time that so many bytes have left. It is only a hint.
  private static let hintBytes: Int64 = 1 << 20

  let store: Store
  let live: LiveState

  init(_ context: EngineContext) { (store, live) = (context.store, context.live) }

  /// - Parameter bytes: Nil when the file is not being moved.
  func show(_ bytes: Int64?, of checksum: ChatAttachment.Checksum) {
    let conversations = (try? store.read { try $0.attachments.conversations(with: checksum) }) ?? []
    if live.set(transferred: bytes, of: checksum) {
      store.changes.publish(Changes(timelines: Set(conversations)))
    }
  }

  /// - Throws: ``Unwanted``, which ends the upload.
  func noteUploaded(_ bytes: Int64, of checksum: ChatAttachment.Checksum) throws {
    guard try !store.read({ try $0.attachments.queuedMessages(with: checksum) }).isEmpty else {
      throw Unwanted()
    }
    let before = live.transferred(checksum) ?? 0
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
