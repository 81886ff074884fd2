import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Uploads the attachments that lanes wait for, one after the other (rule O13). The attachment of the message that
/// waits longest comes first.
final class Uploads {
  /// An upload that arrives damaged this often fails its messages.
  private static let maximumDamages = 3

  private let context: EngineContext
  private let progress: TransferProgress
  private let signal = Signal()
  /// The first message of each lane that cannot be sent before the server has its attachments.
  private(set) var waiting: [ConversationKey: OutboxEntry] = [:]
  private var damages: [ChatAttachment.Checksum: Int] = [:]

  private var store: Store { context.store }

  init(_ context: EngineContext, progress: TransferProgress) {
    (self.context, self.progress) = (context, progress)
  }

  /// Replaces the lanes that wait for an upload.
  func setWaiting(_ waiting: [ConversationKey: OutboxEntry]) {
    self.waiting = waiting
    if !waiting.isEmpty { signal.raise() }
  }

  func join(_ old: ConversationKey, into new: ConversationKey) {
    guard let entry = waiting.removeValue(forKey: old), waiting[new] == nil else { return }
    waiting[new] = entry
  }

  /// Uploads for as long as the connection lives.
  nonisolated(nonsending) func run(over connection: any TransportConnection) async throws {
    var busyFaults = 0
    while !Task.isCancelled {
      guard let upload = try next() else {
        await signal.wait()
        continue
      }
      do {
        try await bring(upload, over: connection)
        busyFaults = 0
      } catch is TransferProgress.Unwanted {
        continue
      } catch ChatAttachment.Refusal.notNow(let after) {
        busyFaults += 1
        try await context.pauseTransfers(afterFault: busyFaults, asked: after)
      } catch ChatAttachment.Refusal.damaged {
        try noteDamage(of: upload.attachment.checksum)
      } catch ChatAttachment.Refusal.rejected(let sentence) {
        try fail(upload.attachment.checksum, FailureReason(.attachmentRefused, sentence))
      }
    }
  }

  private func next() throws -> StoredAttachment? {
    for entry in waiting.values.sorted(by: { $0.position < $1.position }) {
      if let upload = try store.read({ try $0.attachments.nextUpload(of: entry.id) }) { return upload }
    }
    return nil
  }

  private nonisolated(nonsending) func bring(
    _ upload: StoredAttachment, over connection: any TransportConnection
  ) async throws {
    let attachment = upload.attachment
    defer { progress.show(nil, of: attachment.checksum) }
    let serverID = try await connection.upload(
      ChatAttachment.Upload(attachment, file: store.attachments.file(of: attachment.checksum)) {
        [progress] bytes in
        try progress.noteUploaded(bytes, of: attachment.checksum)
      })
    damages[attachment.checksum] = nil
    // If a power cut reverts this, the upload is requested again, and the server knows the file.
    try store.writeUnsynced {
      try $0.attachments.noteUpload(attachment.checksum, bytes: attachment.byteCount, serverID: serverID)
    }
  }

  private func noteDamage(of checksum: ChatAttachment.Checksum) throws {
    damages[checksum, default: 0] += 1
    guard damages[checksum, default: 0] >= Self.maximumDamages else { return }
    damages[checksum] = nil
    try fail(checksum, FailureReason(.attachmentDamaged))
  }

  private func fail(_ checksum: ChatAttachment.Checksum, _ reason: FailureReason) throws {
    try store.write { transaction in
      for message in try transaction.attachments.queuedMessages(with: checksum) {
        guard let (entry, conversation) = try transaction.outbox.entry(of: message) else { continue }
        try transaction.outbox.fail(entry, in: conversation, reason: reason)
      }
    }
  }
}

extension EngineContext {
  /// Waits after the server was too busy for a file: as long as the server asked, and no less than our own delay.
  nonisolated(nonsending) func pauseTransfers(afterFault fault: Int, asked: Duration?) async throws {
    let ours = configuration.retry.reconnectDelay(afterFault: fault, dice: environment.random())
    try await environment.sleep(environment.uptime() + max(asked ?? .zero, ours))
  }
}
