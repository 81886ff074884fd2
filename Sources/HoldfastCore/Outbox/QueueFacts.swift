/// The stored facts about the queue of one conversation: the facts that its unsent messages and operations share.
/// Pure.
package struct QueueFacts: Equatable, Sendable {
  /// A message or an operation that is in the outbox.
  package struct Entry: Equatable, Sendable {
    package var id: MessageID
    package var position: Int64
    package var failure: FailureReason?
    package var isHeld: Bool
    /// For an operation: its message, while that is in the outbox too.
    package var target: Target?

    package init(
      id: MessageID, position: Int64, failure: FailureReason?, isHeld: Bool = false, target: Target? = nil
    ) {
      self.id = id
      self.position = position
      self.failure = failure
      self.isHeld = isHeld
      self.target = target
    }
  }

  /// The message of an operation.
  package struct Target: Equatable, Sendable {
    package var id: MessageID
    /// Whether the message has failed or is held.
    package var isStopped: Bool

    package init(id: MessageID, isStopped: Bool) {
      self.id = id
      self.isStopped = isStopped
    }
  }

  /// A failed message.
  package struct Stop: Equatable, Sendable {
    package var id: MessageID
    package var position: Int64

    package init(id: MessageID, position: Int64) {
      self.id = id
      self.position = position
    }
  }

  /// The reason why the server refuses the conversation. Nil when it does not.
  package var refusal: FailureReason?
  /// The first failed message that stops those behind it. Nil without a failed message, and where failed messages do
  /// not stop others.
  package var stop: Stop?
  /// The entry that is sent first. Nil when none can be sent.
  package var first: MessageID?

  package init(refusal: FailureReason? = nil, stop: Stop? = nil, first: MessageID? = nil) {
    self.refusal = refusal
    self.stop = stop
    self.first = first
  }

  /// The entry's place in the outbox. States that wait for the user come before states that pass by themselves.
  package func place(of entry: Entry) -> StatusFacts.Place {
    if let failure = entry.failure { return .failed(failure) }
    if entry.isHeld { return .held }
    if let target = entry.target, target.isStopped { return .dependent(on: target.id) }
    if let refusal { return .refused(refusal) }
    if let stop, stop.position < entry.position { return .afterFailure(stop.id) }
    if let target = entry.target { return .queued(behind: target.id) }
    return .queued(behind: first == entry.id ? nil : first)
  }
}
