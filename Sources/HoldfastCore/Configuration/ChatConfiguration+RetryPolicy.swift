extension ChatConfiguration {
  /// The times at which a message is sent again, and at which the connection is made again (rules O7, N3). Pure: the
  /// random numbers are passed in.
  public struct RetryPolicy: Sendable, Hashable {
    /// The waits after the first, the second, … fault of a message. There is one attempt more than there are waits;
    /// then the message is `failed`. By default there are three retries: at once, after 1 s, and after 3 s.
    public var delays: [Duration]
    /// The wait after the first fault of the connection. It doubles with each fault that follows.
    public var reconnectDelay: Duration
    /// The longest wait for the connection, before the jitter lengthens it. A wait that the server asks for may be
    /// longer.
    public var longestReconnectDelay: Duration
    /// The random part of a wait, 0...1. It keeps a thousand phones from connecting at once.
    public var jitter: Double
    /// The wait of the connection once the server has refused the credentials twice in a row. It is long, because the
    /// app has to act, and not endless, because the server may have been wrong.
    public var signedOutDelay: Duration
    /// The time that a transmission may stay unacknowledged before the connection counts as broken.
    public var answerTimeout: Duration
    /// The number of times that the process may end between the transmission of a message and its acknowledgement.
    /// Then the message fails.
    public var interruptionLimit: Int
    /// The effect of a failed message on the messages behind it in its conversation (rule O8).
    public var afterFailure: AfterFailure

    /// The effect of a failed message on the messages behind it in its conversation.
    public enum AfterFailure: String, Sendable, Hashable, Codable {
      /// The messages behind it are sent. The failed message, once retried, goes to the end of the queue.
      case `continue`
      /// The messages behind it wait until the user has retried or deleted it (head-of-line blocking). Once retried,
      /// it keeps its place. Each time that messages of a conversation are sent, this costs one pass over the outbox.
      case block
    }

    /// The recommended policy, except for the values that are given.
    public init(
      delays: [Duration] = [.zero, .seconds(1), .seconds(3)], reconnectDelay: Duration = .milliseconds(500),
      longestReconnectDelay: Duration = .seconds(30), jitter: Double = 0.3,
      signedOutDelay: Duration = .seconds(900),
      answerTimeout: Duration = .seconds(20), interruptionLimit: Int = 10,
      afterFailure: AfterFailure = .continue
    ) {
      self.delays = delays
      self.reconnectDelay = reconnectDelay
      self.longestReconnectDelay = longestReconnectDelay
      self.jitter = jitter
      self.signedOutDelay = signedOutDelay
      self.answerTimeout = answerTimeout
      self.interruptionLimit = interruptionLimit
      self.afterFailure = afterFailure
    }

    /// The wait after the `attempts`-th fault of a message. Nil when that was the last attempt.
    package func delay(afterAttempt attempts: Int, dice: Double) -> Duration? {
      guard attempts >= 1, attempts <= delays.count else { return nil }
      return jittered(delays[attempts - 1], dice: dice)
    }

    /// The wait after the `faults`-th fault of the connection in a row.
    package func reconnectDelay(afterFault faults: Int, dice: Double) -> Duration {
      // Beyond 2^20 the cap has long been reached, and the shift stays defined.
      let doubled = reconnectDelay * (1 << min(max(faults - 1, 0), 20))
      return jittered(min(doubled, longestReconnectDelay), dice: dice)
    }

    /// The wait for new credentials.
    package func signedOutDelay(dice: Double) -> Duration { jittered(signedOutDelay, dice: dice) }

    /// The jitter lengthens a wait and never shortens it, so that a wait which the server asked for is never
    /// undercut.
    private func jittered(_ delay: Duration, dice: Double) -> Duration {
      delay + delay * (jitter * dice)
    }
  }
}
