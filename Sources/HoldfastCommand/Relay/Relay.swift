import ArgumentParser
import ChatServer
import Foundation
import Holdfast

/// `holdfast relay`: the reference server on a WebSocket.
struct Relay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves chats over WebSockets, as docs/wire.md describes.",
    discussion: """
      Prints its address on a line of its own once it listens. It speaks no TLS: on anything but the \
      loopback interface, put a proxy in front that does.
      """)

  @Option(help: "The port to listen on. 0 takes a free one.")
  var port: UInt16 = 0

  @Option(help: "The IPv4 or IPv6 address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The folder for the server's database. Made when there is none.", completion: .directory)
  var data: String

  @Option(help: "A file of accounts, NAME:TOKEN on each line, that only its owner can read.")
  var accountsFile: String?

  @Option(help: "An account, for a trial: every user of this machine can read a program's arguments.")
  var account: [String] = []

  @Option(
    help: "How many messages an account may send per second in the long run; ten times as many at once.")
  var messagesPerSecond = Limits().messagesPerSecond

  @Flag(
    help: ArgumentHelp(
      "Stop when the standard input ends, as it does when the parent dies.", visibility: .hidden))
  var exitWithInput = false

  @Flag(
    help: ArgumentHelp(
      "Take orders to misbehave from the standard input, and say what is done wrong.", visibility: .hidden))
  var misbehaves = false

  func run() async throws {
    let accounts = try accountsFile.map { try AccountsFile.read(URL(filePath: $0)) } ?? []
    let trial = try account.map { try AccountsFile.parse(line: $0) }
    guard (1...1_000_000).contains(messagesPerSecond) else {
      throw ValidationError("--messages-per-second takes 1 to 1,000,000.")
    }
    var limits = Limits()
    limits.messagesPerSecond = messagesPerSecond
    limits.burst = Int(messagesPerSecond) * 10
    let server = try ChatServer(folder: URL(filePath: data, directoryHint: .isDirectory), limits: limits)
    for account in accounts + trial { try await server.register(account.id, token: account.token) }

    // A client that leaves in the middle of a write must not end the server.
    signal(SIGPIPE, SIG_IGN)
    let signals = terminationSignals()
    let faults = misbehaves ? FaultLayer() : nil
    guard let relay = try? RelayServer(server: server, host: host, port: port, faults: faults) else {
      throw ValidationError("--host takes an IPv4 or IPv6 address.")
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await relay.run { url in
          Self.write(Data(url.utf8))
        }
      }
      group.addTask {
        for await _ in signals { break }
        await relay.stop()
      }
      if exitWithInput || misbehaves {
        group.addTask {
          for await line in LineReader.standardInput() {
            if let order = try? JSONDecoder().decode(FaultOrder.self, from: line) { faults?.take(order) }
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

  /// Writes a line unbuffered, because the process that started this one waits for the line.
  private static func write(_ line: Data) {
    try? FileHandle.standardOutput.write(contentsOf: line + Data("\n".utf8))
  }
}
