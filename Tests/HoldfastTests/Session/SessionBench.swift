import EngineFixtures
import Foundation

@testable import Holdfast
@testable import HoldfastCore

/// A system whose windows, locks and background time a test plays.
final class PlayedLifecycle: AppLifecycle {
  private struct State {
    var notify: (@MainActor @Sendable (AppEvent) -> Void)?
    var expire: (@Sendable () -> Void)?
    var begun = 0
    var ended = 0
  }

  let suspendsApps: Bool
  private let state = Mutexed(State())
  private let changed = Signal()

  init(suspendsApps: Bool = true) { self.suspendsApps = suspendsApps }

  /// The number of times that the app began background time, and the number that it ended.
  var times: [Int] { state.withLock { [$0.begun, $0.ended] } }

  func observe(_ notify: @escaping @MainActor @Sendable (AppEvent) -> Void) -> @MainActor () -> Void {
    state.withLock { $0.notify = notify }
    return { self.state.withLock { $0.notify = nil } }
  }

  func beginBackgroundTime(expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    state.withLock { ($0.begun, $0.expire) = ($0.begun + 1, expired) }
    changed.raise()
    return {
      self.state.withLock { $0.ended += 1 }
      self.changed.raise()
    }
  }

  @MainActor func notify(_ event: AppEvent) { state.withLock { $0.notify }?(event) }
  func expire() { state.withLock { $0.expire }?() }

  /// Returns once the app has begun background time this often.
  func begun(_ count: Int) async { while times[0] < count, !Task.isCancelled { await changed.wait() } }

  /// Returns once the app has ended background time this often.
  func ended(_ count: Int) async { while times[1] < count, !Task.isCancelled { await changed.wait() } }
}

/// Waits that a test ends.
final class PlayedWaits: Sendable {
  private let waits = Mutexed<[CheckedContinuation<Void, Never>]>([])
  private let begun = Signal()

  func wait() async {
    await withCheckedContinuation { continuation in
      waits.withLock { $0.append(continuation) }
      begun.raise()
    }
  }

  /// Waits until a wait has begun, and ends it.
  func end() async {
    while waits.withLock({ $0.isEmpty }) { await begun.wait() }
    let ended = waits.withLock { waits in
      defer { waits = [] }
      return waits
    }
    for continuation in ended { continuation.resume() }
  }
}
