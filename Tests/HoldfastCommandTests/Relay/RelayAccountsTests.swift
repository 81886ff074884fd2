import CommandFixtures
import FlyingSocks
import Foundation
import HoldfastRelay
import Processes
import Testing

@testable import HoldfastCommand

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A relay as a separate process, with an accounts file.
@Suite(.timeLimit(.minutes(10))) struct RelayAccountsTests {
  private let scratch = FileManager.default.temporaryDirectory.appending(
    path: "holdfast-accounts-\(UUID().uuidString)", directoryHint: .isDirectory)
  private var accounts: URL { scratch.appending(path: "accounts") }

  private func write(_ lines: String...) throws {
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    try Data(lines.joined(separator: "\n").utf8).write(to: accounts)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: accounts.path)
  }

  /// Starts a relay. Its errors are a stream of lines.
  private func start(_ more: String...) throws -> (relay: ChildProcess, errors: AsyncStream<Data>) {
    let pipe = Pipe()
    let relay = try ChildProcess.holdfast(
      ["relay", "--data", scratch.appending(path: "data").path, "--exit-with-input"] + more,
      program: Bundle.main.bundleURL.appending(path: "holdfast"), errors: pipe.fileHandleForWriting)
    // The lines end when the relay does, and not when this process closes its end.
    try pipe.fileHandleForWriting.close()
    return (relay, LineReader.lines(of: pipe.fileHandleForReading))
  }

  private func line(of errors: AsyncStream<Data>, with words: String) async -> String? {
    for await line in errors {
      let line = String(decoding: line, as: UTF8.self)
      if line.contains(words) { return line }
    }
    return nil
  }

  private func address(of relay: ChildProcess) async throws -> URL {
    for await event in relay.events {
      guard case .line(let line) = event else { break }
      return try #require(RelayAddress.parse(line))
    }
    throw SocketError.disconnected
  }

  private func connect(_ token: String, to url: URL) async throws -> TestSocket {
    let socket = try await TestSocket(url: url, token: token)
    try await socket.write(.hello(.init(after: nil)))
    while true { if case .welcome = try await socket.read() { return socket } }
  }

  private func failure(on socket: TestSocket) async throws -> Wire.Failure.Code {
    while true { if case .failure(let failure) = try await socket.read() { return failure.code } }
  }

  @Test func `SIGHUP lets new accounts in, ends those that are gone, and leaves the others alone`()
    async throws
  {
    try write("alice:a", "bob:b", "carol:c")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let (relay, errors) = try start("--accounts-file", accounts.path)
    defer { relay.kill() }
    let url = try await address(of: relay)
    let (alice, bob) = (try await connect("a", to: url), try await connect("b", to: url))
    let carol = try await connect("c", to: url)

    try write("alice:a", "carol:new", "dora:d")
    relay.send(signal: SIGHUP)

    for socket in [bob, carol] {
      #expect(try await failure(on: socket) == .unauthorized)
      await socket.untilClosed()
    }
    let late = [try await connect("new", to: url), try await connect("d", to: url)]
    try await alice.write(.eg("m", body: "hello"))
    while !(try await alice.read()).isReceipt(of: "m") {}
    #expect(await line(of: errors, with: "accounts read again")?.contains("accounts=3") == true)
    for socket in late + [alice, bob, carol] { try socket.close() }
  }

  @Test func `a file that is wrong at SIGHUP is refused with a line, and the accounts stay`() async throws {
    try write("alice:a", "bob:b")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let (relay, errors) = try start("--accounts-file", accounts.path)
    defer { relay.kill() }
    let url = try await address(of: relay)
    let bob = try await connect("b", to: url)

    try write("alice:a", "alice:z")
    relay.send(signal: SIGHUP)
    let twice = await line(of: errors, with: "warning:")
    try write("# Nobody")
    relay.send(signal: SIGHUP)
    let empty = await line(of: errors, with: "warning:")

    #expect(
      twice
        == "warning: the accounts stay as they are. Lines 1 and 2 of \(accounts.path) have the same name. "
        + "Remove one of them.")
    #expect(empty == "warning: the accounts stay as they are. The accounts file has no account.")
    try await bob.write(.ping)
    while true { if case .pong = try await bob.read() { break } }
    try bob.close()
    try await connect("a", to: url).close()
  }

  @Test func `an account that is in neither file nor options does not get in after a restart`() async throws {
    try write("alice:a", "bob:b")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let (first, _) = try start("--accounts-file", accounts.path)
    _ = try await address(of: first)
    first.closeInput()
    for await event in first.events { if case .ended(let ending) = event { #expect(ending == .exit(0)) } }

    try write("alice:a")
    let (second, _) = try start("--accounts-file", accounts.path, "--account", "carol:c")
    defer { second.kill() }
    let url = try await address(of: second)
    for token in ["a", "c"] { try await connect(token, to: url).close() }
    #expect(try await status(url, "/v1/connect", token: "b") == 401)
  }

  @Test func `a relay without an account says so`() async throws {
    try write()
    defer { try? FileManager.default.removeItem(at: scratch) }
    let (relay, errors) = try start()
    defer { relay.kill() }
    #expect(await line(of: errors, with: "warning:")?.contains("the relay has no account") == true)
  }

  @Test func `metrics have a port of their own, and neither they nor the log have names, tokens or contents`()
    async throws
  {
    try write("alice:a-long-token")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let (relay, errors) = try start("--accounts-file", accounts.path, "--metrics-port", "0")
    defer { relay.kill() }
    var addresses: [String: URL] = [:]
    for await event in relay.events {
      guard case .line(let line) = event, let url = URL(string: String(decoding: line, as: UTF8.self)) else {
        break
      }
      addresses[url.scheme ?? ""] = url
      if addresses.count == 2 { break }
    }
    let (url, metrics) = (try #require(addresses["ws"]), try #require(addresses["http"]))
    let alice = try await connect("a-long-token", to: url)
    try await alice.write(.eg("m", body: "Buy gas"))
    while !(try await alice.read()).isReceipt(of: "m") {}
    #expect(try await status(url, "/v1/connect", token: "wrong") == 401)
    #expect(try await status(url, "/healthz") == 200)
    #expect(try await status(url, "/metrics") == 404)

    let (body, _) = try await URLSession.shared.data(from: metrics)
    let text = String(decoding: body, as: UTF8.self)
    for line in [
      "holdfast_accounts 1", "holdfast_connections 1", "holdfast_frames_received_total 2",
      "holdfast_http_responses_total{status=\"401\"} 1", "# TYPE holdfast_wal_bytes gauge",
    ] {
      #expect(text.contains(line + "\n"), "\(line) is not in \(text)")
    }
    try alice.close()
    relay.send(signal: SIGTERM)
    for await event in relay.events { if case .ended(let ending) = event { #expect(ending == .exit(0)) } }
    var log = text
    for await line in errors {
      log += String(decoding: line, as: UTF8.self) + "\n"
      if log.contains("disconnected") { break }
    }
    for word in ["connected", "connection=1", "status=401"] { #expect(log.contains(word), "\(log)") }
    for content in ["alice", "a-long-token", "Buy gas"] { #expect(!log.contains(content), "\(log)") }
  }

  private func status(_ url: URL, _ path: String, token: String? = nil) async throws -> Int? {
    var components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
    (components.scheme, components.path) = ("http", path)
    var request = URLRequest(url: try #require(components.url))
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    let (_, response) = try await URLSession.shared.data(for: request)
    return (response as? HTTPURLResponse)?.statusCode
  }
}
