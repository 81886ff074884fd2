import HoldfastCore

/// An event that the system reports to an app.
package enum AppEvent: Sendable, Hashable {
  /// A window has another phase.
  case phase(ChatSession.Phase, of: SceneID)
  /// A window was closed permanently.
  case closed(SceneID)
  /// The device was unlocked, or is about to be locked.
  case protectedData(isAvailable: Bool)
  /// The process ends.
  case terminating
}

/// The system's events for an app, and the time that it grants in the background.
package protocol AppLifecycle: Sendable {
  /// Whether the system stops a process whose windows are all in the background.
  var suspendsApps: Bool { get }
  /// Calls `notify` with each event, before the system proceeds, until the returned function is called.
  @MainActor func observe(_ notify: @escaping @MainActor @Sendable (AppEvent) -> Void)
    -> @MainActor () -> Void
  /// Asks for time in the background. `expired` is called on any thread when the time is up. The returned function
  /// gives the time back.
  func beginBackgroundTime(expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

/// The lifecycle of a process that nobody suspends, such as a bot or an app on Linux.
package struct ProcessLifecycle: AppLifecycle {
  package let suspendsApps = false
  package init() {}
  package func observe(_ notify: @escaping @MainActor @Sendable (AppEvent) -> Void) -> @MainActor () -> Void {
    {}
  }
  package func beginBackgroundTime(expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void { {} }
}
