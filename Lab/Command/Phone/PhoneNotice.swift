import Holdfast
import Observation

/// A sentence that a phone shows for a moment.
@MainActor @Observable final class PhoneNotice {
  private static let shownFor: Duration = .seconds(6)

  private(set) var text: String?
  @ObservationIgnored private var until: ChatEnvironment.Instant?
  @ObservationIgnored private let environment: ChatEnvironment
  @ObservationIgnored private let changed = Signal()

  init(_ environment: ChatEnvironment) { self.environment = environment }

  func say(_ text: String) {
    self.text = text
    until = environment.uptime() + Self.shownFor
    changed.raise()
  }

  /// Removes each sentence after its time, until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      if let end = until, end <= environment.uptime() { (text, until) = (nil, nil) }
      await changed.wait(until: until, in: environment)
    }
  }
}
