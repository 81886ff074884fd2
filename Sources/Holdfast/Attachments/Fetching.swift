import Foundation
import HoldfastCore
import HoldfastStore
import Synchronization

extension ChatClient {
  /// No message has it any more.
  private struct Unwanted: Error {}

  /// How often a file may arrive as another one before it is left alone until the next connection.
  private static let maximumDamages = 3

  /// Fetches an attachment that is too large to be fetched unasked, as soon as there is a connection. How far it is
  /// stands in the row of its message. The wish is on disk when this returns, and what has been fetched stays: after a
  /// crash it goes on behind that. In a shared store the process that is connected fetches it. Does nothing when the
  /// file is here.
  ///
  /// ```swift
  /// try await client.download(attachment.checksum)
  /// ```
  ///
  /// - Throws: ``ChatError`` with code `unknownAttachment`, or one that starts with `storage`.
  public func download(_ checksum: AttachmentChecksum) throws(ChatError) {
    guard checksum.isWellFormed, let stored = try store.read({ try $0.attachment(checksum) }) else {
      throw ChatError(.unknownAttachment, "No message here has this attachment.")
    }
    guard !stored.isHere else { return }
    try store.write { try $0.want(checksum) }
    fetchesLeftAlone.remove(checksum)
    fetchSignal.raise()
  }

  /// Fetches what is asked for, and what is small enough to need no asking, one after the other, for as long as the
  /// connection lives.
  func fetchAttachments(over connection: any TransportConnection) async throws {
    fetchesLeftAlone = []
    var damages: [AttachmentChecksum: Int] = [:]
    var busyFaults = 0
    while !Task.isCancelled {
      guard let attachment = try nextFetch() else {
        await fetchSignal.wait()
        continue
      }
      let checksum = attachment.checksum
      do {
        try await fetch(attachment, over: connection)
        busyFaults = 0
      } catch is Unwanted {
        fetchesLeftAlone.insert(checksum)
      } catch AttachmentRefusal.busy(let after) {
        busyFaults += 1
        let ours = policy.linkDelay(afterFault: busyFaults, dice: environment.random())
        try await environment.sleep(environment.uptime() + max(after ?? .zero, ours))
      } catch AttachmentRefusal.damaged {
        store.attachments.removePart(of: checksum)
        damages[checksum, default: 0] += 1
        if damages[checksum, default: 0] >= Self.maximumDamages { fetchesLeftAlone.insert(checksum) }
      } catch AttachmentRefusal.rejected {
        fetchesLeftAlone.insert(checksum)
      } catch let error as POSIXError {
        // Messages go on while there is no room for files.
        logger.notice("attachment not fetched", metadata: ["posix": "\(error.code.rawValue)"])
        fetchesLeftAlone.insert(checksum)
      }
    }
  }

  private func nextFetch() throws -> Attachment? {
    let leftAlone = fetchesLeftAlone
    return try store.read {
      try $0.nextFetch(atMost: attachmentLimits.fetchedUnasked, besides: leftAlone)?.attachment
    }
  }

  private func fetch(_ attachment: Attachment, over connection: any TransportConnection) async throws {
    let checksum = attachment.checksum
    defer { show(nil, of: checksum) }
    let part = try FetchedPart(of: attachment, in: store.attachments)
    show(part.byteCount, of: checksum)
    try await connection.download(
      AttachmentDownload(attachment, from: part.byteCount) { data in
        try part.append(data)
        try await self.noteFetched(part.byteCount, of: checksum)
      })
    try part.verify(attachment)
    try store.writeUnsynced { transaction in
      guard try transaction.attachment(checksum) != nil else {
        return store.attachments.removePart(of: checksum)
      }
      try store.attachments.settlePart(of: checksum)
      try transaction.noteFetched(checksum)
    }
  }

  private func noteFetched(_ bytes: Int64, of checksum: AttachmentChecksum) throws {
    guard try store.read({ try $0.attachment(checksum) }) != nil else {
      store.attachments.removePart(of: checksum)
      throw Unwanted()
    }
    show(bytes, of: checksum)
  }
}

/// The beginning of a file that is being fetched. A crash leaves it, and the next connection goes on behind it.
private final class FetchedPart: Sendable {
  private let file: OpenFile
  private let end: Mutex<Int64>

  init(of attachment: Attachment, in folder: AttachmentFolder) throws {
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

  /// It is what its name will say, and on the disk.
  func verify(_ attachment: Attachment) throws {
    guard try file.byteCount() == attachment.byteCount, try file.checksum() == attachment.checksum else {
      throw AttachmentRefusal.damaged
    }
    try file.sync()
  }
}
