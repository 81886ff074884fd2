import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// The explanation that ``MessageHandle/explain()`` returns.
  nonisolated func explanation(of id: MessageID) throws(ChatError) -> Explanation {
    let streams = live.streams
    let stored = try store.read {
      try $0.outbox.status(of: id, behindFailed: context.configuration.retry.behindFailed)
    }
    let moment = StatusMoment(context, of: stored.conversation, streams: streams)
    return Explanation(
      moment.status(
        of: id, at: stored.place, attempts: stored.attempts, attachments: stored.attachments)
    ).worded(with: configuration.texts)
  }
}
