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
  /// It holds for this instant; ``ExplanationModel`` asks again when another answer may be true. Its
  /// ``Explanation/standing`` is the one that the message's row has. It costs a read of a few rows, or a pass over the
  /// outbox where a failed message stops those behind it, and changes nothing.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, when the store cannot be read.
  public func explain(_ id: MessageID) throws(ChatError) -> Explanation {
    let stored = try store.read { try $0.standing(of: id, behindFailed: context.policy.behindFailed) }
    let moment = StandingMoment(context, of: stored.conversation)
    return Explanation(
      moment.standing(
        of: id, at: stored.place, attempts: stored.attempts, attachments: stored.attachments))
  }
}
