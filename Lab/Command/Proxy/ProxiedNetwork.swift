import Foundation
import Holdfast
import HoldfastTesting
import Processes
import Synchronization

/// The network to a server on this machine, through a proxy that makes network faults.
final class ProxiedNetwork: Sendable {
  private struct State {
    var address: String?
    /// The fault that was ordered and has not struck yet.
    var fault: TransportConformance.NetworkFault?
    var isDirty = false
  }

  /// The fault found no bytes to strike.
  struct NothingCame: Error, CustomStringConvertible {
    var description: String { "The network's fault did not strike: no bytes came." }
  }

  private final class Reports: Sendable {
    let state = Mutex(State())
    let listening = Signal()
    let inForce = Signal()
    let struck = Signal()
  }

  private let proxy: ProxyServer
  private let reports: Reports
  private let environment = ChatEnvironment()
  private static let patience: Duration = .seconds(10)

  /// - Parameter port: returns the server's port; called for each connection.
  init(to port: @escaping @Sendable () -> Int) throws {
    let reports = Reports()
    self.reports = reports
    proxy = try ProxyServer(host: "127.0.0.1", port: 0, to: { ("127.0.0.1", port()) }) { event in
      switch event {
      case .listening(let address):
        reports.state.withLock { $0.address = address }
        reports.listening.raise()
      case .inForce, .failed: reports.inForce.raise()
      case .carriedOut:
        reports.state.withLock { $0.fault = nil }
        reports.struck.raise()
      }
    }
  }

  /// Carries connections until the task is cancelled.
  func run() async throws { try await proxy.run() }

  /// Runs the server's process and its proxy for as long as `body` runs.
  func run(beside process: HostedProcess, _ body: @Sendable () async throws -> Void) async throws {
    try await withoutActuallyEscaping(body) { body in
      try await withThrowingTaskGroup(of: Void.self) { group in
        defer { group.cancelAll() }
        group.addTask { await process.run() }
        group.addTask { try await self.run() }
        group.addTask { try await body() }
        // The tasks of process and proxy end only with their group.
        try await group.next()
      }
    }
  }

  /// The proxy's host and port. Nil until it accepts connections.
  var address: String? { reports.state.withLock { $0.address } }

  /// Returns once the proxy accepts connections.
  func isListening() async { while address == nil { await reports.listening.wait() } }

  /// The server's URL with the proxy's host and port.
  func url(insteadOf server: String) -> URL? {
    guard let address, let parts = URLComponents(string: server),
      let host = parts.host, let port = parts.port
    else { return nil }
    return URL(string: server.replacing("\(host):\(port)", with: address, maxReplacements: 1))
  }

  /// Makes a fault, and returns once it is active.
  func make(_ fault: TransportConformance.NetworkFault) async {
    reports.state.withLock { state in
      state.isDirty = true
      state.fault = fault.reportsCompletion ? fault : nil
    }
    for order in fault.orders.compactMap(ProxyOrder.init) { await obey(order) }
  }

  /// Ends the fault.
  ///
  /// - Throws: ``NothingCame`` when it did not strike.
  func behave() async throws {
    guard reports.state.withLock({ $0.isDirty }) else { return }
    let deadline = environment.uptime() + Self.patience
    while reports.state.withLock({ $0.fault }) != nil, environment.uptime() < deadline {
      await reports.struck.wait(until: deadline, in: environment)
    }
    let fault = reports.state.withLock { state in
      defer { (state.fault, state.isDirty) = (nil, false) }
      return state.fault
    }
    await obey(.pass)
    if fault != nil { throw NothingCame() }
  }

  /// Carries out an order, and returns once it is active.
  func obey(_ order: ProxyOrder) async {
    proxy.obey(order)
    await reports.inForce.wait()
  }
}
