import Foundation
import Holdfast
import HoldfastStore
import Synchronization

/// One device of a case: the real client with its own store, over the backend's transport with faults at its
/// boundary. Its app is killed and launched again.
///
/// ```
///            launch                      kill
///   down ─────────────► running ──────────────► ending ──► down
/// ```
final class ConformancePhone: Sendable {
  private struct State {
    var client: ChatClient?
    var commits: CommitSwitch?
    /// Whether ``live()`` has taken over the present client.
    var isLive = false
    var texts = 0
  }

  let name: String
  let user: UserID
  let folder: URL
  let transport: FaultyTransport
  let path = NetworkPath(isUp: true)
  let environment: ChatEnvironment
  let ledger: ConformanceLedger
  private let configuration: ChatConfiguration
  private let state = Mutex(State())
  private let launched = Signal()
  private let death = Signal()
  private let ended = Signal()

  init(
    name: String, user: UserID, folder: URL, transport: FaultyTransport, configuration: ChatConfiguration,
    ledger: ConformanceLedger
  ) {
    (self.name, self.user, self.folder, self.transport, self.ledger) = (name, user, folder, transport, ledger)
    environment = configuration.environment
    self.configuration = configuration
  }

  /// The running client. Throws while the app is down.
  var client: ChatClient {
    get throws {
      guard let client = state.withLock({ $0.client }) else {
        throw ConformanceFailure("\(name)'s app does not run.")
      }
      return client
    }
  }

  var isRunning: Bool { state.withLock { $0.client != nil && $0.commits?.isOn == true } }

  /// Opens the store, as a launch of the app does. ``live()`` then runs the client.
  func launch() throws {
    var configuration = configuration
    configuration.path = path
    let commits = CommitSwitch()
    let client = try ChatClient(
      storage: .folder(folder), transport: transport, user: user, configuration: configuration,
      gate: commits.gate)
    state.withLock { ($0.client, $0.commits, $0.isLive) = (client, commits, false) }
    launched.raise()
  }

  /// Ends the app as `kill -9` does: from this moment, it no longer reaches its store. Returns at once.
  func die() {
    // A second raise would be remembered, and would end the next launch.
    if state.withLock({ $0.commits })?.turnOff() == true { death.raise() }
  }

  /// Kills the app, and returns when it has ended completely, or when the task is cancelled.
  func kill() async {
    die()
    while state.withLock({ $0.client }) != nil, !Task.isCancelled { await ended.wait() }
  }

  /// Kills the app if it is running, and launches it again on its store.
  func relaunch() async throws {
    await kill()
    try Task.checkCancellation()
    try launch()
  }

  /// Runs every launch of the app, until the task is cancelled.
  func live() async {
    while !Task.isCancelled {
      let next = state.withLock { state -> ChatClient? in
        guard !state.isLive else { return nil }
        state.isLive = state.client != nil
        return state.client
      }
      guard let client = next else {
        await launched.wait()
        continue
      }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        group.addTask { await self.death.wait() }
        await group.next()
        group.cancelAll()
      }
      // The next launch opens the files, so this one closes them. Its gate is closed: closing stores nothing.
      try? await client.suspend()
      state.withLock { ($0.client, $0.commits, $0.isLive) = (nil, nil, false) }
      ended.raise()
    }
  }

  /// A text that no other message of the case has.
  func nextText() -> String {
    let number = state.withLock { state in
      state.texts += 1
      return state.texts
    }
    return "\(name) \(number)"
  }
}

/// The finding of a case, as a sentence.
package struct ConformanceFailure: Error {
  var sentence: String
  package init(_ sentence: String) { self.sentence = sentence }
}

/// The reason why a running case turns out not to apply to the backend.
struct ConformanceSkip: Error {
  var reason: String
  package init(_ reason: String) { self.reason = reason }
}
