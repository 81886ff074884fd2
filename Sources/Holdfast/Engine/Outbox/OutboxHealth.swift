import HoldfastCore
import HoldfastStore

/// The state of the outbox in numbers (rule O17), without contents: fit for a diagnostics screen or a report.
public struct OutboxHealth: Sendable, Codable, Hashable {
  /// The times that messages took from the tap to the server's acknowledgement.
  ///
  /// Each value is the upper limit of a bucket, which is √2 times as wide as the bucket before it. So the true time is
  /// at most 30% lower. The times are counted over the life of the store. They include the time offline. A message
  /// counts when it was sent and delivered within one launch of the app. At most 10,000 messages are measured at once.
  public struct DeliveryTime: Sendable, Codable, Hashable {
    /// The number of measured messages.
    public var count: Int
    /// The time that half of the messages did not exceed.
    public var p50: Duration
    /// The time that 95 of 100 messages did not exceed.
    public var p95: Duration

    /// Times with these values, for previews and tests.
    public init(count: Int, p50: Duration, p95: Duration) {
      self.count = count
      self.p50 = p50
      self.p95 = p95
    }
  }

  /// The number of messages and operations that are sent automatically.
  public var waiting: Int
  /// The number of messages that wait for their user's answer.
  public var held: Int
  /// The number of messages and operations that failed.
  public var failed: Int
  /// The longest time that a waiting or held entry has waited. Nil when no entry waits. The time is never negative. It
  /// is too long only when the date was set forward while the app did not run.
  public var oldestWaited: Duration?
  /// The message or operation that has waited that long. Nil when no entry waits. Its ``MessageHandle/explain()``
  /// explains the queue.
  public var oldest: MessageID?
  /// The delivery times. Nil until a message has been measured.
  public var timeToDelivered: DeliveryTime?
  /// The state of the connection over which the messages are sent.
  public var connectivity: Connectivity
  /// Whether the server refuses the credentials: see ``ChatClient/needsCredentials``.
  public var needsCredentials: Bool

  /// The reason why the outbox could not be read. The numbers are then those of the last read, or 0. Nil while it can
  /// be read.
  public package(set) var problem: ChatError?

  /// An outbox with these numbers, for previews and tests.
  public init(
    waiting: Int, held: Int, failed: Int, oldestWaited: Duration? = nil, oldest: MessageID? = nil,
    timeToDelivered: DeliveryTime? = nil, connectivity: Connectivity = .online, needsCredentials: Bool = false
  ) {
    self.waiting = waiting
    self.held = held
    self.failed = failed
    self.oldestWaited = oldestWaited
    self.oldest = oldest
    self.timeToDelivered = timeToDelivered
    (self.connectivity, self.needsCredentials) = (connectivity, needsCredentials)
  }
}

extension EngineContext {
  /// The number of waiting messages, and of those among them that are sent automatically as soon as there is a link.
  func queueCounts() throws(ChatError) -> (waiting: Int, leaving: Int) {
    let afterFailure = configuration.retry.afterFailure
    return try store.read { db in
      let waiting = try db.outbox.queuedCount()
      return (waiting, try db.outbox.leavingCount(ofWaiting: waiting, afterFailure: afterFailure))
    }
  }

  func outboxHealth() throws(ChatError) -> OutboxHealth {
    let uptime = environment.uptime()
    let (depth, oldest, counts) = try store.read { db in
      (try db.outbox.depth(), try db.outbox.oldestQueued(), try db.metrics.counts(of: DeliveryTimes.metric))
    }
    var health = OutboxHealth(waiting: depth.waiting, held: depth.held, failed: depth.failed)
    health.oldestWaited = oldest.map { waitingClock.age(of: $0.reading, at: uptime) }
    health.oldest = oldest?.id
    if let p50 = DeliveryTimes.percentile(0.5, of: counts),
      let p95 = DeliveryTimes.percentile(0.95, of: counts)
    {
      health.timeToDelivered = OutboxHealth.DeliveryTime(
        count: counts.values.reduce(0, +), p50: p50, p95: p95)
    }
    return health
  }
}
