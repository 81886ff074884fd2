import Foundation
import Holdfast
import HoldfastPresenters

/// Everything a phone's screen shows, as one value.
struct PhoneSnapshot: Sendable, Codable, Hashable {
  /// The part of the screen that belongs to one window.
  struct Window: Sendable, Codable, Hashable {
    /// `conversation` and `composer` are nil while the list is shown.
    var conversation: ConversationSnapshot?
    /// The presentation of the conversation's rows, in their order.
    var messages: [PresentedMessage]
    /// The Markdown and the tiles of the rows that have some, by the IDs of their messages.
    var bodies: [String: MessageBody]
    /// The text above the conversation's rows, or in their place: rows are loading, unreadable or missing.
    var content: PresentedContent
    var composer: ComposerSnapshot?
    /// The message of the Info sheet that covers the screen, or the operation on a message of such a sheet.
    var info: MessageID?
    /// The reason why a message has not been sent: the message of the Info sheet, else the oldest waiting message.
    /// Nil when none waits.
    var explanation: Explanation?
    /// The reason why that could not be determined.
    var explanationProblem: String?
    /// The reason why the last picked file is not in the composer. Nil when it is there, or after the user's next
    /// action.
    var fileProblem: String?
    /// The composer's earlier texts, in the sheet that covers the screen. Nil when the sheet is not shown.
    var versions: [VersionReading]?
    /// The message at the upper edge of the list when the window was left. Nil when the end of the list is shown.
    var anchor: ScrollPositions.Anchor?
    /// Whether the panel beside the phone was left open. Nil when the user has never opened or closed it.
    var isPanelOpen: Bool?
    /// A sentence about a lost conversation, or about a place that cannot be read or stored. Nil once something else
    /// was opened.
    var lost: String?
    /// Nil while there is no search.
    var search: SearchReading?
    /// The search hit that was opened. Nil once its conversation was left.
    var hit: OpenedHit?
    /// The question whether to delete all conversations.
    var deletion: DeletionQuestion?
    /// The sheet that covers the screen. Nil when none does.
    var sheet: CoveringSheet?
  }

  var me: UserID
  var link: Connectivity
  var banner: ConnectionBanner?
  /// The progress of sending a long queue.
  var progress: ConnectionBanner.Progress?
  var list: ConversationListSnapshot
  /// The presentation of the list's rows, in their order.
  var conversations: [PresentedConversation]
  /// The words instead of the list's rows.
  var listContent: PresentedContent
  /// Whether the phone has an assistant for new chats.
  var hasAssistant: Bool
  /// The first window's part, up to `sheet`: see ``Window``.
  var conversation: ConversationSnapshot?
  var messages: [PresentedMessage]
  var bodies: [String: MessageBody]
  var content: PresentedContent
  var composer: ComposerSnapshot?
  var info: MessageID?
  var explanation: Explanation?
  var explanationProblem: String?
  var fileProblem: String?
  var versions: [VersionReading]?
  var anchor: ScrollPositions.Anchor?
  var isPanelOpen: Bool?
  var lost: String?
  var search: SearchReading?
  var hit: OpenedHit?
  var deletion: DeletionQuestion?
  var sheet: CoveringSheet?
  /// The second window. Nil until the user opens it.
  var second: Window?
  /// The prompt about messages that have waited for long.
  var question: HeldMessages?
  /// The import's progress or result.
  var importing: ImportReading?
  /// A sentence about an action that has just failed. Nil a moment later.
  var notice: String?
  var outbox: OutboxReading
  /// The number of the last intent whose effect the snapshot shows.
  var handled: Int
}

/// An earlier text of a draft, as a list shows it: only its beginning, because a text may have a megabyte.
struct VersionReading: Sendable, Codable, Hashable, Identifiable {
  private static let shown = 240

  var id: DraftVersion.ID
  var beginning: String
  /// By the phone's clock.
  var keptAt: Date

  init(_ version: DraftVersion) {
    id = version.id
    beginning = String(version.text.prefix(Self.shown))
    keptAt = version.keptAt
  }
}

/// The state of the outbox, as the page shows it.
struct OutboxReading: Sendable, Codable, Hashable {
  var waiting: Int
  var held: Int
  var failed: Int
  /// The time since which the oldest message has waited, by the phone's clock, so that the page can count by itself.
  var oldestSince: Date?
  /// The number of measured deliveries. `p50` and `p95` are their durations in milliseconds.
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
