import Foundation
import HoldfastCore
import HoldfastTransport
import Synchronization

extension Link {
  /// The link's state, as any thread may read it.
  final class SharedState: Sendable {
    /// The part of the link's state that decides the status of messages.
    struct Snapshot: Sendable {
      var link: LinkState
      var isRunning = false
      /// The date of the next attempt to connect. Nil when none is due.
      var connectsAt: Date?
    }

    private struct State {
      var snapshot: Snapshot
      var interface: NetworkPath.Interface?
    }
    private let state: Mutex<State>

    init(_ link: LinkState) { state = Mutex(State(snapshot: Snapshot(link: link))) }

    var snapshot: Snapshot { state.withLock { $0.snapshot } }
    var connectivity: Connectivity { snapshot.link.shown }
    /// Whether the server refuses the credentials.
    var needsCredentials: Bool { snapshot.link.needsCredentials }
    /// Whether a call of ``ChatClient/run()`` is under way.
    var isRunning: Bool { snapshot.isRunning }
    /// Whether the server can be asked now.
    var isOnline: Bool { isRunning && connectivity == .online }

    /// The kind of interface that the link uses. Nil while the link is offline, and where the kind is unknown.
    var interface: NetworkPath.Interface? { state.withLock { $0.interface } }

    func set(isRunning: Bool) { state.withLock { $0.snapshot.isRunning = isRunning } }

    /// Returns whether the shown state of the link has changed, and whether messages are explained differently.
    ///
    /// - Parameter connectsAt: the date of the next attempt to connect. The date is made once, when a wait begins. If
    ///   each read made the date, it would vary a little, because the two clocks are read one after the other.
    func set(
      _ link: LinkState, over interface: NetworkPath.Interface? = nil, connectsAt: Date?
    ) -> (isShown: Bool, isExplained: Bool) {
      state.withLock { state in
        let before = state.snapshot.link
        let isExplained = !before.isExplained(like: link)
        if isExplained { state.snapshot.connectsAt = connectsAt }
        defer { (state.snapshot.link, state.interface) = (link, interface) }
        return (
          (before.shown, state.interface, before.needsCredentials)
            != (link.shown, interface, link.needsCredentials), isExplained
        )
      }
    }
  }
}
