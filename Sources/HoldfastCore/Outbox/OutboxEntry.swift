import Foundation

/// A message or an operation that waits in the outbox, with the facts on which its lane decides.
package struct OutboxEntry: Equatable, Sendable {
  package var position: Int64
  package var id: MessageID
  /// The number of faults that were the entry's own.
  package var attempts: Int
  /// The number of transmissions of the entry since the server last responded about it.
  package var unanswered: Int
  /// The ``WaitingClock``'s time at the first of those transmissions. Nil when the entry was not transmitted, when
  /// the server has refused it or does not have it, or when its user wants it sent again although it may have
  /// arrived.
  package var firstSentAt: Int64?
  /// Whether the entry is an operation. Operations are idempotent.
  package var isOperation = false
  /// Whether the message was transmitted, and was put behind other messages since. The server may have it in front of
  /// them.
  package var mayBeOutOfOrder = false
  /// Whether the server lacks some of its attachments.
  package var waitsForUpload = false

  package init(
    position: Int64, id: MessageID, attempts: Int, unanswered: Int, firstSentAt: Int64? = nil,
    isOperation: Bool = false, mayBeOutOfOrder: Bool = false, waitsForUpload: Bool = false
  ) {
    self.position = position
    self.id = id
    self.attempts = attempts
    self.unanswered = unanswered
    self.firstSentAt = firstSentAt
    self.isOperation = isOperation
    self.mayBeOutOfOrder = mayBeOutOfOrder
    self.waitsForUpload = waitsForUpload
  }

}
