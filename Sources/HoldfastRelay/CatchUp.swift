import HoldfastCore
import HoldfastTransport

/// Keeps this device's place in the server's log, and decides about each page of it.
///
/// A page that does not continue from the place is never stored, because the gap would never be filled. A page
/// without new events is skipped too. A page that overlaps is delivered, because storing an item is idempotent.
///
/// A server that was restored from a backup may not know the place, and then responds from the beginning of its log.
/// The place is reset. Otherwise everything up to the old place would be skipped as known.
///
/// A new device may first get only the newest messages of each conversation. Those pages have places of their own,
/// and the last of them continues in the log:
///
/// ```
///   nothing ──► recent 7/… ──► recent 7/… ──► log, from 7 on
/// ```
struct CatchUp {
  enum Step: Equatable {
    case deliver(SyncCursor)
    case skip
    /// A page was missed. The client requests the page after the place.
    case ask
  }

  /// The least time between two requests. While a response is on its way, live pages that were sent before it still
  /// arrive, and do not each cause another request.
  private static let patience: Duration = .seconds(1)

  /// The end of the last delivered page. Nil on a device without one. 0 means the same, because cursors count from
  /// 1.
  private(set) var place: Int64?
  /// The request for only the newest messages, with the place among their pages. Nil if it was not made, and once
  /// they have all arrived.
  private var recent: Wire.Recent?
  /// Whether a `hello` or `sync` has no response yet.
  private(set) var isWaiting = true
  /// Whether a place was sent to the server. The server then sends a page from the beginning only if it does not
  /// know the place.
  private var hasNamedPlace: Bool
  private var owesSync = false
  private var lastAsked: ChatEnvironment.Instant?

  private static let recentMark = "recent "

  /// - Parameter recent: the number of messages of each conversation that a new device requests. Nil: all.
  init(resumingAfter cursor: SyncCursor?, recent: Int? = nil) {
    place = cursor.flatMap { Int64($0.rawValue) }.flatMap { $0 > 0 ? $0 : nil }
    hasNamedPlace = place != nil
    guard place == nil, let recent else { return }
    let text = cursor?.rawValue ?? ""
    let after = text.hasPrefix(Self.recentMark) ? String(text.dropFirst(Self.recentMark.count)) : nil
    self.recent = Wire.Recent(count: recent, after: after)
  }

  /// The request for the next page.
  var sync: Wire.Sync { Wire.Sync(after: place, recent: place == nil ? recent : nil) }

  mutating func arrived(_ page: Wire.Events, at now: ChatEnvironment.Instant) -> Step {
    if let place = page.recent { return arrived(page, place) }
    if hasNamedPlace, page.after == nil, page.cursor >= 0 {
      hasNamedPlace = false
      return deliver(page)
    }
    let here = place ?? 0
    let start = page.after ?? 0
    if start > here {
      if isWaiting, let lastAsked, now < lastAsked + Self.patience { return .skip }
      ask(at: now)
      return .ask
    }
    guard page.cursor > here else {
      if start == here { isWaiting = false }
      return .skip
    }
    return deliver(page)
  }

  /// Decides about a page of the newest messages. A page that does not continue from the place is a copy. A page
  /// without a preceding place means that the server has started over.
  private mutating func arrived(_ page: Wire.Events, _ step: Wire.RecentPlace) -> Step {
    guard isWaiting, place == nil, recent != nil, step.after == nil || step.after == recent?.after else {
      return .skip
    }
    guard let next = step.place else {
      recent = nil
      return deliver(page)
    }
    recent?.after = next
    (isWaiting, owesSync) = (false, true)
    return .deliver(SyncCursor(rawValue: Self.recentMark + next))
  }

  private mutating func deliver(_ page: Wire.Events) -> Step {
    place = page.cursor
    isWaiting = false
    owesSync = page.more
    return .deliver(SyncCursor(rawValue: String(page.cursor)))
  }

  /// Whether the last page that the server sent was lost. The server's pong contains the end of that page.
  mutating func missed(_ cursor: Int64?, at now: ChatEnvironment.Instant) -> Bool {
    guard let cursor, cursor > place ?? 0, !isWaiting, !owesSync else { return false }
    ask(at: now)
    return true
  }

  /// Requests more if the last delivered page was not the last of the log. Returns whether it did. Called when the
  /// engine asks for the next event, after it has stored that page, so that at most one page is in memory.
  mutating func askIfOwed(at now: ChatEnvironment.Instant) -> Bool {
    guard owesSync else { return false }
    ask(at: now)
    return true
  }

  private mutating func ask(at now: ChatEnvironment.Instant) {
    owesSync = false
    isWaiting = true
    lastAsked = now
  }
}
