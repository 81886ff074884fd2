import ChatServer
import Foundation
import HoldfastCore
import HoldfastRelay
import HoldfastTransport
import Synchronization

/// A client's frames to the relay, one on each line. Alice sends them, and Bob those with a leading `>`. With a
/// leading `!` before all lines, the first frame is the hello; otherwise both have sent their hellos.
enum DoorWords {
  /// The number of inputs for one server. Afterwards a new one begins: with all earlier messages, each hello takes
  /// longer, and a crash can be reproduced only by repeating all of them.
  private static let inputsOfServer = 250

  private static let present = Mutex<(server: FuzzedServer, inputs: Int)?>(nil)

  static func read(_ bytes: [UInt8]) {
    let server = server()
    let isGreeted = bytes.first != UInt8(ascii: "!")
    let lines = bytes.dropFirst(isGreeted ? 0 : 1).split(separator: UInt8(ascii: "\n"))
    finish { await server.hear(lines, isGreeted: isGreeted) }
  }

  private static func server() -> FuzzedServer {
    present.withLock { present in
      if let (server, inputs) = present, inputs < inputsOfServer {
        present = (server, inputs + 1)
        return server
      }
      present?.server.end()
      let server = FuzzedServer()
      present = (server, 1)
      return server
    }
  }
}

/// A relay in its own folder, with two accounts.
private final class FuzzedServer: Sendable {
  private static let accounts: [UserID] = ["alice", "bob"]
  private static let first = Data(
    (#"{"type":"send","messages":[{"id":"m0","conversation":"c","members":["alice","bob"],"role":"user","#
      + #""body":"hello","at":5,"handover":1}]}"#).utf8)

  private let folder: URL
  private let server: ChatServer
  private let clock: Clock

  init() {
    let place = ProcessInfo.processInfo.environment["HOLDFAST_FUZZ_FOLDER"] ?? NSTemporaryDirectory()
    folder = URL(fileURLWithPath: place).appendingPathComponent("fuzz-words-\(getpid())")
    try? FileManager.default.removeItem(at: folder)
    let date = Date(timeIntervalSince1970: 1_780_000_000)
    var environment = ChatEnvironment(now: { date })
    environment.logger.logLevel = .critical
    let clock = Clock()
    environment.uptime = { clock.time }
    self.clock = clock
    do { server = try ChatServer(folder: folder, environment: environment) } catch {
      fatalError("no server: \(error)")
    }
    finish { [self] in
      do {
        for account in Self.accounts { try await server.register(account, token: "token-\(account)") }
      } catch { fatalError("no account: \(error)") }
      let (alice, _) = await connection(of: "alice", isGreeted: true)
      await server.receive(Self.first, on: alice)
      await server.disconnect(alice)
    }
  }

  func end() {
    finish { [server] in await server.stop() }
    try? FileManager.default.removeItem(at: folder)
  }

  /// Receives Alice's and Bob's frames, each on a new connection. The server must then still answer.
  func hear(_ lines: [ArraySlice<UInt8>], isGreeted: Bool) async {
    // The rate limits must not apply.
    clock.advance(by: .seconds(60))
    let (alice, _) = await connection(of: "alice", isGreeted: isGreeted)
    let (bob, _) = await connection(of: "bob", isGreeted: isGreeted)
    for line in lines {
      let isBobs = line.first == UInt8(ascii: ">")
      await server.receive(Data(isBobs ? line.dropFirst() : line), on: isBobs ? bob : alice)
    }
    for connection in [alice, bob] { await server.disconnect(connection) }
    let (last, answers) = await connection(of: "bob", isGreeted: true)
    await server.receive(Data(#"{"type":"ping"}"#.utf8), on: last)
    precondition(answers.hasPong, "the server no longer answers")
    await server.disconnect(last)
  }

  private func connection(of account: UserID, isGreeted: Bool) async -> (ConnectionID, Answers) {
    let answers = Answers()
    do {
      let id = try await server.connect(token: "token-\(account)") { answers.take($0) }
      if isGreeted { await server.receive(Data(#"{"type":"hello","version":1}"#.utf8), on: id) }
      return (id, answers)
    } catch { fatalError("no connection: \(error)") }
  }
}

/// The frames that a connection receives. Its client must be able to parse each of them.
private final class Answers: Sendable {
  private let state = Mutex(false)

  /// Whether the server has answered a ping.
  var hasPong: Bool { state.withLock { $0 } }

  func take(_ output: ServerOutput) {
    guard case .frame(let bytes) = output else { return }
    switch try? JSONDecoder().decode(Wire.ServerFrame.self, from: bytes) {
    case nil, .unknown: fatalError("the server sends what no client reads")
    case .pong: state.withLock { $0 = true }
    case .events(let page):
      for item in page.items where item.message != nil || item.conversation != nil {
        precondition(IncomingItem(item) != nil, "the server stores what no client takes")
      }
    default: break
    }
  }
}

/// A clock that advances on request.
private final class Clock: Sendable {
  private let state = Mutex(Duration.zero)

  var time: Duration { state.withLock { $0 } }
  func advance(by duration: Duration) { state.withLock { $0 += duration } }
}
