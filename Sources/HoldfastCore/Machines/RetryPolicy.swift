/// When a message is tried again, and when the link is (SPEC O7, N3). Pure: the dice are handed in.
public struct RetryPolicy: Sendable, Hashable {
  /// The waits after the first, the second, … fault of a message. One attempt more than waits, then `failed`.
  public var delays: [Duration]
  /// The wait after the first fault of the link; it doubles with each that follows.
  public var linkBase: Duration
  /// No wait for the link is longer, but for one that the server asks for.
  public var linkCap: Duration
  /// The part of a wait that the dice decide, 0...1. It keeps a thousand phones from knocking at once.
  public var jitter: Double
  /// The wait of the link once the server has refused the credentials twice in a row: long, for it is the app that
  /// has to act, and not for ever, for it may be the server that was wrong.
  public var signedOutDelay: Duration
  /// How long a message may be on its way before the link is held to be broken.
  public var answerTimeout: Duration
  /// How often a message may leave, with the process ending before an answer came, until it is stopped.
  public var interruptionLimit: Int
  /// What a failed message means for those behind it in its conversation (SPEC O8).
  public var behindFailed: BehindFailed

  /// What a failed message means for those behind it in its conversation.
  public enum BehindFailed: String, Sendable, Hashable, Codable {
    /// They go. One that is tried again later goes behind what waits then.
    case pass
    /// They wait, until their user has retried or deleted it; tried again, it is where it was. It costs one pass over
    /// the outbox each time that messages of a conversation leave.
    case wait
  }

  public init(
    delays: [Duration] = [.seconds(1), .seconds(3)], linkBase: Duration = .milliseconds(500),
    linkCap: Duration = .seconds(30), jitter: Double = 0.3, signedOutDelay: Duration = .seconds(900),
    answerTimeout: Duration = .seconds(20), interruptionLimit: Int = 10,
    behindFailed: BehindFailed = .pass
  ) {
    self.delays = delays
    self.linkBase = linkBase
    self.linkCap = linkCap
    self.jitter = jitter
    self.signedOutDelay = signedOutDelay
    self.answerTimeout = answerTimeout
    self.interruptionLimit = interruptionLimit
    self.behindFailed = behindFailed
  }

  /// The wait after the `attempts`-th fault of a message. Nil: that was the last attempt.
  package func delay(afterAttempt attempts: Int, dice: Double) -> Duration? {
    guard attempts >= 1, attempts <= delays.count else { return nil }
    return jittered(delays[attempts - 1], dice: dice)
  }

  /// The wait after the `faults`-th fault of the link in a row.
  package func linkDelay(afterFault faults: Int, dice: Double) -> Duration {
    // Beyond 2^20 the cap has long been reached, and the shift stays defined.
    let doubled = linkBase * (1 << min(max(faults - 1, 0), 20))
    return jittered(min(doubled, linkCap), dice: dice)
  }

  /// The wait for new credentials.
  package func signedOutDelay(dice: Double) -> Duration { jittered(signedOutDelay, dice: dice) }

  /// The server's wish is never undercut; the dice lengthen a wait and never shorten it.
  private func jittered(_ delay: Duration, dice: Double) -> Duration {
    delay + delay * (jitter * dice)
  }
}
