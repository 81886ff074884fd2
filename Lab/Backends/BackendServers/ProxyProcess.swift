import Foundation
import Holdfast
import HoldfastTesting
import Synchronization

/// `holdfast-lab proxy` as a process, between the clients and a server.
public final class ProxyProcess: Sendable {
  private struct State {
    var process: ServerProcess?
    var port = 0
    /// The fault that was ordered.
    var fault: TransportConformance.NetworkFault?
  }

  /// The fault found no bytes to strike.
  public struct NothingCame: Error, CustomStringConvertible {
    public var description: String { "The network's fault did not strike: no bytes came." }
  }

  private let log: URL
  private let environment = ChatEnvironment()
  private let state = Mutex(State())

  /// - Parameter log: receives what the proxy complains of.
  public init(log: URL) { self.log = log }

  /// The port that the clients connect to.
  public var port: Int { state.withLock(\.port) }

  /// Starts it in front of a port of this machine, and returns once it takes connections.
  public func start(to port: Int) async throws {
    let process = try ServerProcess(lab.path, ["proxy", "--to", "127.0.0.1:\(port)"], log: log)
    guard let address = await process.nextLine(),
      let own = address.split(separator: ":").last.flatMap({ Int($0) })
    else { throw ServerProcess.Failure("The proxy does not start; see \(log.path).") }
    state.withLock { ($0.process, $0.port) = (process, own) }
  }

  public func end() { state.withLock(\.process)?.end() }

  /// Makes a fault, and returns once it is in force.
  public func make(_ fault: TransportConformance.NetworkFault) async throws {
    state.withLock { $0.fault = fault }
    for order in fault.orders { try await follow(order) }
  }

  /// Ends the fault.
  ///
  /// - Throws: ``NothingCame`` when it did not strike.
  public func behave() async throws {
    guard let process = state.withLock(\.process),
      let fault = state.withLock({ state in
        defer { state.fault = nil }
        return state.fault
      })
    else { return }
    let hasStruck = fault.reportsCompletion ? await isDone(process) : true
    try await follow("pass")
    if !hasStruck { throw NothingCame() }
  }

  private func isDone(_ process: ServerProcess) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      defer { group.cancelAll() }
      group.addTask { await process.nextLine() == "done" }
      group.addTask { [environment] in
        try? await environment.sleep(environment.uptime() + .seconds(10))
        return false
      }
      return await group.next() ?? false
    }
  }

  private func follow(_ order: String) async throws {
    guard let process = state.withLock(\.process) else { return }
    let answer = try await process.ask(order)
    guard answer == "ok" else {
      throw ServerProcess.Failure("The proxy answered \(answer ?? "nothing") to '\(order)'.")
    }
  }
}
