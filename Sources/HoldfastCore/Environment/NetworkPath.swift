import Synchronization

/// Whether the device has a network, as the platform tells. The engine treats it as a hint: only a server
/// that answers makes the link online.
///
/// ```swift
/// let path = NetworkPath(isUp: true)
/// path.set(isUp: false)       // airplane mode
/// ```
///
/// `followSystem()` of HoldfastNetwork keeps it as the system sees it; an app that knows better sets it
/// by itself.
public final class NetworkPath: Sendable {
  /// What the way out of the device is made of.
  public enum Interface: String, Sendable, Codable, Hashable {
    case wifi, wired, cellular
    /// Another kind, such as a VPN's tunnel, whatever carries it.
    case other
  }

  private struct State {
    var isUp: Bool
    var interface: Interface?
    var observers: [Int: Signal] = [:]
    var next = 0
  }
  private let state: Mutex<State>

  /// - Parameter isUp: what holds until the platform tells.
  public init(isUp: Bool = true) { state = Mutex(State(isUp: isUp)) }

  /// What the platform told last.
  public var isUp: Bool { state.withLock { $0.isUp } }

  /// Over which kind of interface. Nil while the path is down, and where the platform does not tell.
  public var interface: Interface? { state.withLock { $0.interface } }

  /// Tells every client that uses this path. Returns at once.
  ///
  /// - Parameter interface: over which kind of interface. It is forgotten while the path is down.
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
