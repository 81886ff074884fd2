extension ChatConfiguration {
  /// The intervals at which changing content, a draft or a window's state, is saved automatically (rules D2, D3).
  public struct SaveIntervals: Sendable, Codable, Hashable {
    /// The pause after the last change. 700 ms by default.
    public var pause: Duration
    /// The longest time that a change stays unsaved while changes continue, and the wait after a save that failed. 10
    /// s by default.
    public var ceiling: Duration
    /// The age from which a draft of this session is shown as recovered when its conversation is opened again (rule
    /// D10). A draft of an earlier session always is. One hour by default.
    public var recoveredAfter: Duration

    /// The recommended intervals, except for those that are given.
    public init(
      pause: Duration = .milliseconds(700), ceiling: Duration = .seconds(10),
      recoveredAfter: Duration = .seconds(3_600)
    ) {
      (self.pause, self.ceiling, self.recoveredAfter) = (pause, ceiling, recoveredAfter)
    }
  }
}
