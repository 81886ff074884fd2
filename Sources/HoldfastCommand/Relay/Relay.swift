import ArgumentParser
import ChatServer
import Foundation
import Holdfast
import HoldfastTesting
import Logging
import NIOCore

/// `holdfast relay`: the reference server on a WebSocket.
struct Relay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serve chats over WebSockets, as docs/wire.md describes.",
    discussion: """
        holdfast relay --data ~/relay --port 8080 --accounts-file ~/accounts

      Prints its address on a line of its own once it listens. The relay has no TLS. On any interface except the \
      loopback interface, put a proxy with TLS in front of it, as docs/relay.md shows.

      The accounts are those of the file and of --account together. Any other account loses its token, keeps its \
      messages, and has them again when it comes back. With neither option, the accounts are those of the last time.

      SIGHUP makes the relay read the accounts file again: new accounts get in, and the connections of an account that \
      is gone or has another token end. A file that is wrong or has no account changes nothing, and the standard error \
      says why.

      GET /healthz is answered with 200 when the database answers. The standard error has a line for each connection, \
      for each refusal and for each end, with the connection's number, and without names and contents.
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

  @Option(
    help: "The megabytes that an account may store: its messages, attachments and conversations.")
  var accountQuota = Int(Limits().maximumStoredBytes / 1_000_000)

  @Option(
    help: "The port on 127.0.0.1 for GET /metrics, in the text format of Prometheus. 0 chooses a free port.")
  var metricsPort: UInt16?

  @Flag(help: "Log warnings and errors only.")
  var quiet = false

  @Flag(
    help: ArgumentHelp(
      "Stop when the standard input ends, as it does when the parent process ends.", visibility: .hidden))
  var exitWithInput = false

  @Flag(
    help: ArgumentHelp(
      "Read faults to inject from the standard input, and print each injected fault.", visibility: .hidden))
  var misbehaves = false

  func run() async throws {
    // From here on, a SIGHUP does not end the process. Without a file there is nothing to reload.
    let reloads = accountsFile == nil ? nil : reloadSignals()
    let (accountsFile, trial) = (accountsFile, account)
    let tokens = try Self.tokens(in: accountsFile, and: trial)
    guard (1...1_000_000).contains(messagesPerSecond) else {
      throw ValidationError("--messages-per-second must be 1 to 1,000,000.")
    }
    guard (1...1_000_000_000).contains(accountQuota) else {
      throw ValidationError("--account-quota must be 1 to 1,000,000,000 megabytes.")
    }
    var limits = Limits()
    limits.maximumStoredBytes = Int64(accountQuota) * 1_000_000
    limits.messagesPerSecond = messagesPerSecond
    limits.burst = Int(messagesPerSecond) * 10
    var environment = ChatEnvironment()
    environment.logger = RelayLog.logger(isQuiet: quiet, uptime: environment.uptime)
    guard let address = try? SocketAddress(ipAddress: host, port: Int(port)) else {
      throw ValidationError("--host must be an IPv4 or IPv6 address.")
    }
    let folder = data.url
    // A relay that cannot listen leaves no new folder behind.
    if !FileManager.default.fileExists(atPath: folder.path) {
      try await Complaint.onPort(Int(port), of: host) { try await ServerSockets.tryOut(address) }
    }
    let server: ChatServer
    do { server = try ChatServer(folder: folder, limits: limits, environment: environment) } catch {
      throw Complaint(error, about: folder)
    }
    if let tokens { try await server.setAccounts(tokens) }
    let isWithoutAccounts = try await server.accountCount() == 0

    // A client that disconnects in the middle of a write must not end the server.
    signal(SIGPIPE, SIG_IGN)
    let signals = terminationSignals()
    let faults = misbehaves ? FaultLayer() : nil
    let relay = RelayServer(server: server, address: address, faults: faults, environment: environment)
    let isBeyondThisMachine = !relay.isOnLoopback
    let (listening, announced) = AsyncStream.makeStream(of: Never.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await Complaint.onPort(Int(port), of: host) {
          try await relay.run { url in
            if isBeyondThisMachine { Self.warn(Self.noTLS) }
            if isWithoutAccounts { Self.warn(Self.noAccount) }
            Self.write(Data(url.utf8))
            announced.finish()
          }
        }
      }
      if let metricsPort {
        group.addTask {
          // The relay's own address is the first line.
          for await _ in listening {}
          try await MetricsPage(relay: relay).serve(on: metricsPort) { Self.write(Data($0.utf8)) }
        }
      }
      if let reloads {
        group.addTask { [logger = environment.logger] in
          for await _ in reloads {
            await Self.serve(accountsIn: accountsFile, and: trial, by: server, logger)
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

  /// All accounts with their tokens. Nil when the command line names none.
  private static func tokens(in file: NamedPath?, and trial: [String]) throws -> [UserID: String]? {
    guard file != nil || !trial.isEmpty else { return nil }
    let accounts =
      try (file.map { try AccountsFile.read($0.url) } ?? [])
      + trial.map { try AccountsFile.parse(line: $0) }
    let tokens = Dictionary(accounts.map { ($0.id, $0.token) }) { first, _ in first }
    guard tokens.count == accounts.count, Set(tokens.values.map { Data($0.utf8) }).count == accounts.count
    else {
      throw ValidationError("An --account has the name or the token of another account. Choose another one.")
    }
    return tokens
  }

  /// Reloads the accounts, so that the server admits only these. An error leaves the server unchanged.
  private static func serve(
    accountsIn file: NamedPath?, and trial: [String], by server: ChatServer, _ logger: Logger
  ) async {
    do {
      let tokens = try tokens(in: file, and: trial) ?? [:]
      // An editor may have emptied the file a moment ago, before rewriting it.
      guard !tokens.isEmpty else { throw Complaint(.unusable, "The accounts file has no account.") }
      try await server.setAccounts(tokens)
      logger.notice("accounts read again", metadata: ["accounts": "\(tokens.count)"])
    } catch {
      warn("the accounts stay as they are. \(Complaint(error))")
    }
  }

  /// The warning about unencrypted connections.
  private static let noTLS = """
    other machines can connect, and the relay has no TLS: whoever is on the way reads tokens and messages. Put a proxy \
    with TLS in front of it. Clients refuse ws:// to another machine.
    """

  private static let noAccount = "nobody can connect: the relay has no account. Give --accounts-file FILE."

  private static func warn(_ sentence: String) {
    FileHandle.standardError.write(Data("warning: \(sentence)\n".utf8))
  }

  /// Writes a line unbuffered, because the process that started this one waits for the line.
  private static func write(_ line: Data) {
    try? FileHandle.standardOutput.write(contentsOf: line + Data("\n".utf8))
  }
}
