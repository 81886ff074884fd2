import Foundation

/// The banner that a composer shows about its draft, and until when (rules D10, D11). Pure.
///
/// ```
///   opened, from an earlier session or an hour old ──► recovered ──typed, sent──► (nothing)
///   opened, a week old ──► old ──Keep, typed──► (nothing)
///   recovered, old ──Discard──► discarded ──Undo, sent, 8 s──► (nothing)
/// ```
package struct DraftBannerState: Equatable, Sendable {
  static let oldAfter: TimeInterval = 7 * 86_400
  package static let undoFor: Duration = .seconds(8)

  private enum Phase: Equatable {
    case nothing
    case restored(writtenAt: Date, isOld: Bool)
    case discarded(DraftContent, writtenAt: Date, until: ChatEnvironment.Instant)
  }
  private var phase = Phase.nothing

  package init() {

  }

  /// The composer shows a stored draft. `writtenAt` is nil when there was none.
  ///
  /// - Parameter recoveredAfter: the age from which a draft of this session is worth a banner.
  package mutating func opened(
    writtenAt: Date?, isFromEarlierSession: Bool, now: Date, recoveredAfter: Duration
  ) {
    guard let writtenAt else { return phase = .nothing }
    let age = now.timeIntervalSince(writtenAt)
    guard isFromEarlierSession || age > recoveredAfter / .seconds(1) else { return phase = .nothing }
    phase = .restored(writtenAt: writtenAt, isOld: age > Self.oldAfter)
  }

  /// Whether the banner is about a restored draft, and not about a discarded one.
  package var isAboutRestored: Bool {
    if case .restored = phase { true } else { false }
  }

  /// The user sent the draft, or tapped Keep.
  package mutating func kept() { phase = .nothing }

  /// The user continues with the restored text. Undo stays: it brings the discarded text back in front of the typed
  /// text.
  package mutating func typed() {
    if case .restored = phase { phase = .nothing }
  }

  /// Holds the discarded content, in memory only, for as long as Undo is offered.
  package mutating func discarded(_ content: DraftContent, writtenAt: Date, at now: ChatEnvironment.Instant) {
    phase = .discarded(content, writtenAt: writtenAt, until: now + Self.undoFor)
  }

  /// Returns the discarded content. Nil when it is too late.
  package mutating func undone(at now: ChatEnvironment.Instant) -> DraftContent? {
    guard case .discarded(let content, _, let end) = phase, now < end else { return nil }
    phase = .nothing
    return content
  }

  /// The banner that is shown now. The discarded content is forgotten together with its banner.
  package mutating func banner(now: ChatEnvironment.Instant, date: Date) -> DraftBanner? {
    switch phase {
    case .nothing: return nil
    case .restored(let writtenAt, let isOld):
      let age = DraftBanner.Age(of: writtenAt, from: date)
      return DraftBanner(kind: isOld ? .old : .recovered, writtenAt: writtenAt, age: age)
    case .discarded(_, let writtenAt, let end):
      guard now < end else {
        phase = .nothing
        return nil
      }
      return DraftBanner(
        kind: .discarded, writtenAt: writtenAt, age: DraftBanner.Age(of: writtenAt, from: date))
    }
  }

  /// The time at which the banner changes by itself: the age in its text grows by the minute, and Undo expires. Nil
  /// when there is no banner.
  package func deadline(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant? {
    switch phase {
    case .nothing: nil
    case .restored: now + .seconds(60)
    case .discarded(_, _, let end): end
    }
  }
}
