import HoldfastCore

/// The phases of the app's windows, and the phase of the app that follows from them. Pure.
///
/// ```
///   no window is known ──► the app is in front ──a window is active──► in front
///                               ▲                                        │
///                   a window leaves the background        all windows are in the background
///                               └────────────── in the background ◄──────┘
/// ```
struct ScenePhases: Equatable, Sendable {
  private var phases: [SceneID: ChatSession.Phase] = [:]
  /// Whether every known window is in the background. False as long as no window is known. The last window that closes
  /// in the background leaves the app there.
  private(set) var isInBackground = false

  /// Returns whether the app came to the front or went to the background.
  mutating func set(_ phase: ChatSession.Phase, of scene: SceneID) -> Bool {
    phases[scene] = phase
    return update()
  }

  /// Forgets a window that was closed. Returns whether the app went to the background with it.
  mutating func close(_ scene: SceneID) -> Bool {
    phases[scene] = nil
    return phases.isEmpty ? false : update()
  }

  private mutating func update() -> Bool {
    let before = isInBackground
    isInBackground = phases.values.allSatisfy { $0 == .background }
    return isInBackground != before
  }
}
