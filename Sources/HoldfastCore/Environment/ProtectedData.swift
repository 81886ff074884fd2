import Synchronization

/// Whether the device's protected files can be read (rules P3, P4). The app reports it. The engine treats it as a
/// hint to retry: only a store that opens is available.
///
/// ```swift
/// let protectedData = ProtectedData()
/// let client = try await ChatClient.open(
///   storage: .applicationSupport("alice"), transport: transport, user: "alice",
///   configuration: ChatConfiguration(protectedData: protectedData))
/// // In the app's delegate:
/// func applicationProtectedDataDidBecomeAvailable(_: UIApplication) { protectedData.set(isAvailable: true) }
/// func applicationProtectedDataWillBecomeUnavailable(_: UIApplication) { protectedData.set(isAvailable: false) }
/// ```
public final class ProtectedData: Sendable {
  private struct State {
    var isAvailable: Bool
    var observers: [Int: Signal] = [:]
    var next = 0
  }
  private let state: Mutex<State>

  /// - Parameter isAvailable: The state until the app sets another.
  public init(isAvailable: Bool = true) { state = Mutex(State(isAvailable: isAvailable)) }

  /// Whether protected files can be read, as the app last reported.
  public var isAvailable: Bool { state.withLock { $0.isAvailable } }

  /// Sets the state, and wakes every waiting task. Returns at once. An app may report again that files are available:
  /// waiting tasks then try again.
  public func set(isAvailable: Bool) {
    let observers = state.withLock { state in
      state.isAvailable = isAvailable
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
