import Foundation
import Holdfast
import HoldfastWebSocket
import Processes
import Testing

@testable import HoldfastCommand

/// A relay, and a folder for all stores. Both are removed after the test.
struct Scene: Sendable {
  let folder: URL
  let relay: URL

  /// The accounts are `me`, `bob` and `echo`. Their names are their tokens.
  static func play(_ body: @Sendable (Scene) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "holdfast-example-\(ChatEnvironment().makeID())", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }
    try makePrivateFolder(folder)
    let accounts = ["me", "bob", "echo"].flatMap { ["--account", "\($0):\($0)"] }
    let relay = try Program(
      "holdfast", ["relay", "--data", folder.appending(path: "relay").path, "--exit-with-input"] + accounts)
    defer { relay.kill() }
    let address = try await relay.line { $0.hasPrefix("ws://") }
    try await body(Scene(folder: folder, relay: try #require(URL(string: address))))
  }

  func store(of user: String) -> String { folder.appending(path: user).path }

  /// The example's extension or app, on the store of `me`.
  func program(_ arguments: String..., in environment: [String: String] = [:]) throws -> Program {
    let place = ["--store", store(of: "me"), "--to", "me-bob"]
    return try Program("ShareExtension", arguments + place, token: "me", in: environment)
  }

  func app(in environment: [String: String] = [:]) throws -> Program {
    try program("app", "--relay", relay.absoluteString, "--with", "bob", in: environment)
  }

  /// Another user's client, connected for as long as `body` runs.
  func withClient(of user: String, _ body: (ChatClient) async throws -> Void) async throws {
    let client = try ChatClient(
      storage: .folder(folder.appending(path: user)), transport: WebSocketTransport(url: relay) { user },
      user: UserID(rawValue: user))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      defer { group.cancelAll() }
      try await body(client)
    }
  }
}

extension [String: String] {
  /// The same for a process of a build with a sanitizer: its reports go where this process's go, and the libraries
  /// preloaded here (`scripts/sanitize.sh`) are preloaded there too.
  var underSanitizer: [String: String] {
    let own = ProcessInfo.processInfo.environment
    var environment = self
    for option in ["TSAN_OPTIONS", "ASAN_OPTIONS"] { environment[option] = own[option] }
    let preloaded = [self["LD_PRELOAD"], own["LD_PRELOAD"]].compactMap(\.self).filter { !$0.isEmpty }
    environment["LD_PRELOAD"] = preloaded.isEmpty ? nil : preloaded.joined(separator: ":")
    return environment
  }
}

/// A process of the package, whose program SwiftPM puts beside the tests.
final class Program: Sendable {
  private let child: ChildProcess

  init(
    _ name: String, _ arguments: [String], token: String = "", in environment: [String: String] = [:]
  ) throws {
    child = try ChildProcess(
      executable: Bundle.main.bundleURL.appending(path: name), arguments: arguments,
      environment: environment.merging(["HOLDFAST_TOKEN": token]) { $1 }.underSanitizer)
  }

  /// The next matching line. Earlier lines are dropped.
  @discardableResult
  func line(_ isWanted: (String) -> Bool) async throws -> String {
    for await event in child.events {
      guard case .line(let line) = event else { break }
      let text = String(decoding: line, as: UTF8.self)
      if isWanted(text) { return text }
    }
    throw Ended()
  }

  func say(_ lines: String...) { for line in lines { child.send(Data(line.utf8)) } }

  func closeInput() { child.closeInput() }

  /// Kills the process with SIGKILL.
  func kill() { child.kill() }

  /// Asks the process to end, as systemd and containers do (SIGTERM).
  func terminate() { child.send(signal: SIGTERM) }

  /// The exit status, once the process has ended.
  func ending() async -> ChildProcess.Ending? {
    for await event in child.events {
      if case .ended(let ending) = event { return ending }
    }
    return nil
  }

  struct Ended: Error {}
}

extension ChatClient {
  /// The texts of a conversation, once they are as expected.
  nonisolated func bodies(
    in conversation: ConversationID, when isWanted: ([String]) -> Bool
  ) async -> [String] {
    for await timeline in self.conversation(conversation).timeline(limit: 5000) {
      let bodies = timeline.rows.map(\.text)
      if isWanted(bodies) { return bodies }
    }
    return []
  }
}
