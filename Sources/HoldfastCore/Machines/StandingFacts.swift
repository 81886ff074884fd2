import Foundation

/// The facts that decide how a message stands: plain values, gathered at one instant. Pure.
package struct StandingFacts: Equatable, Sendable {
  /// The stored part of the facts.
  package enum Place: Equatable, Sendable {
    case unknown, delivered, held
    /// The message is not whole.
    case stream(isInterrupted: Bool)
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
  /// The number of attempts that failed by the message's own fault.
  package var attempts = 0
  /// The part of the attachments that the server has, from 0 to 1. Nil when the server lacks none.
  package var uploaded: Double?
  package var isRunning = true
  /// Whether the message's text goes on: this process writes or receives it, or another one may.
  package var isStreamed = false
  /// Whether the message has left on this connection.
  package var isOnItsWay = false
  /// Whether the server is asked if it has the message.
  package var isAskedAbout = false
  /// No message of the conversation leaves before this instant. Nil: messages leave at once.
  package var laneWaitsUntil: ChatEnvironment.Instant?
  package var link: LinkState
  package var now: ChatEnvironment.Instant

  package init(place: Place, link: LinkState, now: ChatEnvironment.Instant) {
    self.place = place
    self.link = link
    self.now = now
  }

  /// Returns the first standing that is true, in the order from final states to passing ones. The connection comes
  /// before the lane: without a connection, the order within the conversation does not matter.
  ///
  /// ```
  ///   unknown, delivered, stream, failed, held, dependent, refused, behind one that failed ► on its way ► not running
  ///     ► offline ► another process ► no answer ► waits for another ► looked up ► waits for a retry ► uploading
  ///     ► leaving
  /// ```
  package func standing(date: (ChatEnvironment.Instant) -> Date) -> MessageStanding {
    switch place {
    case .unknown: MessageStanding(.unknown)
    case .delivered: MessageStanding(.delivered)
    case .stream: MessageStanding(isStreamed ? .streaming : .interrupted)
    case .failed(let reason): MessageStanding(.failed, failure: reason)
    case .held: MessageStanding(.held)
    case .dependent(let message): MessageStanding(.waitsForItsMessage, waitsFor: message)
    case .refused(let reason): MessageStanding(.conversationRefused, failure: reason)
    case .behindFailed(let message): MessageStanding(.waitsForFailed, waitsFor: message)
    case .queued(let first): queued(behind: first, date: date)
    }
  }

  private func queued(
    behind first: MessageID?, date: (ChatEnvironment.Instant) -> Date
  ) -> MessageStanding {
    var standing =
      isOnItsWay ? MessageStanding(.onItsWay) : obstacleOfLink(date: date) ?? lane(behind: first, date: date)
    standing.attempts = attempts
    return standing
  }

  /// Nil when the server answers.
  private func obstacleOfLink(date: (ChatEnvironment.Instant) -> Date) -> MessageStanding? {
    guard isRunning else { return MessageStanding(.notRunning) }
    guard link.isPathUp else { return MessageStanding(.offline) }
    var standing = MessageStanding(codeOfFailure, linkFailure: link.failure?.reason)
    switch link.phase {
    case .online: return nil
    case .standingBy: return MessageStanding(.anotherProcessSends)
    // A time that has passed counts as now: the attempt is being made, or about to be.
    case .waiting(let until): standing.nextAttempt = date(max(until, now))
    case .due: standing.nextAttempt = date(now)
    case .connecting: break
    }
    return standing
  }

  private var codeOfFailure: MessageStanding.Code {
    switch link.failure?.reason {
    case .unauthorized: .signedOut
    case .storage:
      // The detail is the code of the store's error.
      switch ChatError.Code(rawValue: link.failure?.detail ?? "") {
      case .storageFull: .storageFull
      case .storageLocked: .storageLocked
      default: .storageFailed
      }
    case nil, .unreachable, .timedOut, .insecure, .unavailable, .incompatible: .reconnecting
    }
  }

  private func lane(
    behind first: MessageID?, date: (ChatEnvironment.Instant) -> Date
  ) -> MessageStanding {
    if let first { return MessageStanding(.waitsForAnother, waitsFor: first) }
    if isAskedAbout { return MessageStanding(.lookedUp) }
    if let wait = laneWaitsUntil, wait > now {
      return MessageStanding(.waitsForRetry, nextAttempt: date(wait))
    }
    if let uploaded { return MessageStanding(.uploading, progress: uploaded) }
    return MessageStanding(.leaving)
  }
}
