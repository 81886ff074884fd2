extension ChatConfiguration.ShownText.Status {
  /// The line under a message with this status. Nil when there is nothing to report: its time is shown instead.
  package init?(_ status: MessageStatus) {
    switch status.code {
    case .unknown, .delivered, .streaming: return nil
    case .interrupted: self = .interrupted
    case .awaitingAnswer, .sending: self = .sending
    case .uploading: self = .uploading
    case .checking: self = .checking
    case .waitsForRetry: self = .waitsForRetry
    case .waitsForAnother: self = .waitsForAnother
    case .waitsForFailed: self = .waitsForFailed
    case .waitsForItsMessage: self = .waitsForItsMessage
    case .conversationRefused where status.failure?.cause == .membersUnknown:
      self = .conversationWithoutMembers
    case .conversationRefused: self = .conversationRefused
    case .held: self = .held
    case .failed where status.failure?.code == .outcomeUnknown: self = .outcomeUnknown
    case .failed where status.failure?.code == .replyFailed: self = .replyFailed
    case .failed: self = .failed
    case .anotherProcessSends: self = .anotherProcessSends
    case .signedOut: self = .signedOut
    case .storageFull: self = .storageFull
    case .storageLocked: self = .storageLocked
    case .storageFailed: self = .storageFailed
    default: self = .offline
    }
  }
}

extension ChatConfiguration.ShownText.Sentence {
  /// The explanation of a status. Nil when its failure has a sentence.
  package init?(_ status: MessageStatus) {
    switch status.code {
    case .unknown: self = .unknown
    case .delivered: self = .delivered
    case .streaming: self = .streaming
    case .interrupted: self = .interrupted
    case .awaitingAnswer: self = .awaitingAnswer
    case .sending: self = .sending
    case .uploading: self = .uploading
    case .checking: self = .checking
    case .waitsForRetry: self = .waitsForRetry
    case .waitsForAnother: self = .waitsForAnother
    case .waitsForFailed: self = .waitsForFailed
    case .waitsForItsMessage: self = .waitsForItsMessage
    case .conversationRefused, .failed: return nil
    case .held: self = .held
    case .notRunning: self = .notRunning
    case .offline: self = .offline
    case .anotherProcessSends: self = .anotherProcessSends
    case .signedOut: self = .signedOut
    case .storageFull: self = .storageFull
    case .storageLocked: self = .storageLocked
    case .storageFailed: self = .storageFailed
    default: self.init(status.connectionFailure)
    }
  }

  private init(_ failure: ConnectionFailure.Reason?) {
    switch failure {
    case nil, .unauthorized, .storage: self = .connecting
    case .unreachable: self = .unreachable
    case .timedOut: self = .timedOut
    case .insecure: self = .insecure
    case .unavailable: self = .unavailable
    case .incompatible: self = .incompatible
    }
  }
}
