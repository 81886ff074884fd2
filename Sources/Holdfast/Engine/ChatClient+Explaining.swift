import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Says why a message has not gone, and when it is tried next (SPEC O17). For one that has, and for one that is
  /// not here, there is an answer too.
  ///
  /// ```swift
  /// let explanation = try await client.explain(id)
  /// if explanation.code == .signedOut { showLogin() }
  /// ```
  ///
  /// It holds for this instant; ``ExplanationModel`` asks again when another answer may be true. It costs a read of a
  /// few rows, or a pass over the outbox where a failed message stops those behind it, and changes nothing.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, when the store cannot be read.
  public func explain(_ id: MessageID) throws(ChatError) -> Explanation {
    let (stored, waitsForUpload) = try store.read {
      (
        try $0.standing(of: id, behindFailed: context.configuration.retry.behindFailed),
        try $0.nextUpload(of: id) != nil
      )
    }
    let progress = outbox.progress(of: id, in: stored.conversation)
    let (uptime, date) = (environment.uptime(), environment.now())
    let standing = MessageStanding(
      place: stored.place, isRunning: isRunning, isOnItsWay: progress.isOnItsWay,
      isAskedAbout: progress.isAskedAbout, laneWaitsUntil: progress.waitsUntil,
      waitsForUpload: waitsForUpload, link: link.present, now: uptime)
    return standing.explain { date.addingTimeInterval(($0 - uptime) / .seconds(1)) }
  }
}
