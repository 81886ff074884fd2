import Holdfast
import HoldfastRelay

/// The faults that a relay injects on request, and its responses in the server's place. Pure.
///
/// ```
///   refuse n             ► the next n acceptable messages are rejected
///   refuseConversation n ► the same, and each response says that the conversation is refused
///   fail n               ► the next n acceptable messages fail once
///   unavailable t        ► 503 for new connections, `busy` for messages, until t has passed
///   slow t               ► a delay for each message and each other frame, until t has passed
///   loseReceipts n       ► the next n transmissions are accepted, and their responses are lost
///   behave               ► all of these end
/// ```
///
/// The responses keep the server's promises (`docs/wire.md`). Only a message that the server does not have is
/// refused. Every copy of a refused message gets the same response, also a late copy from an older connection.
package struct InjectedFaults: Sendable {
  /// One transmission of a message. Transmissions are ordered by connection and number.
  struct Handover: Sendable, Comparable {
    var connection: Int
    var number: Int64

    static func < (left: Handover, right: Handover) -> Bool {
      (left.connection, left.number) < (right.connection, right.number)
    }
  }

  /// The limits of each fault, however often it is ordered, so that a mistake ends by itself.
  private static let counts = 1...100
  private static let seconds = 1...600

  /// The delay of a slow relay: long enough to be seen, and short enough that no connection times out.
  package static let slowness: Duration = .milliseconds(80)

  package private(set) var refusals = 0
  package private(set) var conversationRefusals = 0
  package private(set) var failures = 0
  package private(set) var lostReceipts = 0
  /// The number of orders about a whole conversation that the server has carried out.
  package var changedConversations = 0
  private var unavailableUntil: ChatEnvironment.Instant?
  private var slowUntil: ChatEnvironment.Instant?
  /// The newest transmission of each refused message, and its response.
  private var refused: [String: (handover: Handover, answer: Wire.Refused)] = [:]

  package init() {}

  package mutating func obey(_ order: FaultOrder, now: ChatEnvironment.Instant) {
    let count = Self.limit(order.count, to: Self.counts)
    switch order.type {
    case .refuse: refusals = Self.limit(refusals + count, to: Self.counts)
    case .refuseConversation:
      conversationRefusals = Self.limit(conversationRefusals + count, to: Self.counts)
    case .fail: failures = Self.limit(failures + count, to: Self.counts)
    case .loseReceipts: lostReceipts = Self.limit(lostReceipts + count, to: Self.counts)
    case .unavailable: unavailableUntil = now + .seconds(Self.limit(order.seconds, to: Self.seconds))
    case .slow: slowUntil = now + .seconds(Self.limit(order.seconds, to: Self.seconds))
    // The server carries these out itself.
    case .rename, .remove: break
    case .behave:
      (refusals, conversationRefusals, failures, lostReceipts) = (0, 0, 0, 0)
      (unavailableUntil, slowUntil) = (nil, nil)
    }
  }

  /// The time until which no client is served. Nil when all clients are served.
  package func unavailable(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant? {
    unavailableUntil.flatMap { $0 > now ? $0 : nil }
  }

  /// The time until which each message is delayed. Nil when none is.
  package func slow(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant? {
    slowUntil.flatMap { $0 > now ? $0 : nil }
  }

  /// The messages of one transmission that the server gets. The others are answered here.
  ///
  /// - Parameter accepted: the IDs that the server has, of these messages and of their predecessors.
  package mutating func intercept(
    _ messages: [Wire.Outgoing], accepted: Set<String>, on connection: Int, now: ChatEnvironment.Instant
  ) -> (passed: [Wire.Outgoing], answers: [Wire.Refused]) {
    var passed: [Wire.Outgoing] = []
    var answers: [Wire.Refused] = []
    for message in messages {
      if !accepted.contains(message.id),
        let answer = refusal(of: message, accepted: accepted, on: connection, now: now)
      {
        answers.append(answer)
      } else {
        passed.append(message)
      }
    }
    return (passed, answers)
  }

  /// Whether the response to this transmission is to be lost. A lost response is counted.
  package mutating func losesReceipt() -> Bool {
    guard lostReceipts > 0 else { return false }
    lostReceipts -= 1
    return true
  }

  private mutating func refusal(
    of message: Wire.Outgoing, accepted: Set<String>, on connection: Int, now: ChatEnvironment.Instant
  ) -> Wire.Refused? {
    let handover = Handover(connection: connection, number: message.handover)
    if let earlier = refused[message.id], handover <= earlier.handover {
      var answer = earlier.answer
      answer.handover = message.handover
      return answer
    }
    // The server checks no message whose predecessor it lacks. The response to that message is left to the server.
    guard message.predecessor.map(accepted.contains) ?? true else { return nil }
    guard let answer = answer(to: message, now: now) else { return nil }
    refused[message.id] = (handover, answer)
    return answer
  }

  private mutating func answer(to message: Wire.Outgoing, now: ChatEnvironment.Instant) -> Wire.Refused? {
    if let end = unavailable(now: now) {
      return Wire.Refused(
        id: message.id, handover: message.handover, kind: .busy,
        retryAfter: max(1, Int64(((end - now) / .milliseconds(1)).rounded(.up))))
    }
    if conversationRefusals > 0 {
      conversationRefusals -= 1
      return Self.rejected(
        message, .conversationRefused, "The server refused this conversation on request.")
    }
    if failures > 0 {
      failures -= 1
      return Wire.Refused(id: message.id, handover: message.handover, kind: .transient)
    }
    guard refusals > 0 else { return nil }
    refusals -= 1
    return Self.rejected(message, .rejected, "The server refused this message on request.")
  }

  private static func rejected(
    _ message: Wire.Outgoing, _ code: FailureReason.Code, _ sentence: String
  ) -> Wire.Refused {
    Wire.Refused(
      id: message.id, handover: message.handover, kind: .rejected, code: code.rawValue, explanation: sentence)
  }

  private static func limit(_ wish: Int?, to range: ClosedRange<Int>) -> Int {
    min(max(wish ?? range.lowerBound, range.lowerBound), range.upperBound)
  }
}
