import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// The answer to ``MessageHandle/explain()``. On the actor, because it reads the outbox's lanes.
  func explanation(of id: MessageID) throws(ChatError) -> Explanation {
    let (stored, waitsForUpload) = try store.read {
      (
        try $0.standing(of: id, behindFailed: context.configuration.retry.behindFailed),
        try $0.nextUpload(of: id) != nil
      )
    }
    let progress = queue.progress(of: id, in: stored.conversation)
    let (uptime, date) = (environment.uptime(), environment.now())
    let standing = MessageStanding(
      place: stored.place, isRunning: isRunning, isOnItsWay: progress.isOnItsWay,
      isAskedAbout: progress.isAskedAbout, laneWaitsUntil: progress.waitsUntil,
      waitsForUpload: waitsForUpload, link: link.present, now: uptime)
    return standing.explain { date.addingTimeInterval(($0 - uptime) / .seconds(1)) }
  }
}
