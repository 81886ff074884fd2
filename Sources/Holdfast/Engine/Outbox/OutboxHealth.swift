import HoldfastCore
import HoldfastStore

/// How the outbox is doing (SPEC O17), without contents: fit for a screen of diagnostics or a report.
public struct OutboxHealth: Sendable, Codable, Hashable {
  /// How long messages took from the tap to the server's receipt.
  ///
  /// Each is the upper limit of a bucket that is √2 times as wide as the one before it: the true value is at most
  /// 30% lower. Counted over the life of the store, for messages that were sent and delivered within one launch
  /// of the app, the time offline included; of those that wait at once, the first 10,000.
  public struct DeliveryTime: Sendable, Codable, Hashable {
    /// How many messages were measured.
    public var count: Int
    /// Half of them took no longer.
    public var p50: Duration
    /// 95 of 100 took no longer.
    public var p95: Duration

    /// Times with these values, for previews and tests.
    public init(count: Int, p50: Duration, p95: Duration) {
      self.count = count
      self.p50 = p50
      self.p95 = p95
    }
  }

  /// Messages, and operations on messages, that leave by themselves.
  public var waiting: Int
  /// Messages that wait for their user's answer.
  public var held: Int
  /// Messages and operations that failed.
  public var failed: Int
  /// How long the oldest has waited of those that wait or are held. Nil: there is none. It is never negative; only
  /// a date that was set forward while the app did not run makes it too long.
  public var oldestWaited: Duration?
  /// The message that has waited that long: what ``MessageHandle/explain()`` says of it explains the queue.
  public var oldest: MessageID?
  /// Nil until a message has been measured.
  public var timeToDelivered: DeliveryTime?

  /// An outbox with these numbers, for previews and tests.
  public init(
    waiting: Int, held: Int, failed: Int, oldestWaited: Duration? = nil, oldest: MessageID? = nil,
    timeToDelivered: DeliveryTime? = nil
  ) {
    self.waiting = waiting
    self.held = held
    self.failed = failed
    self.oldestWaited = oldestWaited
    self.oldest = oldest
    self.timeToDelivered = timeToDelivered
  }
}

extension EngineContext {
  func outboxHealth() throws(ChatError) -> OutboxHealth {
    let uptime = environment.uptime()
    let (depth, oldest, counts) = try store.read { db in
      (try db.outboxDepth(), try db.oldestQueued(), try db.counts(of: DeliveryTimes.metric))
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
