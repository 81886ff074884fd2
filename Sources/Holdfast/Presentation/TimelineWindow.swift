/// Which part of a timeline is loaded. Pure.
///
/// ```
///   around a message:  … │ 50 older │ message │ 100 newer │ …     each side grows by a hundred
///   the newest:        … │                       100 older │       what arrives is in it
/// ```
struct TimelineWindow: Equatable, Sendable {
  static let page = 100
  private static let olderAround = 50

  /// The message that it lies around. Nil: it ends with the newest one.
  private(set) var anchor: MessageID?
  /// How many messages, the anchor included.
  private(set) var older: Int
  /// How many behind the anchor.
  private(set) var newer = 0

  init(newest limit: Int = page) {
    // One more is read, to know whether there is one.
    older = min(max(limit, 0), .max - 1)
  }

  init(around message: MessageID) {
    (anchor, older, newer) = (message, Self.olderAround + 1, Self.page)
  }

  mutating func loadOlder() { older = older > .max - 1 - Self.page ? .max - 1 : older + Self.page }

  mutating func loadNewer() { newer += Self.page }

  /// Follows what was read. A message that is gone is none to lie around; and where the end is in the window, what
  /// arrives there is to be in it too. Returns whether the window is another one now.
  @discardableResult mutating func fit(_ snapshot: ConversationSnapshot) -> Bool {
    guard let anchor, snapshot.exists else { return false }
    guard let index = snapshot.rows.firstIndex(where: { $0.id == anchor }) else {
      self = TimelineWindow()
      return true
    }
    let behind = snapshot.rows.count - 1 - index
    guard !snapshot.hasNewer, newer - behind < Self.page / 2 else { return false }
    newer += Self.page
    return true
  }
}
