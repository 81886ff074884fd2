import Foundation

/// An order from the demo to its relay to inject a fault: one JSON object per line.
package struct FaultOrder: Sendable, Codable, Equatable {
  package enum Kind: String, Sendable, Codable {
    /// Reject the next `count` messages permanently.
    case refuse
    /// Refuse the whole conversation of the next `count` messages.
    case refuseConversation
    /// Fail the next `count` messages once.
    case fail
    /// Accept the next `count` transmissions, and cut the connection before the receipt.
    case loseReceipts
    /// Serve no client for `seconds`.
    case unavailable
    /// Delay each message, for `seconds`.
    case slow
    /// Give `conversation` the ID `to`, and notify its members.
    case rename
    /// Delete `conversation` for everyone, and notify its members.
    case remove
    /// End all faults.
    case behave
  }

  package var type: Kind
  package var count: Int?
  package var seconds: Int?
  package var conversation: String?
  package var to: String?

  package init(
    type: Kind, count: Int? = nil, seconds: Int? = nil, conversation: String? = nil, to: String? = nil
  ) {
    (self.type, self.count, self.seconds) = (type, count, seconds)
    (self.conversation, self.to) = (conversation, to)
  }
}

/// The active faults of a relay: one JSON object per line, after each change.
package struct FaultReport: Sendable, Codable, Equatable {
  /// The number of messages that are still to be refused.
  package var refusals = 0
  /// The number of messages whose conversation is still to be refused.
  package var conversationRefusals = 0
  /// The number of messages that are still to fail once. Nil when there are none.
  package var failures: Int?
  /// The number of conversations that were given another ID, or deleted for everyone, since the start. Nil when there
  /// are none.
  package var changedConversations: Int?
  /// The number of receipts that are still to be lost.
  package var lostReceipts = 0
  /// The time from which the relay serves again, in milliseconds since 1970 by the relay's clock. Nil when it
  /// serves.
  package var unavailableUntil: Int64?
  /// The time from which the relay is fast again, in the same unit. Nil when it is fast.
  package var slowUntil: Int64?

  package init(
    refusals: Int = 0, conversationRefusals: Int = 0, failures: Int? = nil,
    changedConversations: Int? = nil, lostReceipts: Int = 0, unavailableUntil: Int64? = nil,
    slowUntil: Int64? = nil
  ) {
    self.changedConversations = changedConversations
    (self.refusals, self.conversationRefusals) = (refusals, conversationRefusals)
    (self.failures, self.lostReceipts) = (failures, lostReceipts)
    (self.unavailableUntil, self.slowUntil) = (unavailableUntil, slowUntil)
  }

  /// Whether no fault is injected at the moment.
  package var isQuiet: Bool {
    var faults = self
    faults.changedConversations = nil
    return faults == FaultReport()
  }

  /// Whether a line of the relay's output is a report.
  package static func isReport(_ line: Data) -> Bool { line.first == UInt8(ascii: "{") }
}
