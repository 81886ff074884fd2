import HoldfastCore

/// Keeps this device's place in the server's log, and decides what a page of it is good for.
///
/// Pages that do not follow on the place are passed over, never stored: a gap that was skipped once would
/// never be filled. Pages that bring nothing new are passed over too. A page that overlaps is delivered,
/// because storing an item twice changes nothing.
///
/// A server that was set back to a backup does not know the place any more and answers from the beginning of
/// its log. Then the place goes back too: else everything up to the old place would be taken for old news.
struct CatchUp {
  enum Step: Equatable {
    case deliver(SyncCursor)
    case passOver
    /// A page was missed: ask for the one that follows on the place.
    case ask
  }

  /// While an answer is on its way, live pages that were sent before it keep coming; not each of them is
  /// worth another question.
  private static let patience: Duration = .seconds(1)

  /// The end of the last page that was delivered. Nil on a device that has none; 0 means the same, because
  /// cursors count from 1.
  private(set) var place: Int64?
  /// A `hello` or `sync` has no answer yet.
  private(set) var isWaiting = true
  /// The server was told a place, and so has no reason to send a page from the beginning but not knowing it.
  private var hasNamedPlace: Bool
  private var owesSync = false
  private var lastAsked: ChatEnvironment.Instant?

  init(resumingAfter cursor: SyncCursor?) {
    place = cursor.flatMap { Int64($0.rawValue) }.flatMap { $0 > 0 ? $0 : nil }
    hasNamedPlace = place != nil
  }

  mutating func arrived(_ page: Wire.Events, at now: ChatEnvironment.Instant) -> Step {
    if hasNamedPlace, page.after == nil, page.cursor >= 0 {
      hasNamedPlace = false
      return deliver(page)
    }
    let here = place ?? 0
    let start = page.after ?? 0
    if start > here {
      if isWaiting, let lastAsked, now < lastAsked + Self.patience { return .passOver }
      ask(at: now)
      return .ask
    }
    guard page.cursor > here else {
      if start == here { isWaiting = false }
      return .passOver
    }
    return deliver(page)
  }

  private mutating func deliver(_ page: Wire.Events) -> Step {
    place = page.cursor
    isWaiting = false
    owesSync = page.more
    return .deliver(SyncCursor(rawValue: String(page.cursor)))
  }

  /// Whether the last page that the server sent has not come. Its pong says where that page ended.
  mutating func missed(_ cursor: Int64?, at now: ChatEnvironment.Instant) -> Bool {
    guard let cursor, cursor > place ?? 0, !isWaiting, !owesSync else { return false }
    ask(at: now)
    return true
  }

  /// Whether the page delivered last said that there is more. Asked once the engine comes back for the next
  /// event, which is when it has stored that page; so at most one page lies in memory.
  mutating func takeOwedSync(at now: ChatEnvironment.Instant) -> Bool {
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
