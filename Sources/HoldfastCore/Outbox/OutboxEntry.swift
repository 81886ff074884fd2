import Foundation

/// A message or an operation that waits in the outbox, with the facts that a lane decides by.
package struct OutboxEntry: Equatable, Sendable {
  package var position: Int64
  package var id: MessageID
  /// The number of faults that were the entry's own.
  package var attempts: Int
  /// The number of times that the entry left this device and was not heard of since.
  package var unanswered: Int
  /// The ``WaitingClock``'s reading at the first of those departures. Nil when the entry has not left, when the
  /// server has refused it or does not have it, or when its user wants it sent again although it may have arrived.
  package var departedAt: Int64?
  /// Whether the entry is an operation. Carried out a second time, it has the same result as the first time.
  package var isOperation = false
  /// The message left, and was put behind other messages since. The server may have it in front of them.
  package var mayBeOutOfOrder = false
  /// The server does not have all of its attachments yet.
  package var waitsForUpload = false

  package init(
    position: Int64, id: MessageID, attempts: Int, unanswered: Int, departedAt: Int64? = nil,
    isOperation: Bool = false, mayBeOutOfOrder: Bool = false, waitsForUpload: Bool = false
  ) {
    self.position = position
    self.id = id
    self.attempts = attempts
    self.unanswered = unanswered
    self.departedAt = departedAt
    self.isOperation = isOperation
    self.mayBeOutOfOrder = mayBeOutOfOrder
    self.waitsForUpload = waitsForUpload
  }

}
