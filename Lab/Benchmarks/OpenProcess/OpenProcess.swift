import Foundation
import Holdfast
import HoldfastTransport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An app that is launched into a conversation: `open-process STORE CONVERSATION` opens the store, reads the newest
/// rows, and says how many there are and how much memory it took. Without arguments it says so at once: what the
/// libraries of an app take before its first line.
@main struct OpenProcess {
  @MainActor static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { return say("0 0") }
    var environment = ChatEnvironment()
    environment.logger.logLevel = .error
    let client = try ChatClient(
      storage: .folder(URL(fileURLWithPath: arguments[1])), transport: NoBackend(), user: "alice",
      configuration: ChatConfiguration(environment: environment))
    let model = ConversationModel(client, ConversationID(rawValue: arguments[2]))
    say("\(model.snapshot.rows.count)")
    // Whoever waits for the rows has them; what is read here is not in their time.
    say("\(peak())")
  }

  private static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    write(1, bytes, bytes.count)
  }

  /// In kilobytes. 0 where the system does not report it.
  private static func peak() -> Int {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}

private struct NoBackend: Transport {
  let capabilities = TransportCapabilities(window: 1, idempotency: .forever)

  func withConnection(
    resumingAfter cursor: SyncCursor?, _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws { try await Task.sleep(for: .seconds(3_600)) }
}
