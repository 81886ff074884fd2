/// How much may wait in the outbox (SPEC O12), and for how long without being asked about (SPEC O16).
public struct OutboxLimits: Sendable, Hashable {
  public var perConversation: Int
  public var total: Int
  /// A message that has been queued for longer when the link comes back is held, and its user is asked. Nil: never.
  public var heldAfter: Duration?

  public init(
    perConversation: Int = 100_000, total: Int = 200_000, heldAfter: Duration? = .seconds(24 * 3600)
  ) {
    self.perConversation = perConversation
    self.total = total
    self.heldAfter = heldAfter
  }
}
