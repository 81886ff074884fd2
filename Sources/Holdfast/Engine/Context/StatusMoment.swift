import Foundation
import HoldfastCore
import HoldfastStore

/// The knowledge of this process, at one moment, about the messages of one conversation. Together with the stored
/// facts, it decides how each message stands. A row and an explanation are made from the same facts, in the same way.
struct StatusMoment {
  private let facts: LiveState.Standing
  private let live: LiveState
  private let isShared: Bool

  /// - Parameter conversation: the conversation whose lane has the messages. Nil when they are in no lane.
  init(_ context: EngineContext, of conversation: ConversationID?) {
    live = context.live
    facts = live.standing(of: conversation)
    isShared = context.store.isShared
  }

  func status(
    of id: MessageID, at place: StatusFacts.Place, attempts: Int = 0, attachments: [StoredAttachment] = []
  ) -> MessageStatus {
    var message = StatusFacts(place: place, link: facts.link)
    message.attempts = attempts
    message.uploaded = uploaded(attachments)
    (message.isRunning, message.connectsAt) = (facts.isRunning, facts.connectsAt)
    message.isOnItsWay = facts.lane?.flights.contains { $0.id == id } ?? false
    message.isAskedAbout = facts.lane?.asked.contains(id) ?? false
    message.retryAt = facts.retryAt
    if case .stream(let isInterrupted, _) = place {
      // Where the store is shared, another process may be writing the message.
      message.isStreamed = live.stream(id) != nil || (isShared && !isInterrupted)
    }
    return message.status
  }

  /// The uploaded fraction of the attachments. Nil when the server has all of them.
  private func uploaded(_ attachments: [StoredAttachment]) -> Double? {
    guard attachments.contains(where: { !$0.isUploaded }) else { return nil }
    let bytes = attachments.map { stored in
      stored.isUploaded
        ? stored.attachment.byteCount
        : live.transferred(stored.attachment.checksum) ?? stored.uploadedBytes
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
