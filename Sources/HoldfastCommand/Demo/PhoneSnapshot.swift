import Foundation
import Holdfast

/// Everything a phone's screen shows, as one value.
struct PhoneSnapshot: Sendable, Codable, Hashable {
  var me: UserID
  var link: Connectivity
  var banner: LinkBanner?
  var list: ConversationListSnapshot
  /// Both nil while the list is shown.
  var conversation: ConversationSnapshot?
  var composer: ComposerSnapshot?
  /// The question about messages that have waited for long. It covers the screen until it is answered.
  var question: HeldMessages?
  /// The message whose Info sheet covers the screen.
  var info: MessageID?
  /// What just could not be done, as a sentence. Nil a moment later.
  var notice: String?
  var outbox: OutboxReading
  /// Why a message has not gone: the one of the Info sheet, else the oldest that waits. Nil: none waits.
  var explanation: Explanation?
  /// The number of the last intent whose effect is in here.
  var handled: Int
}

/// How the outbox is doing, as the page shows it.
struct OutboxReading: Sendable, Codable, Hashable {
  var waiting: Int
  var held: Int
  var failed: Int
  /// On the phone's date, so that whoever shows it can count on by itself.
  var oldestSince: Date?
  /// How many deliveries were measured, and how long they took, in milliseconds.
  var delivered: Int
  var p50: Double?
  var p95: Double?

  init(_ health: OutboxHealth, now: Date) {
    (waiting, held, failed) = (health.waiting, health.held, health.failed)
    oldestSince = health.oldestWaited.map { now.addingTimeInterval(-($0 / .seconds(1))) }
    delivered = health.timeToDelivered?.count ?? 0
    p50 = health.timeToDelivered.map { $0.p50 / .milliseconds(1) }
    p95 = health.timeToDelivered.map { $0.p95 / .milliseconds(1) }
  }
}
