import Foundation

/// An order from the demo to its relay to do something wrong: one JSON object a line.
struct FaultOrder: Sendable, Codable, Equatable {
  enum Kind: String, Sendable, Codable {
    /// Refuse `count` more messages for good.
    case refuse
    /// Refuse the whole conversation of `count` more messages.
    case refuseConversation
    /// Take `count` more hand-overs, and cut the connection before the receipt.
    case loseReceipts
    /// Serve no client for `seconds`.
    case unavailable
    /// Take a moment for each message, for `seconds`.
    case slow
    /// End all faults.
    case behave
  }

  var type: Kind
  var count: Int?
  var seconds: Int?
}

/// The faults of a relay at the moment: one JSON object a line, after each change.
struct FaultReport: Sendable, Codable, Equatable {
  /// The number of messages that are still to be refused.
  var refusals = 0
  /// The number of messages that are still to have their conversation refused.
  var conversationRefusals = 0
  /// The number of receipts that are still to be lost.
  var lostReceipts = 0
  /// The time from which the relay serves again, in milliseconds since 1970 by the relay's clock. Nil when it
  /// serves.
  var unavailableUntil: Int64?
  /// The time from which the relay is quick again, in the same unit. Nil when it is quick.
  var slowUntil: Int64?

  /// True when a line that the relay printed is a report.
  static func isReport(_ line: Data) -> Bool { line.first == UInt8(ascii: "{") }
}
