import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport
import Synchronization

/// The beginning of a file that is being fetched. It survives a crash, and the next connection continues after it.
final class FetchedPart: Sendable {
  private let file: OpenFile
  private let end: Mutex<Int64>

  init(of attachment: ChatAttachment, in folder: AttachmentFolder) throws {
    try makePrivateFolder(folder.url)
    file = try OpenFile.goingOn(folder.part(of: attachment.checksum))
    var byteCount = try file.byteCount()
    if byteCount > attachment.byteCount {
      try file.cut(to: 0)
      byteCount = 0
    }
    end = Mutex(byteCount)
  }

  var byteCount: Int64 { end.withLock { $0 } }

  func append(_ data: Data) throws {
    try file.write(data, at: byteCount)
    end.withLock { $0 += Int64(data.count) }
  }

  /// Checks that the bytes are those of the attachment, and waits until they are on the disk.
  func verify(_ attachment: ChatAttachment) throws {
    guard try file.byteCount() == attachment.byteCount, try file.checksum() == attachment.checksum else {
      throw ChatAttachment.Refusal.damaged
    }
    try file.sync()
  }
}
