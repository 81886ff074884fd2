import ChatServer
import Foundation
import Holdfast
import Synchronization

/// The real server, in a simulated process that ends and is started again on the same files.
final class SimulatedServer: Sendable {
  private struct State {
    var chat: ChatServer?
    /// In the order in which they were opened, so that they close in the same order in every run.
    var channels: [SimulatedChannel] = []
  }

  private let world: WorldState
  private let accounts: [UserID: String]
  private let process: SimulatedProcess
  private let state = Mutex(State())

  init(world: WorldState, accounts: [UserID: String]) {
    self.world = world
    self.accounts = accounts
    process = SimulatedProcess(world: world, name: "server")
  }

  /// The running server. Nil while it is down.
  var current: ChatServer? { state.withLock { $0.chat } }

  func opened(_ channel: SimulatedChannel) {
    state.withLock { $0.channels.append(channel) }
  }

  func closed(_ channel: SimulatedChannel) {
    state.withLock { state in state.channels.removeAll { $0 === channel } }
  }

  /// Starts it, and again each time it has ended, until the task is cancelled.
  func run() async throws {
    try await process.run(lifetime: \.serverLifetime) { folder, gate in
      let executor = SeededSerialExecutor(scheduler: self.world.scheduler)
      let chat = try ChatServer(
        folder: folder, environment: self.world.environment(executor: executor), gate: gate)
      for (account, token) in self.accounts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        try await chat.register(account, token: token)
      }
      self.state.withLock { $0.chat = chat }
      self.world.trace("server runs")
      await Signal().wait()
    } ended: {
      let channels = self.state.withLock { state in
        state.chat = nil
        return state.channels
      }
      for channel in channels { _ = channel.close() }
    }
  }
}
