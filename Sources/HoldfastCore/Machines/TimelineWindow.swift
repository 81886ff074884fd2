/// Which part of a timeline is loaded. Pure.
///
/// ```
///   around a message:  … │ 50 older │ message │ 100 newer │ …     each side grows by a hundred
///   the newest:        … │                       100 older │       what arrives is in it
/// ```
package struct TimelineWindow: Equatable, Sendable {
  package static let page = 100
  private static let olderAround = 50

  /// The message that it lies around. Nil: it ends with the newest one.
  package private(set) var anchor: MessageID?
  /// How many messages, the anchor included.
  package private(set) var older: Int
  /// How many behind the anchor.
  package private(set) var newer = 0

  package init(newest limit: Int = page) {
    // One more is read, to know whether there is one.
    older = min(max(limit, 0), .max - 1)
  }

  package init(around message: MessageID) {
    (anchor, older, newer) = (message, Self.olderAround + 1, Self.page)
  }

  package mutating func loadOlder() { older = older > .max - 1 - Self.page ? .max - 1 : older + Self.page }

  package mutating func loadNewer() { newer += Self.page }

  /// Follows the messages that were read, oldest first. The window no longer lies around a message that is gone. Where the
  /// end is in the window, it grows so that what arrives there is in it too. Returns whether the window has changed.
  @discardableResult package mutating func fit(_ ids: [MessageID], hasNewer: Bool) -> Bool {
    guard let anchor else { return false }
    guard let index = ids.firstIndex(of: anchor) else {
      self = TimelineWindow()
      return true
    }
    let behind = ids.count - 1 - index
    guard !hasNewer, newer - behind < Self.page / 2 else { return false }
    newer += Self.page
    return true
  }
}
