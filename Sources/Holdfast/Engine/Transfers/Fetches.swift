import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Fetches the attachments that the user asks for, and those that are small enough for an automatic download, one
/// after the other.
final class Fetches {
  /// The part of the fetches that any thread may access.
  final class SharedState: InboxFollower, Sendable {
    fileprivate let signal = Signal()

    /// There may be something to fetch.
    func ring() { signal.raise() }

    func follow(_ outcome: InboxOutcome) { if outcome.mayHaveAttachments { ring() } }
  }

  /// An attachment that arrives damaged this often is skipped until the next connection.
  private static let maximumDamages = 3

  private let context: EngineContext
  private let sharedState: SharedState
  private let progress: TransferProgress
  /// Attachments that are skipped until the next connection: the server does not have them, or there is no room.
  private var leftAlone: Set<ChatAttachment.Checksum> = []

  private var store: Store { context.store }

  init(_ context: EngineContext, sharedState: SharedState, progress: TransferProgress) {
    (self.context, self.sharedState, self.progress) = (context, sharedState, progress)
  }

  /// The user asked for the attachment.
  func want(_ checksum: ChatAttachment.Checksum) {
    leftAlone.remove(checksum)
    sharedState.ring()
  }

  /// Fetches for as long as the connection lives.
  nonisolated(nonsending) func run(over connection: any TransportConnection) async throws {
    leftAlone = []
    var damages: [ChatAttachment.Checksum: Int] = [:]
    var busyFaults = 0
    while !Task.isCancelled {
      guard let attachment = try next() else {
        await sharedState.signal.wait()
        continue
      }
      let checksum = attachment.checksum
      do {
        try await fetch(attachment, over: connection)
        busyFaults = 0
      } catch is TransferProgress.Unwanted {
        leftAlone.insert(checksum)
      } catch ChatAttachment.Refusal.notNow(let after) {
        busyFaults += 1
        try await context.pauseTransfers(afterFault: busyFaults, asked: after)
      } catch ChatAttachment.Refusal.damaged {
        store.attachments.removePart(of: checksum)
        damages[checksum, default: 0] += 1
        if damages[checksum, default: 0] >= Self.maximumDamages { leftAlone.insert(checksum) }
      } catch ChatAttachment.Refusal.rejected {
        leftAlone.insert(checksum)
      } catch let error as POSIXError {
        // Messages are still received while there is no room for files.
        context.logger.notice("attachment not fetched", metadata: ["posix": "\(error.code.rawValue)"])
        leftAlone.insert(checksum)
      }
    }
  }

  private func next() throws -> ChatAttachment? {
    let (limit, leftAlone) = (context.configuration.attachments.automaticDownloadLimit, leftAlone)
    return try store.read { try $0.attachments.nextFetch(atMost: limit, besides: leftAlone)?.attachment }
  }

  private nonisolated(nonsending) func fetch(
    _ attachment: ChatAttachment, over connection: any TransportConnection
  ) async throws {
    let checksum = attachment.checksum
    defer { progress.show(nil, of: checksum) }
    let part = try FetchedPart(of: attachment, in: store.attachments)
    progress.show(part.byteCount, of: checksum)
    try await connection.download(
      ChatAttachment.Download(
        attachment, serverIDs: try store.read { try $0.attachments.serverIDs(of: checksum) },
        from: part.byteCount
      ) { [progress] data in
        try part.append(data)
        try progress.noteFetched(part.byteCount, of: checksum)
      })
    try part.verify(attachment)
    try store.writeUnsynced { transaction in
      guard try transaction.attachments.stored(checksum) != nil else {
        return store.attachments.removePart(of: checksum)
      }
      try store.attachments.finishPart(of: checksum)
      try transaction.attachments.noteFetched(checksum)
    }
  }
}
