import Synchronization

/// Whether the device has a network, as the platform tells. The engine treats it as a hint: only a server
/// that answers makes the link online.
///
/// ```swift
/// let path = NetworkPath(isUp: true)
/// path.set(isUp: false)       // airplane mode
/// ```
public final class NetworkPath: Sendable {
  private struct State {
    var isUp: Bool
    var observers: [Int: Signal] = [:]
    var next = 0
  }
  private let state: Mutex<State>

  /// - Parameter isUp: what holds until the platform tells.
  public init(isUp: Bool = true) { state = Mutex(State(isUp: isUp)) }

  /// What the platform told last.
  public var isUp: Bool { state.withLock { $0.isUp } }

  /// Tells every client that uses this path. Returns at once.
  public func set(isUp: Bool) {
    let observers = state.withLock { state -> [Signal] in
      guard state.isUp != isUp else { return [] }
      state.isUp = isUp
      return state.observers.sorted { $0.key < $1.key }.map(\.value)
    }
    for observer in observers { observer.raise() }
  }

  func subscribe(_ signal: Signal) -> Int {
    state.withLock { state in
      state.next += 1
      state.observers[state.next] = signal
      return state.next
    }
  }

  func unsubscribe(_ id: Int) {
    state.withLock { _ = $0.observers.removeValue(forKey: id) }
  }
}
