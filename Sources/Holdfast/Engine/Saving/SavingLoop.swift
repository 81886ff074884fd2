import HoldfastCore

/// Content that changes all the time and is saved after a pause: the texts of composers, and the scenes of windows.
protocol Saving: Sendable {
  /// Writes the content that is due at `now`. Returns the time at which more becomes due. Nil when nothing is unsaved.
  func saveDue(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant?
}

/// Saves content when it becomes due, in one loop for all content of a client.
struct SavingLoop: Sendable {
  private let contents: [any Saving]
  /// Raised when a change becomes due sooner than the loop expects.
  private let signal: Signal
  private let alarm: Alarm
  private let environment: ChatEnvironment

  init(_ contents: [any Saving], signal: Signal, alarm: Alarm, environment: ChatEnvironment) {
    (self.contents, self.signal, self.alarm, self.environment) = (contents, signal, alarm, environment)
  }

  /// Saves until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      let now = environment.uptime()
      let next = contents.compactMap { $0.saveDue(now: now) }.min()
      await alarm.wait(for: signal, until: next)
    }
  }
}
