import ArgumentParser
import ChatServer
import Foundation
import Holdfast
import HoldfastTesting

/// `holdfast relay`: the reference server on a WebSocket.
struct Relay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serve chats over WebSockets, as docs/wire.md describes.",
    discussion: """
      Prints its address on a line of its own once it listens. The relay has no TLS. On any interface except the \
      loopback interface, put a proxy with TLS in front of it.
      """)

  @Option(help: "The port to listen on. 0 chooses a free port.")
  var port: UInt16 = 0

  @Option(help: "The IPv4 or IPv6 address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The folder of the server's database. It is created when missing.", completion: .directory)
  var data: NamedPath

  @Option(help: "A file of accounts, NAME:TOKEN on each line. Only its owner may read it.")
  var accountsFile: NamedPath?

  @Option(
    help: "An account, NAME:TOKEN, for a trial. Every user of this machine can read it in the process list.")
  var account: [String] = []

  @Option(
    help: "The number of messages that an account may send per second; ten times as many at once.")
  var messagesPerSecond = Limits().messagesPerSecond

  @Flag(
    help: ArgumentHelp(
      "Stop when the standard input ends, as it does when the parent process ends.", visibility: .hidden))
  var exitWithInput = false

  @Flag(
    help: ArgumentHelp(
      "Read faults to inject from the standard input, and print each injected fault.", visibility: .hidden))
  var misbehaves = false

  func run() async throws {
    let accounts = try accountsFile.map { try AccountsFile.read($0.url) } ?? []
    let trial = try account.map { try AccountsFile.parse(line: $0) }
    guard (1...1_000_000).contains(messagesPerSecond) else {
      throw ValidationError("--messages-per-second must be 1 to 1,000,000.")
    }
    var limits = Limits()
    limits.messagesPerSecond = messagesPerSecond
    limits.burst = Int(messagesPerSecond) * 10
    let folder = data.url
    let server: ChatServer
    do { server = try ChatServer(folder: folder, limits: limits) } catch {
      throw Complaint(error, about: folder)
    }
    for account in accounts + trial { try await server.register(account.id, token: account.token) }

    // A client that leaves in the middle of a write must not end the server.
    signal(SIGPIPE, SIG_IGN)
    let signals = terminationSignals()
    let faults = misbehaves ? FaultLayer() : nil
    guard let relay = try? RelayServer(server: server, host: host, port: port, faults: faults) else {
      throw ValidationError("--host must be an IPv4 or IPv6 address.")
    }
    let isBeyondThisMachine = !relay.isOnLoopback
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await Complaint.onPort(Int(port), of: host) {
          try await relay.run { url in
            if isBeyondThisMachine { Self.warn() }
            Self.write(Data(url.utf8))
          }
        }
      }
      group.addTask {
        for await _ in signals { break }
        await relay.stop()
      }
      if exitWithInput || misbehaves {
        group.addTask {
          for await line in LineReader.standardInput() {
            if let order = try? JSONDecoder().decode(FaultOrder.self, from: line) {
              await faults?.obey(order, on: server)
            }
          }
          await relay.stop()
        }
      }
      if let faults {
        group.addTask {
          await faults.report { report in
            if let line = try? JSONEncoder().encode(report) { Self.write(line) }
          }
        }
      }
      // The relay ends when it was stopped, or when it cannot listen. Either way the wait for signals ends too.
      try await group.next()
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  /// Says what others on the network could read.
  private static func warn() {
    let warning = """
      warning: other machines can connect, and the relay has no TLS: whoever is on the way reads tokens and messages. Put a \
      proxy with TLS in front of it. Clients refuse ws:// to another machine.

      """
    FileHandle.standardError.write(Data(warning.utf8))
  }

  /// Writes a line unbuffered, because the process that started this one waits for the line.
  private static func write(_ line: Data) {
    try? FileHandle.standardOutput.write(contentsOf: line + Data("\n".utf8))
  }
}
