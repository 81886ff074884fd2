import HoldfastCore
import HoldfastStore

extension ConnectionBanner {
  /// The progress of a long queue that is being sent (rule O5).
  public struct Progress: Sendable, Codable, Hashable {
    /// The number of messages that were delivered since the drain began.
    public let sent: Int
    /// The number of all messages: those that waited when the drain began, and those that were sent since.
    public let total: Int
    /// The progress in English, or by ``ChatConfiguration/texts``. The message that is being sent counts: "Sending 37
    /// of 120".
    public internal(set) var text = ""

    /// The progress of a queue of this length.
    public init(sent: Int, total: Int) {
      self.sent = sent
      self.total = total
      localizeInEnglish()
    }
  }
}

/// Decides whether a drain is long enough to be shown, and how far it is. Pure.
///
/// ```
///             online, and 20 or more wait             delivered, or sent meanwhile
///   (nothing) ───────────────────────────► Sending 1 of 120 ─────► Sending 38 of 121
///       ▲                                          │
///       └── the link is lost, all are out, or none was delivered for 10 s
/// ```
struct DrainProgress: Equatable, Sendable {
  static let longQueue = 20
  /// The time without a delivery after which the progress is no longer shown. The server then asks the client to back
  /// off, and the rows say so.
  static let patience: Duration = .seconds(10)

  private(set) var shown: ConnectionBanner.Progress?
  /// The instant at which the progress ends without an update. Nil when nothing is shown.
  private(set) var deadline: ChatEnvironment.Instant?
  private var deliveredBefore = 0
  /// The number of delivered messages when the drain came to a standstill. Nil when it has not.
  private var stoodStillAt: Int?

  /// - Parameters:
  ///   - waiting: the number of messages that are sent automatically.
  ///   - delivered: the number of messages that have been delivered since the app was launched.
  mutating func update(link: Connectivity, waiting: Int, delivered: Int, now: ChatEnvironment.Instant) {
    guard link == .online, waiting > 0 else {
      (shown, deadline, stoodStillAt) = (nil, nil, nil)
      return
    }
    guard let progress = shown else {
      guard waiting >= Self.longQueue, stoodStillAt.map({ $0 < delivered }) ?? true else { return }
      (deliveredBefore, stoodStillAt) = (delivered, nil)
      shown = ConnectionBanner.Progress(sent: 0, total: waiting)
      deadline = now + Self.patience
      return
    }
    let sent = delivered - deliveredBefore
    // The waiting and the delivered messages are counted one after the other, so the sum may be too low for a moment.
    shown = ConnectionBanner.Progress(sent: sent, total: max(progress.total, sent + waiting))
    if sent > progress.sent {
      deadline = now + Self.patience
    } else if let end = deadline, end <= now {
      (shown, deadline, stoodStillAt) = (nil, nil, delivered)
    }
  }
}
