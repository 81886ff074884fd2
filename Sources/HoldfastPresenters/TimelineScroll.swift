import Holdfast

/// Decides when a timeline moves. Its view measures and moves, and this value decides the target (rules R3, H7).
///
/// ```
///   at the end ── rows come ──► to the end            reads earlier ── rows come ──► stays, and offers "Newest"
///   another conversation ──► where its reader was, or the end
///   own message ──► to the end, in sight of its writer   a search hit ──► to the middle
/// ```
package struct TimelineScroll: Sendable, Equatable {
  /// The target of a movement.
  package enum Move: Sendable, Equatable {
    /// The visible content stays where it is.
    case stay
    /// - animated: whether the reader sees the movement.
    case toEnd(animated: Bool)
    /// To the place where the reader was.
    case to(ScrollPositions.Anchor)
    /// A sought message, with the messages before and after it.
    case toMiddle(MessageID)
  }

  /// The effect of a tap on "Newest".
  package enum Newest: Sendable, Equatable {
    /// The rows have to be loaded first.
    case load
    case move(Move)
  }

  /// The present content of a timeline.
  package struct Shown: Sendable, Equatable {
    package var conversation: ConversationID
    package var newest: MessageID?
    /// Whether a message was just sent from this screen. Those of another window move nobody.
    package var isOwn: Bool
    /// Whether it was sent from here, and is still unsent.
    package var isUnsent: Bool
    package var hasNewer: Bool

    package init(_ snapshot: ConversationSnapshot, isOwn: Bool) {
      conversation = snapshot.id
      newest = snapshot.rows.last?.id
      self.isOwn = isOwn
      isUnsent = snapshot.rows.last?.isUnsent ?? false
      hasNewer = snapshot.hasNewer
    }
  }

  /// Whether the reader is at the end, or on the way there.
  package private(set) var isAtEnd = true
  /// Whether "Newest" is offered.
  package private(set) var offersNewest = false
  private var shown: Shown?
  private var wantsEnd = false

  package init() {}

  /// The timeline shows other rows.
  ///
  /// - Parameters:
  ///   - anchor: where the reader of this conversation was. Nil: at the end.
  ///   - hit: a sought message that the timeline has not moved to yet.
  package mutating func show(
    _ next: Shown, anchor: ScrollPositions.Anchor? = nil, hit: MessageID? = nil
  ) -> Move {
    let before = shown?.conversation == next.conversation ? shown : nil
    shown = next
    if before == nil { (isAtEnd, offersNewest, wantsEnd) = (true, false, false) }
    let hadNewer = before?.hasNewer ?? false
    // Rows that are loaded after the last row are not new, unless the newest was sent just now.
    let isNew = next.newest != nil && next.newest != before?.newest && (!hadNewer || next.isUnsent)
    if let hit {
      (isAtEnd, offersNewest) = (false, next.hasNewer)
      return .toMiddle(hit)
    }
    if before == nil, let anchor {
      (isAtEnd, offersNewest) = (false, next.hasNewer)
      return .to(anchor)
    }
    if !next.hasNewer, wantsEnd || (isAtEnd && !hadNewer) || (isNew && next.isOwn) {
      wantsEnd = false
      return toEnd(animated: isNew && before?.newest != nil && next.isOwn)
    }
    if isNew && before?.newest != nil || next.hasNewer { offersNewest = true }
    return .stay
  }

  /// The reader has moved.
  package mutating func scrolled(isAtEnd: Bool) {
    self.isAtEnd = isAtEnd
    if isAtEnd, shown?.hasNewer != true { offersNewest = false }
  }

  /// The content's height has changed. A reader at the end stays there while a reply grows.
  package func grown() -> Move { isAtEnd && shown?.hasNewer == false ? .toEnd(animated: false) : .stay }

  /// "Newest" was tapped.
  package mutating func tapNewest() -> Newest {
    guard shown?.hasNewer == true else { return .move(toEnd(animated: true)) }
    wantsEnd = true
    return .load
  }

  private mutating func toEnd(animated: Bool) -> Move {
    (isAtEnd, offersNewest) = (true, false)
    return .toEnd(animated: animated)
  }
}
