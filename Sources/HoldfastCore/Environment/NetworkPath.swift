import Synchronization

/// Whether the device has a network, as the platform reports. The engine treats the path as a hint: the connection is
/// online only when a server answers.
///
/// ```swift
/// let path = NetworkPath(isUp: true)
/// path.set(isUp: false)       // airplane mode
/// ```
///
/// `ChatSession` and `followSystem()` update the path from the system. An app that knows better sets the path itself,
/// and makes it with ``init(isUp:)``.
public final class NetworkPath: Sendable {
  /// The kind of interface that carries the traffic.
  public enum Interface: String, Sendable, Codable, Hashable {
    /// A wireless network.
    case wifi
    /// A cable.
    case wired
    /// A cellular network.
    case cellular
    /// Another kind, such as a VPN's tunnel over any interface.
    case other
  }

  private struct State {
    var isUp: Bool
    var interface: Interface?
    var observers: [Int: Signal] = [:]
    var next = 0
  }
  private let state: Mutex<State>
  /// Whether a session updates the path from the system.
  package let followsSystem: Bool

  /// A path that is up until the system reports otherwise. `ChatSession` follows the system by itself. Beside a
  /// client without a session, call `followSystem()`.
  public init() {
    state = Mutex(State(isUp: true))
    followsSystem = true
  }

  /// A path that the app sets. No session follows the system for it.
  ///
  /// - Parameter isUp: the state until the app sets another.
  public init(isUp: Bool) {
    state = Mutex(State(isUp: isUp))
    followsSystem = false
  }

  /// Whether the device has a network, as last reported.
  public var isUp: Bool { state.withLock { $0.isUp } }

  /// The kind of interface. Nil while the path is down, and where the platform does not report it.
  public var interface: Interface? { state.withLock { $0.interface } }

  /// Sets the path, and notifies every client that uses it. Returns at once.
  ///
  /// - Parameter interface: The kind of interface. It is ignored while the path is down.
  public func set(isUp: Bool, interface: Interface? = nil) {
    let interface = isUp ? interface : nil
    let observers = state.withLock { state -> [Signal] in
      guard state.isUp != isUp || state.interface != interface else { return [] }
      (state.isUp, state.interface) = (isUp, interface)
      return state.observers.sorted { $0.key < $1.key }.map(\.value)
    }
    for observer in observers { observer.raise() }
  }

  package func subscribe(_ signal: Signal) -> Int {
    state.withLock { state in
      state.next += 1
      state.observers[state.next] = signal
      return state.next
    }
  }

  package func unsubscribe(_ id: Int) {
    state.withLock { _ = $0.observers.removeValue(forKey: id) }
  }
}
