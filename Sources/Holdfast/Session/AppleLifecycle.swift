#if os(watchOS)
  import Foundation
  import HoldfastCore
  import WatchKit

  /// The lifecycle of an app on watchOS, which has one window. No event reports the unlocking there, so the session
  /// tries again after its pauses.
  package struct AppleLifecycle: AppLifecycle {
    package let suspendsApps = true
    private static let app: SceneID = "app"

    package init() {}

    package func observe(
      _ notify: @escaping @MainActor @Sendable (AppEvent) -> Void
    ) -> @MainActor () -> Void {
      let observers = NotificationObservers(notify)
      observers.follow(WKApplication.didBecomeActiveNotification) { _ in .phase(.active, of: Self.app) }
      observers.follow(WKApplication.willResignActiveNotification) { _ in .phase(.inactive, of: Self.app) }
      observers.follow(WKApplication.willEnterForegroundNotification) { _ in .phase(.inactive, of: Self.app) }
      observers.follow(WKApplication.didEnterBackgroundNotification) { _ in .phase(.background, of: Self.app)
      }
      return { observers.end() }
    }

    package func beginBackgroundTime(expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
      beginExpiringActivity(expired)
    }
  }
#elseif canImport(UIKit)
  import Foundation
  import HoldfastCore
  import UIKit

  /// The lifecycle of an app with scenes. UIKit posts its notifications on the main thread, so each event is handled
  /// before the system proceeds.
  package struct AppleLifecycle: AppLifecycle {
    package let suspendsApps = true

    package init() {}

    package func observe(
      _ notify: @escaping @MainActor @Sendable (AppEvent) -> Void
    ) -> @MainActor () -> Void {
      let observers = NotificationObservers(notify)
      observers.follow(UIScene.didActivateNotification) { $0.map { .phase(.active, of: $0) } }
      observers.follow(UIScene.willDeactivateNotification) { $0.map { .phase(.inactive, of: $0) } }
      observers.follow(UIScene.willEnterForegroundNotification) { $0.map { .phase(.inactive, of: $0) } }
      observers.follow(UIScene.didEnterBackgroundNotification) { $0.map { .phase(.background, of: $0) } }
      observers.follow(UIScene.didDisconnectNotification) { $0.map { .closed($0) } }
      observers.follow(UIApplication.protectedDataDidBecomeAvailableNotification) { _ in
        .protectedData(isAvailable: true)
      }
      observers.follow(UIApplication.protectedDataWillBecomeUnavailableNotification) { _ in
        .protectedData(isAvailable: false)
      }
      observers.follow(UIApplication.willTerminateNotification) { _ in .terminating }
      return { observers.end() }
    }

    package func beginBackgroundTime(expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
      beginExpiringActivity(expired)
    }
  }
#elseif canImport(AppKit)
  import AppKit
  import Foundation
  import HoldfastCore

  /// The lifecycle of an app on macOS, which is not suspended. It counts as one window here.
  package struct AppleLifecycle: AppLifecycle {
    package let suspendsApps = false
    private static let app: SceneID = "app"

    package init() {}

    package func observe(
      _ notify: @escaping @MainActor @Sendable (AppEvent) -> Void
    ) -> @MainActor () -> Void {
      let observers = NotificationObservers(notify)
      observers.follow(NSApplication.didBecomeActiveNotification) { _ in .phase(.active, of: Self.app) }
      observers.follow(NSApplication.didResignActiveNotification) { _ in .phase(.inactive, of: Self.app) }
      observers.follow(NSApplication.willTerminateNotification) { _ in .terminating }
      return { observers.end() }
    }

    package func beginBackgroundTime(expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void { {} }
  }
#endif

#if canImport(Darwin) && !os(macOS)
  /// Asks Foundation and not `UIApplication`, which an app extension cannot use.
  private func beginExpiringActivity(_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let isOver = DispatchSemaphore(value: 0)
    ProcessInfo.processInfo.performExpiringActivity(withReason: "holdfast") { isExpired in
      if isExpired { expired() } else { isOver.wait() }
    }
    return { isOver.signal() }
  }
#endif

#if canImport(Darwin)
  /// The observers of one session, on the main thread.
  @MainActor private final class NotificationObservers {
    private let notify: @MainActor @Sendable (AppEvent) -> Void
    private var tokens: [any NSObjectProtocol] = []

    init(_ notify: @escaping @MainActor @Sendable (AppEvent) -> Void) { self.notify = notify }

    /// Reports the event that `event` makes of the notification's scene. A scene is identified by its object, because
    /// its session may be gone when it disconnects.
    func follow(_ name: Notification.Name, _ event: @escaping @Sendable (SceneID?) -> AppEvent?) {
      let notify = notify
      tokens.append(
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
          let scene = (notification.object as AnyObject?).map {
            SceneID(rawValue: String(UInt(bitPattern: ObjectIdentifier($0))))
          }
          guard let event = event(scene) else { return }
          MainActor.assumeIsolated { notify(event) }
        })
    }

    func end() {
      for token in tokens { NotificationCenter.default.removeObserver(token) }
      tokens = []
    }
  }
#endif
