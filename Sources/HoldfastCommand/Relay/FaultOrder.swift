import Foundation

/// What the demo tells its relay to do wrong: one JSON object a line.
struct FaultOrder: Sendable, Codable, Equatable {
  enum Kind: String, Sendable, Codable {
    /// Refuse `count` more messages for good.
    case refuse
    /// Refuse the whole conversation of `count` more messages.
    case refuseConversation
    /// Take `count` more hand-overs, and cut the connection before the receipt.
    case loseReceipts
    /// Serve nobody for `seconds`.
    case unavailable
    /// Take a moment for each message, for `seconds`.
    case slow
    /// Do nothing wrong any more.
    case behave
  }

  var type: Kind
  var count: Int?
  var seconds: Int?
}

/// What a relay does wrong at the moment: one JSON object a line, after each change.
struct FaultReport: Sendable, Codable, Equatable {
  /// How many messages are still to be refused.
  var refusals = 0
  /// How many messages are still to have their conversation refused.
  var conversationRefusals = 0
  /// How many receipts are still to be lost.
  var lostReceipts = 0
  /// In milliseconds since 1970, on the relay's date. Nil: it serves.
  var unavailableUntil: Int64?
  /// The same: until when it takes its time. Nil: it is quick.
  var slowUntil: Int64?

  /// The report in a line that the relay printed, if it is one.
  static func isReport(_ line: Data) -> Bool { line.first == UInt8(ascii: "{") }
}
