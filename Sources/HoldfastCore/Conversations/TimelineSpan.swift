/// The part of a timeline that is loaded. Pure.
///
/// ```
///   around a message:  … │ 50 older │ message │ 100 newer │ …     each side grows by a hundred
///   the newest:        … │                       100 older │       what arrives is in it
/// ```
///
/// A span has a thousand messages at most, so that reading back through a long conversation needs bounded memory, and
/// bounded time for each change. The end that the reader scrolls away from is unloaded, and loaded again on the way
/// back.
package struct TimelineSpan: Equatable, Sendable {
  package static let page = 100
  package static let most = 1_000
  private static let olderAround = 50

  /// The message that the span lies around. Nil when the span ends with the newest message.
  package private(set) var anchor: MessageID?
  /// A message that is being fetched from the server. The span lies around it as soon as it is stored.
  package var sought: MessageID?
  /// The number of messages up to the anchor, the anchor included; without an anchor, of the newest messages.
  package private(set) var older: Int
  /// The number of messages after the anchor.
  package private(set) var newer = 0

  package init(newest limit: Int = page) {
    // Readers ask for one message more, to know whether there is one: the sum must not overflow.
    older = min(max(limit, 0), .max - 1)
  }

  package init(around message: MessageID) {
    (anchor, older, newer) = (message, Self.olderAround + 1, Self.page)
  }

  /// Grows the span by a page before the loaded messages.
  package mutating func loadOlder(before ids: [MessageID]) {
    // Fewer messages may be loaded than there is room for.
    let shown = anchor.flatMap(ids.firstIndex).map { $0 + 1 } ?? ids.count
    guard shown + newer + Self.page > Self.most, let first = ids.first else {
      return older = max(older, shown + Self.page)
    }
    (anchor, older, newer) = (first, Self.page + 1, Self.most - Self.page - 1)
  }

  /// Grows the span by a page after the loaded messages.
  package mutating func loadNewer(behind ids: [MessageID]) {
    guard older + newer + Self.page > Self.most, let last = ids.last else { return newer += Self.page }
    (anchor, older, newer) = (last, Self.most - Self.page, Self.page)
  }

  /// Adjusts the span to the loaded messages, oldest first. A span around a message that no longer exists becomes the
  /// newest part of the timeline. A span that contains the end grows, so that it includes messages which arrive
  /// there. Returns whether the span has changed.
  @discardableResult package mutating func fit(_ ids: [MessageID], hasNewer: Bool) -> Bool {
    guard let anchor else { return false }
    guard let index = ids.firstIndex(of: anchor) else {
      self = TimelineSpan()
      return true
    }
    let behind = ids.count - 1 - index
    guard !hasNewer, newer - behind < Self.page / 2 else { return false }
    if older + newer + Self.page > Self.most {
      self = TimelineSpan(newest: Self.most - Self.page)
    } else {
      newer += Self.page
    }
    return true
  }
}
