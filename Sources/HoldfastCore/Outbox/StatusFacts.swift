import Foundation

/// The facts that decide a message's status: plain values, gathered at one instant. Pure.
package struct StatusFacts: Equatable, Sendable {
  /// The stored part of the facts.
  package enum Place: Equatable, Sendable {
    case unknown, delivered, held
    /// The message is incomplete. The failure is the one that ended it, if any.
    case stream(isInterrupted: Bool, failure: FailureReason?)
    case failed(FailureReason)
    /// The message is in the queue of a conversation that the server refuses.
    case refused(FailureReason)
    /// The message is in the queue behind a failed message, where a failed message stops those behind it.
    case afterFailure(MessageID)
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
  /// Whether the message's text still grows: this process writes or receives it, or another process may.
  package var isStreamed = false
  /// Whether the message was transmitted on this connection.
  package var isOnItsWay = false
  /// Whether the server is asked if it has the message.
  package var isAskedAbout = false
  /// No message of the conversation is sent before this date. Nil: messages are sent at once.
  package var retryAt: Date?
  /// The date of the next attempt to connect. Nil when none is due.
  package var connectsAt: Date?
  package var link: LinkState

  package init(place: Place, link: LinkState) {
    self.place = place
    self.link = link
  }

  /// Returns the first status that is true, in the order from final states to passing ones. The connection comes
  /// before the lane: without a connection, the order within the conversation does not matter.
  ///
  /// ```
  ///   unknown, delivered, stream, failed, held, dependent, refused, behind one that failed ► on its way ► not running
  ///     ► offline ► another process ► no answer ► waits for another ► looked up ► waits for a retry ► uploading
  ///     ► leaving
  /// ```
  package var status: MessageStatus {
    switch place {
    case .unknown: MessageStatus(.unknown)
    case .delivered: MessageStatus(.delivered)
    case .stream where isStreamed: MessageStatus(.streaming)
    case .stream(_, let failure): MessageStatus(failure == nil ? .interrupted : .failed, failure: failure)
    case .failed(let reason): MessageStatus(.failed, failure: reason)
    case .held: MessageStatus(.held)
    case .dependent(let message): MessageStatus(.waitsForItsMessage, waitsFor: message)
    case .refused(let reason): MessageStatus(.conversationRefused, failure: reason)
    case .afterFailure(let message): MessageStatus(.waitsForFailed, waitsFor: message)
    case .queued(let first): queued(behind: first)
    }
  }

  private func queued(behind first: MessageID?) -> MessageStatus {
    var status = isOnItsWay ? MessageStatus(.awaitingAnswer) : obstacleOfLink ?? lane(behind: first)
    status.attempts = attempts
    return status
  }

  /// Nil when the server answers.
  private var obstacleOfLink: MessageStatus? {
    guard isRunning else { return MessageStatus(.notRunning) }
    guard link.isPathUp else { return MessageStatus(.offline) }
    switch link.phase {
    case .online: return nil
    case .standby: return MessageStatus(.anotherProcessSends)
    case .waiting, .due, .connecting:
      return MessageStatus(
        codeOfFailure, nextAttempt: connectsAt, connectionFailure: link.failure?.reason)
    }
  }

  private var codeOfFailure: MessageStatus.Code {
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

  private func lane(behind first: MessageID?) -> MessageStatus {
    if let first { return MessageStatus(.waitsForAnother, waitsFor: first) }
    if isAskedAbout { return MessageStatus(.checking) }
    if let retryAt { return MessageStatus(.waitsForRetry, nextAttempt: retryAt) }
    if let uploaded { return MessageStatus(.uploading, progress: uploaded) }
    return MessageStatus(.sending)
  }
}
