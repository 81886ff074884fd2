import Foundation
import HoldfastCore
import HoldfastStore

/// What this process knows at one moment about the messages of one conversation: together with the stored facts it
/// decides how each message stands. A row and an explanation are made from the same facts, in the same way.
struct StandingMoment {
  private let link: LinkState
  private let isRunning: Bool
  private let lane: OutboxLane?
  private let live: LiveState
  private let isShared: Bool
  private let uptime: ChatEnvironment.Instant
  private let date: Date

  /// - Parameter conversation: the conversation whose lane has the messages. Nil when they are in no lane.
  init(_ context: EngineContext, of conversation: ConversationID?) {
    live = context.live
    (link, isRunning, lane) = live.standing(of: conversation)
    isShared = context.store.isShared
    (uptime, date) = (context.environment.uptime(), context.environment.now())
  }

  func standing(
    of id: MessageID, at place: StandingFacts.Place, attempts: Int = 0, attachments: [StoredAttachment] = []
  ) -> MessageStanding {
    var facts = StandingFacts(place: place, link: link, now: uptime)
    facts.attempts = attempts
    facts.uploaded = uploaded(attachments)
    facts.isRunning = isRunning
    facts.isOnItsWay = lane?.flights.contains { $0.id == id } ?? false
    facts.isAskedAbout = lane?.asked.contains(id) ?? false
    facts.laneWaitsUntil = lane?.notBefore
    if case .stream(let isInterrupted) = place {
      // Where the store is shared, another process may be writing the message.
      facts.isStreamed = live.stream(id) != nil || (isShared && !isInterrupted)
    }
    return facts.standing(date: date(of:))
  }

  /// The next tenth of a second. The two clocks are read one after the other: in full, the date of one instant would
  /// differ from look to look, and equal snapshots would not be equal.
  private func date(of instant: ChatEnvironment.Instant) -> Date {
    let exact = date.addingTimeInterval((instant - uptime) / .seconds(1)).timeIntervalSince1970
    return Date(timeIntervalSince1970: (exact * 10).rounded(.up) / 10)
  }

  /// Nil when the server lacks none of the attachments.
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
  /// The fraction in hundredths: more would be drawn for each piece that moves.
  func fraction(of total: Int64) -> Double {
    guard total > 0 else { return 0 }
    return (Double(self) / Double(total) * 100).rounded(.down) / 100
  }
}
