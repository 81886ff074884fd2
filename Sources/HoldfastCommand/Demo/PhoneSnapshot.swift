import Foundation
import Holdfast

/// Everything a phone's screen shows, as one value.
struct PhoneSnapshot: Sendable, Codable, Hashable {
  /// What one window shows, apart from what all of them do.
  struct Window: Sendable, Codable, Hashable {
    /// Both nil while the list is shown.
    var conversation: ConversationSnapshot?
    var composer: ComposerSnapshot?
    /// The message, or what was done to one, whose Info sheet covers the screen.
    var info: MessageID?
    /// Why a message has not gone: the one of the Info sheet, else the oldest that waits. Nil: none waits.
    var explanation: Explanation?
    /// Why the file that was picked last is not in the composer. Nil: it is, or something else was done since.
    var fileProblem: String?
    /// The composer's earlier texts, in the sheet that covers the screen. Nil: it is not shown.
    var versions: [VersionReading]?
    /// The message at the upper edge of the list, where the window was left. Nil: its end is shown.
    var anchor: ScrollAnchor?
    /// Whether the panel beside the phone was left open. Nil: nobody has touched it.
    var isPanelOpen: Bool?
    /// What was open and is not there any more, as a sentence. Nil once something else was opened.
    var lost: String?
    /// Nil while nothing is looked for.
    var search: SearchReading?
    /// The message that was found and opened. Nil once its conversation was left.
    var hit: OpenedHit?
    /// The question whether all conversations are to be deleted. It covers the screen.
    var deletion: DeletionQuestion?
  }

  var me: UserID
  var link: Connectivity
  var banner: LinkBanner?
  /// How far a long queue has gone out.
  var progress: SendingProgress?
  var list: ConversationListSnapshot
  /// The first window.
  var conversation: ConversationSnapshot?
  var composer: ComposerSnapshot?
  var info: MessageID?
  var explanation: Explanation?
  var fileProblem: String?
  var versions: [VersionReading]?
  var anchor: ScrollAnchor?
  var isPanelOpen: Bool?
  var lost: String?
  var search: SearchReading?
  var hit: OpenedHit?
  var deletion: DeletionQuestion?
  /// Nil until somebody looks into it.
  var second: Window?
  /// The question about messages that have waited for long. It covers the screen until it is answered.
  var question: HeldMessages?
  /// What is being imported, or what became of it. It covers the screen until it is closed.
  var importing: ImportReading?
  /// What just could not be done, as a sentence. Nil a moment later.
  var notice: String?
  var outbox: OutboxReading
  /// The number of the last intent whose effect is in here.
  var handled: Int
}

/// An earlier text of a draft, as a list shows it: a text may have a megabyte, and a line has room for its beginning.
struct VersionReading: Sendable, Codable, Hashable, Identifiable {
  private static let shown = 240

  var id: DraftVersion.ID
  var beginning: String
  /// On the phone's date.
  var keptAt: Date

  init(_ version: DraftVersion) {
    id = version.id
    beginning = String(version.text.prefix(Self.shown))
    keptAt = version.keptAt
  }
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
