import HoldfastCore
import HoldfastStore

extension LinkBanner {
  /// How far a long queue has gone out (SPEC O5).
  public struct Progress: Sendable, Codable, Hashable {
    /// How many have been delivered since it began.
    public var sent: Int
    /// How many there are in all: what waited when it began, and what was sent since.
    public var total: Int
    /// In English, with the one that is on its way: "Sending 37 of 120".
    public var text: String { ShownTexts.sending(sent: sent, total: total) }

    private enum CodingKeys: String, CodingKey { case sent, total, text }

    /// The progress of a queue of this length.
    public init(sent: Int, total: Int) {
      self.sent = sent
      self.total = total
    }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      sent = try container.decode(Int.self, forKey: .sent)
      total = try container.decode(Int.self, forKey: .total)
    }

    /// With its text, so that a page in a browser need not make it.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(sent, forKey: .sent)
      try container.encode(total, forKey: .total)
      try container.encode(text, forKey: .text)
    }
  }
}

/// Whether a drain is long enough to be shown, and how far it is. Pure.
///
/// ```
///             online, and 20 or more wait             delivered, or sent meanwhile
///   (nothing) ───────────────────────────► Sending 1 of 120 ─────► Sending 38 of 121
///       ▲                                          │
///       └── the link is lost, all are out, or none was delivered for 10 s
/// ```
struct DrainProgress: Equatable, Sendable {
  static let longQueue = 20
  /// What moves no more is no progress: the server asks for patience, and the rows say so.
  static let patience: Duration = .seconds(10)

  private(set) var shown: LinkBanner.Progress?
  /// When it ends without being told.
  private(set) var deadline: ChatEnvironment.Instant?
  private var deliveredBefore = 0
  /// How many had been delivered when it came to a standstill. Nil: it has not.
  private var stoodStillAt: Int?

  /// - Parameters:
  ///   - waiting: how many leave by themselves.
  ///   - delivered: how many have been delivered since the app was launched.
  mutating func update(link: Connectivity, waiting: Int, delivered: Int, now: ChatEnvironment.Instant) {
    guard link == .online, waiting > 0 else {
      (shown, deadline, stoodStillAt) = (nil, nil, nil)
      return
    }
    guard let progress = shown else {
      guard waiting >= Self.longQueue, stoodStillAt.map({ $0 < delivered }) ?? true else { return }
      (deliveredBefore, stoodStillAt) = (delivered, nil)
      shown = LinkBanner.Progress(sent: 0, total: waiting)
      deadline = now + Self.patience
      return
    }
    let sent = delivered - deliveredBefore
    // What is counted and what was delivered are read one after the other, so that the sum may be too low for a moment.
    shown = LinkBanner.Progress(sent: sent, total: max(progress.total, sent + waiting))
    if sent > progress.sent {
      deadline = now + Self.patience
    } else if let end = deadline, end <= now {
      (shown, deadline, stoodStillAt) = (nil, nil, delivered)
    }
  }
}
