import Foundation
import HoldfastCore
import HoldfastStore

/// The knowledge of this process, at one moment, about the messages of one conversation. Together with the stored
/// facts, it decides the status of each message. A row and an explanation are made from the same facts, in the same
/// way.
struct StatusMoment {
  private let link: Link.SharedState.Snapshot
  private let lane: Outbox.SharedState.Lane?
  private let sharedStates: EngineSharedStates
  private let streams: [MessageID: Replies.SharedState.Stream]
  private let isShared: Bool

  /// - Parameters:
  ///   - conversation: the conversation whose lane has the messages. Nil when they are in no lane.
  ///   - streams: the streams that were under way before the messages were read.
  init(
    _ client: ChatClient, of conversation: ConversationKey?, streams: [MessageID: Replies.SharedState.Stream]
  ) {
    sharedStates = client.sharedStates
    self.streams = streams
    link = sharedStates.link.snapshot
    lane = conversation.flatMap(sharedStates.outbox.lane)
    isShared = client.store.isShared
  }

  /// - Parameter isWrittenHere: whether the message is written on this device, where the reader knows it. One that is
  ///   not marked as interrupted was under way when it was read, although it may have begun and ended since.
  func status(
    of id: MessageID, at place: StatusFacts.Place, attempts: Int = 0, attachments: [StoredAttachment] = [],
    isWrittenHere: Bool = false
  ) -> MessageStatus {
    var message = StatusFacts(place: place, link: link.link)
    message.attempts = attempts
    message.uploaded = uploaded(attachments)
    (message.isRunning, message.connectsAt) = (link.isRunning, link.connectsAt)
    message.isOnItsWay = lane?.lane.flights.contains { $0.id == id } ?? false
    message.isAskedAbout = lane?.lane.asked.contains(id) ?? false
    message.retryAt = lane?.retryAt
    if case .stream(let isInterrupted, _) = place {
      // Where the store is shared, another process may be writing the message.
      message.isStreamed = stream(id) != nil || ((isShared || isWrittenHere) && !isInterrupted)
    }
    return message.status
  }

  /// The text of a message that is under way, or was when it was read.
  func stream(_ id: MessageID) -> Replies.SharedState.Stream? {
    sharedStates.replies.stream(id) ?? streams[id]
  }

  /// The uploaded fraction of the attachments. Nil when the server has all of them.
  private func uploaded(_ attachments: [StoredAttachment]) -> Double? {
    guard attachments.contains(where: { !$0.isUploaded }) else { return nil }
    let bytes = attachments.map { stored in
      stored.isUploaded
        ? stored.attachment.byteCount
        : sharedStates.transfers.bytes(of: stored.attachment.checksum) ?? stored.uploadedBytes
    }
    return bytes.reduce(0, +).fraction(of: attachments.map(\.attachment.byteCount).reduce(0, +))
  }
}

extension Int64 {
  /// The fraction of `total`, rounded down to hundredths. A finer value would redraw the view for each piece that
  /// moves.
  func fraction(of total: Int64) -> Double {
    guard total > 0 else { return 0 }
    return (Double(self) / Double(total) * 100).rounded(.down) / 100
  }
}
