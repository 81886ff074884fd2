import Foundation

/// The reason why a message, or an operation on one, has not gone, and when it is tried next (SPEC O17). It never
/// carries contents.
///
/// ```swift
/// let explanation = try await client.message(id).explain()
/// label.text = explanation.sentence               // "This message will send automatically when …"
/// if let next = explanation.nextAttempt { clock.count(downTo: next) }
/// ```
public struct Explanation: Sendable, Codable, Hashable {
  /// A code that can be compared. Codes are added over time, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Codable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// No such message exists: it was deleted, taken back, or never here.
    public static let unknown = Code(rawValue: "unknown")
    /// The server has the message.
    public static let delivered = Code(rawValue: "delivered")
    /// The message has left, and the server's answer is awaited.
    public static let onItsWay = Code(rawValue: "onItsWay")
    /// Nothing stands in the message's way: it leaves at this moment.
    public static let leaving = Code(rawValue: "leaving")
    /// The message failed, for ``Explanation/failure``, and waits for its user.
    public static let failed = Code(rawValue: "failed")
    /// The message waited so long that its user is asked before it is sent.
    public static let held = Code(rawValue: "held")
    /// The app does not run the client.
    public static let notRunning = Code(rawValue: "notRunning")
    /// The device has no network.
    public static let offline = Code(rawValue: "offline")
    /// Another process of the app has the connection, and sends the message.
    public static let anotherProcessSends = Code(rawValue: "anotherProcessSends")
    /// The server does not answer, for ``Explanation/linkFailure``. That is nil while the first answer is awaited.
    public static let reconnecting = Code(rawValue: "reconnecting")
    /// The server refuses the credentials: the app must give new ones.
    public static let signedOut = Code(rawValue: "signedOut")
    /// The disk is full: what the server sent could not be stored.
    public static let storageFull = Code(rawValue: "storageFull")
    /// The store is protected until the device is unlocked.
    public static let storageLocked = Code(rawValue: "storageLocked")
    /// The store fails in another way.
    public static let storageFailed = Code(rawValue: "storageFailed")
    /// The server did not take the message, or asked for patience. The message is tried again at
    /// ``Explanation/nextAttempt``.
    public static let waitsForRetry = Code(rawValue: "waitsForRetry")
    /// The message's attachments are on their way to the server, and the message follows them.
    public static let uploading = Code(rawValue: "uploading")
    /// Another message, ``Explanation/waitsFor``, goes first.
    public static let waitsForAnother = Code(rawValue: "waitsForAnother")
    /// The server refuses the whole conversation, for ``Explanation/failure``: none of its messages is tried.
    public static let conversationRefused = Code(rawValue: "conversationRefused")
    /// The message may have arrived, and the server is asked whether it did.
    public static let lookedUp = Code(rawValue: "lookedUp")
  }

  public var code: Code
  /// One or two sentences for the user. Never contents.
  public var sentence: String
  /// The time of the next attempt, on the device's clock. Nil when there is none, or when something else has to
  /// happen first.
  public var nextAttempt: Date?
  /// The reason why there is no connection. Nil when the connection is not the cause, or when nothing has failed
  /// yet.
  public var linkFailure: LinkFailure.Reason?
  /// The reason why the message failed, or why its conversation is refused. Nil when neither is the case.
  public var failure: FailureReason?
  /// The oldest message of the conversation that goes before this message. Nil unless the message waits for
  /// another.
  public var waitsFor: MessageID?

  package init(_ code: Code, _ sentence: String) {
    self.code = code
    self.sentence = sentence
  }
}

/// The facts that decide why a message has not gone: plain values, gathered at one instant.
package struct MessageStanding: Equatable, Sendable {
  package enum Place: Equatable, Sendable {
    case unknown, delivered, held
    case failed(FailureReason)
    /// The message is in the queue of a conversation that the server refuses.
    case refused(FailureReason)
    /// The message is in the queue behind a failed message, where a failed message stops those behind it.
    case behindFailed(MessageID)
    /// The message is in the queue behind the message that goes first. An operation is behind its own message if
    /// that is in the queue too. Nil when the message goes first itself.
    case queued(behind: MessageID?)
    /// The entry is an operation on a message that has failed or is held.
    case dependent(on: MessageID)
  }

  package var place: Place
  package var isRunning = true
  /// Whether the message has left on this connection.
  package var isOnItsWay = false
  /// Whether the server is asked if it has the message.
  package var isAskedAbout = false
  /// No message of the conversation leaves before this instant. Nil: messages leave at once.
  package var laneWaitsUntil: ChatEnvironment.Instant?
  /// Whether the server lacks some of the message's attachments.
  package var waitsForUpload = false
  package var link: LinkState
  package var now: ChatEnvironment.Instant

  package init(
    place: Place, isRunning: Bool = true, isOnItsWay: Bool = false, isAskedAbout: Bool = false,
    laneWaitsUntil: ChatEnvironment.Instant? = nil, waitsForUpload: Bool = false, link: LinkState,
    now: ChatEnvironment.Instant
  ) {
    self.place = place
    self.isRunning = isRunning
    self.isOnItsWay = isOnItsWay
    self.isAskedAbout = isAskedAbout
    self.laneWaitsUntil = laneWaitsUntil
    self.waitsForUpload = waitsForUpload
    self.link = link
    self.now = now
  }

  /// Returns the first explanation that is true, in the order from final states to passing ones. The connection
  /// comes before the lane: without a connection, the order within the conversation does not matter.
  ///
  /// ```
  ///   unknown, delivered, failed, held, dependent, refused, behind one that failed ► on its way ► not running ► offline
  ///     ► another process ► no answer ► waits ► looked up ► uploading ► leaving
  /// ```
  package func explain(date: (ChatEnvironment.Instant) -> Date) -> Explanation {
    let first: MessageID?
    switch place {
    case .unknown: return Explanation(.unknown, "This message does not exist.")
    case .delivered: return Explanation(.delivered, "The message has been delivered.")
    case .failed(let reason):
      var explanation = Explanation(.failed, reason.explanation)
      explanation.failure = reason
      return explanation
    case .held:
      return Explanation(.held, "The message has waited for a long time. Decide whether to send it.")
    case .dependent(let message):
      var explanation = Explanation(
        .waitsForAnother, "It waits for its message, which has failed or is held. Decide about that first.")
      explanation.waitsFor = message
      return explanation
    case .refused(let reason):
      var explanation = Explanation(.conversationRefused, reason.explanation)
      explanation.failure = reason
      return explanation
    case .behindFailed(let id):
      var explanation = Explanation(
        .waitsForAnother, "An earlier message of the conversation has failed. Retry or delete it first.")
      explanation.waitsFor = id
      return explanation
    case .queued(let behind): first = behind
    }
    if isOnItsWay { return Explanation(.onItsWay, "The message is on its way to the server.") }
    guard isRunning else {
      return Explanation(.notRunning, "The message is sent when the app is connected again.")
    }
    guard link.isPathUp else {
      return Explanation(.offline, "This message will send automatically when you're back online.")
    }
    guard link.phase != .standingBy else {
      return Explanation(.anotherProcessSends, "Another part of the app sends the message.")
    }
    guard link.phase == .online else { return explainLink(date: date) }
    if let first {
      var explanation = Explanation(.waitsForAnother, "An earlier message of the conversation is sent first.")
      explanation.waitsFor = first
      return explanation
    }
    if isAskedAbout {
      return Explanation(.lookedUp, "The message may have arrived. The app is asking the server.")
    }
    if let wait = laneWaitsUntil, wait > now {
      var explanation = Explanation(
        .waitsForRetry, "The server could not accept the message. It is sent again automatically.")
      explanation.nextAttempt = date(wait)
      return explanation
    }
    if waitsForUpload {
      return Explanation(.uploading, "The attachments are on their way to the server. The message follows.")
    }
    return Explanation(.leaving, "The message is about to be sent.")
  }

  private func explainLink(date: (ChatEnvironment.Instant) -> Date) -> Explanation {
    var explanation = Self.sentence(on: link.failure)
    explanation.linkFailure = link.failure?.reason
    switch link.phase {
    // A time that has passed counts as now: the attempt is being made, or about to be.
    case .waiting(let until): explanation.nextAttempt = date(max(until, now))
    case .due: explanation.nextAttempt = date(now)
    case .connecting, .online, .standingBy: break
    }
    return explanation
  }

  private static func sentence(on failure: LinkFailure?) -> Explanation {
    switch failure?.reason {
    case nil: Explanation(.reconnecting, "The app is connecting to the server.")
    case .unreachable: Explanation(.reconnecting, "The server cannot be reached.")
    case .timedOut: Explanation(.reconnecting, "The server did not answer in time.")
    case .insecure:
      Explanation(
        .reconnecting,
        "No secure connection can be made. Check the date, and whether the network asks for a login.")
    case .unavailable: Explanation(.reconnecting, "The server is not available at the moment.")
    case .incompatible: Explanation(.reconnecting, "The server does not understand this version of the app.")
    case .unauthorized: Explanation(.signedOut, "You are signed out. Sign in to send the message.")
    case .storage: sentence(onStorage: failure?.detail ?? "")
    }
  }

  /// The detail is the code of the store's error, where the store has failed.
  private static func sentence(onStorage detail: String) -> Explanation {
    switch ChatError.Code(rawValue: detail) {
    case .storageFull: Explanation(.storageFull, "The disk is full. Free some space to send the message.")
    case .storageLocked: Explanation(.storageLocked, "The message is sent when the device is unlocked.")
    default:
      Explanation(.storageFailed, "The store on this device fails. The message is sent again automatically.")
    }
  }
}
