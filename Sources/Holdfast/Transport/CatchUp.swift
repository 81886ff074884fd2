/// Keeps this device's place in the server's log, and decides what a page of it is good for.
///
/// Pages that do not follow on the place are passed over, never stored: a gap that was skipped once would
/// never be filled. Pages that bring nothing new are passed over too. A page that overlaps is delivered,
/// because storing an item twice changes nothing.
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
  private var owesSync = false
  private var lastAsked: Environment.Instant?

  init(resumingAfter cursor: SyncCursor?) {
    place = cursor.flatMap { Int64($0.rawValue) }.flatMap { $0 > 0 ? $0 : nil }
  }

  mutating func arrived(_ page: Wire.Events, at now: Environment.Instant) -> Step {
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
    place = page.cursor
    isWaiting = false
    owesSync = page.more
    return .deliver(SyncCursor(rawValue: String(page.cursor)))
  }

  /// Whether the page delivered last said that there is more. Asked once the engine comes back for the next
  /// event, which is when it has stored that page; so at most one page lies in memory.
  mutating func takeOwedSync(at now: Environment.Instant) -> Bool {
    guard owesSync else { return false }
    ask(at: now)
    return true
  }

  private mutating func ask(at now: Environment.Instant) {
    owesSync = false
    isWaiting = true
    lastAsked = now
  }
}
