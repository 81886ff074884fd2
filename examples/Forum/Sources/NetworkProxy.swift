import Foundation
import HoldfastTesting
import Synchronization

/// `holdfast-lab proxy` between the phones and the server: a program that passes bytes on, and fails as its input says.
final class NetworkProxy: Sendable {
  /// The fault found no bytes to strike.
  struct NothingCame: Error {}

  private let input = Pipe()
  private let lines: AsyncStream<String>
  /// Whether the proxy is to say that it has made the last fault.
  private let isAwaited = Mutex(false)

  init(_ program: URL, to port: UInt16) throws {
    let (process, output) = (Process(), Pipe())
    let (lines, line) = AsyncStream<String>.makeStream()
    self.lines = lines
    (process.executableURL, process.arguments) = (program, ["proxy", "--to", "127.0.0.1:\(port)"])
    (process.standardInput, process.standardOutput) = (input, output)
    output.fileHandleForReading.readabilityHandler = { handle in
      let bytes = handle.availableData
      if bytes.isEmpty { handle.readabilityHandler = nil }
      for text in String(decoding: bytes, as: UTF8.self).split(separator: "\n") { line.yield(String(text)) }
    }
    try process.run()
  }

  /// HOST:PORT, once the proxy listens.
  func address() async -> String { await line { $0.contains(":") } }

  func make(_ fault: TransportConformance.NetworkFault) async throws {
    isAwaited.withLock { $0 = fault.reportsCompletion }
    for order in fault.orders { try await obey(order) }
  }

  /// Ends the fault, once it has struck.
  func behave() async throws {
    let isMade = try await withThrowingTaskGroup(of: Bool.self) { group in
      defer { group.cancelAll() }
      guard isAwaited.withLock({ $0 }) else { return true }
      group.addTask { await self.line { $0 == "done" } == "done" }
      group.addTask {
        try await Task.sleep(for: .seconds(10))
        return false
      }
      return try await group.next() ?? false
    }
    isAwaited.withLock { $0 = false }
    try await obey("pass")
    if !isMade { throw NothingCame() }
  }

  private func obey(_ order: String) async throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(order)\n".utf8))
    _ = await line { $0 == "ok" }
  }

  private func line(_ isMeant: (String) -> Bool) async -> String {
    for await line in lines where isMeant(line) { return line }
    return ""
  }
}
