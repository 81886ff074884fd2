import HoldfastCore
import Synchronization

/// Time that the system has granted to an app in the background. It is given back once.
final class BackgroundTime: Sendable {
  private final class Expiry: Sendable {
    let isUp = Mutex(false)
  }

  private let expiry: Expiry
  private let giveBack: @Sendable () -> Void

  /// - Parameter wake: raised when the time is up.
  init(_ lifecycle: any AppLifecycle, wake: Signal) {
    let expiry = Expiry()
    self.expiry = expiry
    giveBack = lifecycle.beginBackgroundTime {
      expiry.isUp.withLock { $0 = true }
      wake.raise()
    }
  }

  /// Whether the system wants the app to end now.
  var isUp: Bool { expiry.isUp.withLock { $0 } }

  func end() { giveBack() }
}
