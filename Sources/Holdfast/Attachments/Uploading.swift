import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Nobody waits for the upload any more: its messages were taken back, deleted, or have stopped.
  private struct Unwanted: Error {}

  /// How often a file may arrive as another one before it is given up.
  private static let maximumDamages = 3
  /// A hint of how far it got is worth a write this often.
  private static let hintBytes: Int64 = 1 << 20

  /// Brings the attachments that lanes wait for to the server, one after the other, for as long as the connection
  /// lives (SPEC O13). The message that waits longest comes first.
  func uploadAttachments(over connection: any TransportConnection) async throws {
    var busyFaults = 0
    while !Task.isCancelled {
      guard let upload = try nextUpload() else {
        await uploadSignal.wait()
        continue
      }
      do {
        try await bring(upload, over: connection)
        busyFaults = 0
      } catch is Unwanted {
        continue
      } catch AttachmentRefusal.busy(let after) {
        busyFaults += 1
        let ours = policy.linkDelay(afterFault: busyFaults, dice: environment.random())
        try await environment.sleep(environment.uptime() + max(after ?? .zero, ours))
      } catch AttachmentRefusal.damaged {
        try noteDamage(of: upload.attachment.checksum)
      } catch AttachmentRefusal.rejected(let sentence) {
        try park(upload.attachment.checksum, FailureReason(.attachmentRefused, sentence))
      }
    }
  }

  /// What the lanes found that cannot leave without it. Lanes that wait for nothing any more are forgotten.
  private func nextUpload() throws -> StoredAttachment? {
    for entry in waitingForUploads.values.sorted(by: { $0.position < $1.position }) {
      if let upload = try store.read({ try $0.nextUpload(of: entry.id) }) { return upload }
    }
    return nil
  }

  private func bring(_ upload: StoredAttachment, over connection: any TransportConnection) async throws {
    let attachment = upload.attachment
    defer { show(nil, of: attachment.checksum) }
    let serverID = try await connection.upload(
      AttachmentUpload(attachment, file: store.attachments.file(of: attachment.checksum)) { bytes in
        try await self.noteProgress(bytes, of: attachment.checksum)
      })
    uploadDamages[attachment.checksum] = nil
    // Lost with the power, it is asked again, and the server knows.
    try store.writeUnsynced {
      try $0.noteUpload(attachment.checksum, bytes: attachment.byteCount, serverID: serverID)
    }
  }

  private func noteProgress(_ bytes: Int64, of checksum: AttachmentChecksum) throws {
    guard try !store.read({ try $0.queuedMessages(with: checksum) }).isEmpty else { throw Unwanted() }
    let before = live.transferred(checksum) ?? 0
    show(bytes, of: checksum)
    guard bytes / Self.hintBytes != before / Self.hintBytes else { return }
    try store.writeUnsynced { try $0.noteUpload(checksum, bytes: bytes, serverID: nil) }
  }

  private func noteDamage(of checksum: AttachmentChecksum) throws {
    uploadDamages[checksum, default: 0] += 1
    guard uploadDamages[checksum, default: 0] >= Self.maximumDamages else { return }
    uploadDamages[checksum] = nil
    try park(
      checksum,
      FailureReason(
        .attachmentDamaged, "An attachment cannot be read any more. Take it out, or add it again."))
  }

  private func park(_ checksum: AttachmentChecksum, _ reason: FailureReason) throws {
    try store.write { transaction in
      for message in try transaction.queuedMessages(with: checksum) {
        guard let (entry, conversation) = try transaction.outboxEntry(of: message) else { continue }
        try transaction.park(entry, in: conversation, reason: reason)
      }
    }
  }

  /// How much of an attachment has been moved, for those who show it. Nil: it is not being moved.
  package func show(_ bytes: Int64?, of checksum: AttachmentChecksum) {
    let conversations = (try? store.read { try $0.conversations(with: checksum) }) ?? []
    if live.set(transferred: bytes, of: checksum) {
      store.changes.publish(Changes(timelines: Set(conversations)))
    }
  }
}
