/// The part of a timeline that is loaded. Pure.
///
/// ```
///   around a message:  … │ 50 older │ message │ 100 newer │ …     each side grows by a hundred
///   the newest:        … │                       100 older │       what arrives is in it
/// ```
package struct TimelineSpan: Equatable, Sendable {
  package static let page = 100
  private static let olderAround = 50

  /// The message that the span lies around. Nil when the span ends with the newest message.
  package private(set) var anchor: MessageID?
  /// A message that is being fetched from the server. Once it is here, what is read lies around it.
  package var sought: MessageID?
  /// The number of messages up to the anchor, the anchor included; without an anchor, of the newest messages.
  package private(set) var older: Int
  /// The number of messages behind the anchor.
  package private(set) var newer = 0

  package init(newest limit: Int = page) {
    // Readers ask for one message more, to know whether there is one: the sum must not overflow.
    older = min(max(limit, 0), .max - 1)
  }

  package init(around message: MessageID) {
    (anchor, older, newer) = (message, Self.olderAround + 1, Self.page)
  }

  package mutating func loadOlder() { older = older > .max - 1 - Self.page ? .max - 1 : older + Self.page }

  /// Makes room for a page before the messages that were read, all of which are in the span.
  package mutating func makeRoom(before ids: [MessageID]) {
    let shown = anchor.flatMap(ids.firstIndex).map { $0 + 1 } ?? ids.count
    older = max(older, min(shown, .max - 1 - Self.page) + Self.page)
  }

  package mutating func loadNewer() { newer += Self.page }

  /// Adjusts the span to the messages that were read, oldest first. A span around a message that is gone
  /// becomes the newest part of the timeline. A span that contains the end grows, so that messages which arrive
  /// there are in it too. Returns whether the span has changed.
  @discardableResult package mutating func fit(_ ids: [MessageID], hasNewer: Bool) -> Bool {
    guard let anchor else { return false }
    guard let index = ids.firstIndex(of: anchor) else {
      self = TimelineSpan()
      return true
    }
    let behind = ids.count - 1 - index
    guard !hasNewer, newer - behind < Self.page / 2 else { return false }
    newer += Self.page
    return true
  }
}
