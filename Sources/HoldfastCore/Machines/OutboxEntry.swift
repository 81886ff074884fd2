import Foundation

/// A message or an operation that waits in the outbox, with what a lane decides by.
package struct OutboxEntry: Equatable, Sendable {
  package var position: Int64
  package var id: MessageID
  /// Faults that were its own.
  package var attempts: Int
  /// How often it left this device and nothing was heard of it since.
  package var unanswered: Int
  /// The ``WaitingClock``'s reading when it left first of those times. Nil: it has not left, or the server said no, or
  /// its user wants it sent again although it may have arrived.
  package var departedAt: Int64?
  /// It is no message: carried out a second time, it leads to what it led to before.
  package var isOperation = false
  /// The message left, and was put behind others since. The server may have it in front of them.
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
