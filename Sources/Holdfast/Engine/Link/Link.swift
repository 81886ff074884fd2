import HoldfastCore
import HoldfastStore
import HoldfastTransport
import Logging
import Synchronization

/// The link to the server: connects whenever it is due, and publishes its state. ``LinkState`` decides, and this part
/// acts.
///
/// Exactly one client of a store drains (rule O15): of all clients on one store, in this process and in others, the
/// client that holds the drain lock sends and receives. The others store their user's intents, and wait for the lock.
///
/// ```
///   run() ── is about to connect ──► drain lock free ──► sends and receives ──► run() ends, the process dies: let go
///                     ▲                   taken │
///                     └── the holder let go ◄── on standby
/// ```
final class Link {
  private let context: EngineContext
  private let sharedState: SharedState
  private let path: NetworkPath
  private let drainLock: DrainLock
  private let signal = Signal()
  private var state: LinkState

  private var environment: ChatEnvironment { context.environment }

  init(_ context: EngineContext, sharedState: SharedState, drainLock: DrainLock) {
    (self.context, self.sharedState, self.drainLock) = (context, sharedState, drainLock)
    path = context.configuration.path
    state = sharedState.snapshot.link
  }

  var isConnected: Bool { state.isConnected }

  /// Connects whenever it is due, for as long as the task lives. `connect` is one connection, from its first byte to
  /// its end, and returns the reason for the end.
  nonisolated(nonsending) func run(
    _ connect: nonisolated(nonsending) () async -> ConnectionFailure
  ) async {
    while !Task.isCancelled {
      let action = state.next(now: environment.uptime())
      publish()
      switch action {
      case .wait(let deadline): await context.wait(for: signal, until: deadline)
      case .connect:
        do {
          guard try drainLock.acquire() else {
            try await waitOnStandby()
            continue
          }
        } catch {
          lost(to: ConnectionFailure(error))
          continue
        }
        state.connecting()
        publish()
        lost(to: await connect())
      }
    }
  }

  private func lost(to failure: ConnectionFailure) {
    let isRepeated = failure.reason == state.failure?.reason
    state.lost(
      to: failure, policy: context.configuration.retry, now: environment.uptime(), dice: environment.random())
    publish()
    // The end of `run()` is not a loss.
    guard !Task.isCancelled else { return }
    log(failure, isRepeated: isRepeated)
  }

  /// Logs a loss that waiting does not repair as a warning with advice. It does so from the second loss in a row on,
  /// because a first refusal may be of credentials that have expired, or of a server that is being updated.
  private func log(_ failure: ConnectionFailure, isRepeated: Bool) {
    let logger = context.logger
    let details: Logger.Metadata = [
      "reason": "\(failure.reason.rawValue)", "detail": "\(failure.detail)",
    ]
    switch failure.reason {
    case .unauthorized where isRepeated:
      logger.warning("link lost: signed out, the credentials are refused; give new ones", metadata: details)
    case .incompatible where isRepeated:
      logger.warning("link lost: check the address, and what answers there", metadata: details)
    case .insecure where isRepeated:
      logger.warning(
        "link lost: not secure; check the address, the certificate and the date", metadata: details)
    case .storage where isRepeated:
      logger.warning("link lost: nothing can be stored; check the disk and the store", metadata: details)
    default: logger.info("link lost", metadata: details)
    }
  }

  /// The server has accepted the connection, or will show with the first message whether it does.
  func ready() {
    state.ready(
      isHeard: !context.transport.capabilities.connectsWithFirstMessage, now: environment.uptime())
    publish()
    signal.raise()
  }

  /// The server has responded.
  func heard() {
    guard state.failure != nil, state.phase == .online else { return }
    state.heard()
    publish()
  }

  /// Ends every wait now.
  func nudge() {
    state.nudge()
    signal.raise()
  }

  /// Publishes the state.
  func publish() {
    // A path that went down within the debounce time has no interface. The shown interface stays.
    let known = path.isUp ? path.interface : sharedState.interface
    let changed = sharedState.set(
      state, over: state.isPathUp ? known : nil,
      connectsAt: state.nextAttempt(now: environment.uptime()).map(context.date(of:)))
    if changed.isShown || changed.isExplained {
      context.store.changes.publish(Changes(link: changed.isShown, status: changed.isExplained))
    }
  }

  /// Follows the platform's reports about the network.
  nonisolated(nonsending) func followPath() async {
    let changed = Signal()
    let subscription = path.subscribe(changed)
    defer { path.unsubscribe(subscription) }
    var interface = path.interface
    while !Task.isCancelled {
      // Another interface is another route to the server, so the waits for the old one end.
      if let current = path.interface, current != interface {
        interface = current
        state.nudge()
      }
      state.pathChanged(isUp: path.isUp, now: environment.uptime())
      signal.raise()
      await changed.wait()
    }
  }

  /// Throws when the device has lost its network, so that the connection is given up at once.
  nonisolated(nonsending) func watchPath() async throws {
    while !Task.isCancelled {
      guard case .wait(let deadline) = state.next(now: environment.uptime()) else { return }
      publish()
      if state.mustHangUp { throw ConnectionFailure(.unreachable, detail: "no network") }
      await context.wait(for: signal, until: deadline)
    }
  }

  /// Waits while another client drains. Returns when this client has the drain lock, or should try again.
  private nonisolated(nonsending) func waitOnStandby() async throws {
    context.logger.info("another process sends; on standby")
    state.goOnStandby()
    publish()
    defer { state.takeOver() }
    let lock = try drainLock.opened()
    let (environment, signal, watch) = (environment, signal, Watch())
    let result: Result<Void, any Error> = await withGroupHere { group in
      group.addTask {
        do throws(ChatError) {
          try await environment.watcher.watch(lock.file, raising: signal)
        } catch {
          watch.failure.withLock { $0 = error }
          signal.raise()
        }
      }
      defer { group.cancelAll() }
      do { return .success(try await awaitEnd(watch)) } catch { return .failure(error) }
    }
    try result.get()
  }

  /// The watch of the drain lock's file, which runs beside the part.
  private final class Watch: Sendable {
    /// The reason why the file cannot be watched.
    let failure = Mutex<ChatError?>(nil)
  }

  private nonisolated(nonsending) func awaitEnd(_ watch: Watch) async throws {
    var patience = Backoff()
    while !Task.isCancelled {
      if let failure = watch.failure.withLock({ $0 }) { throw failure }
      guard try !drainLock.acquire() else { return }
      guard case .wait(let stableAt) = state.next(now: environment.uptime()) else { return }
      publish()
      let look = patience.next(now: environment.uptime())
      await context.wait(for: signal, until: [stableAt, look].compactMap { $0 }.min())
    }
  }
}

extension ConnectionFailure {
  /// The reason why a connection ended, from the error that ended it.
  init(_ error: any Error) {
    switch error {
    case let failure as ConnectionFailure: self = failure
    case let error as ChatError: self.init(.storage, detail: "\(error.code)")
    default: self.init(.unreachable, detail: "\(type(of: error))")
    }
  }
}

extension LinkState {
  /// The state at launch. Without a server, a device without a network is not an obstacle.
  init(path: NetworkPath, capabilities: TransportCapabilities) {
    self.init(isPathUp: path.isUp || !capabilities.hasServer)
  }
}
