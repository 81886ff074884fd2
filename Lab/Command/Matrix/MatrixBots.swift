import ArgumentParser
import Foundation
import Holdfast
import HoldfastCommand

/// `holdfast-lab matrix-bots`: bots of one process on a Matrix homeserver, each with its own client and store.
/// `scripts/matrix_scale.py` starts several such processes, kills them at random, and starts them again on their
/// stores.
///
/// It writes lines: `LATE MICROSECONDS` for each message of another bot that it sees, `DONE BOT` when a bot's
/// messages are delivered, and, after a line of input, `ROWS BOT ID,ID,…` for each bot.
struct MatrixBots: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "matrix-bots", abstract: "Run bots on a Matrix homeserver.", shouldDisplay: false)

  @Option(help: "HOST:PORT of the homeserver.") var server: String
  @Option(help: "The folder of the bots' stores.", completion: .directory) var data: String
  @Option(help: "The number of the first bot.") var first: Int
  @Option(help: "The bots of this process.") var count: Int
  @Option(help: "All bots.") var bots: Int
  @Option(help: "The rooms. Bot N is in room N modulo this.") var rooms: Int
  @Option(help: "The messages that each bot sends.") var messages: Int
  @Option(help: "The seconds between two messages of a bot.") var pause: Double

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    let lines = LineReader.standardInput()
    let bots = try (first..<(first + count)).map { try MatrixBot(number: $0, of: self) }
    await withDiscardingTaskGroup { group in
      for bot in bots { group.addTask { await bot.run() } }
      for await _ in lines {
        for bot in bots { bot.reportRows() }
      }
      group.cancelAll()
    }
  }
}

/// One bot: it writes at its pace, and reads the messages of the others in its room.
private struct MatrixBot: Sendable {
  let number: Int
  let command: MatrixBots
  let client: ChatClient
  private let environment: ChatEnvironment

  init(number: Int, of command: MatrixBots) throws {
    (self.number, self.command) = (number, command)
    var environment = ChatEnvironment()
    environment.logger.logLevel = .critical
    self.environment = environment
    let user = Self.user(number)
    let folder = URL(filePath: command.data, directoryHint: .isDirectory).appending(path: "bot-\(number)")
    client = try ChatClient(
      storage: .folder(folder),
      transport: try MatrixPhone.transport(to: command.server, as: user, data: folder), user: user,
      // Nobody would answer the prompt about messages that have waited for a day.
      configuration: ChatConfiguration(outbox: .init(heldAfter: nil), environment: environment))
    let others = stride(from: number % command.rooms, to: command.bots, by: command.rooms)
    try client.createConversation(room, members: others.map(Self.user))
  }

  private static func user(_ number: Int) -> UserID { UserID(rawValue: "@bot\(number):localhost") }

  private var room: ConversationID { ConversationID(rawValue: "room-\(number % command.rooms)") }

  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      group.addTask { await read() }
      group.addTask { await write() }
      await group.waitForAll()
    }
  }

  /// Sends each message once, regardless of kills of the process in between.
  private func write() async {
    do {
      // Spread over time.
      try await environment.sleep(
        environment.uptime() + .seconds(command.pause * environment.random()))
      for message in 1...command.messages {
        let isNew = try client.conversation(room).sendOnce(
          "\(message) \(Self.microseconds(environment.now()))",
          id: MessageID(rawValue: "bot-\(number)-\(message)"))
        if isNew { try await environment.sleep(environment.uptime() + .seconds(command.pause)) }
      }
      for await health in client.outbox.healthChanges() where health.waiting == 0 {
        Self.say("DONE \(number)")
        return
      }
    } catch {
      if !(error is CancellationError) { Self.say("FAILED \(number) \(error)") }
    }
  }

  /// Reports the latency of each message of the others, from its sending to its row here.
  private func read() async {
    var seen: Set<MessageID> = []
    let start = Self.microseconds(environment.now())
    for await snapshot in client.conversation(room).timeline(limit: 30) {
      let now = Self.microseconds(environment.now())
      for row in snapshot.rows where !row.isMine && seen.insert(row.id).inserted {
        // Messages sent before this process began have waited for the process.
        guard let sent = row.text.split(separator: " ").last.flatMap({ Int64($0) }), sent > start else {
          continue
        }
        Self.say("LATE \(now - sent)")
      }
    }
  }

  func reportRows() {
    let rows = (try? client.reader.conversation(room, limit: command.messages * command.bots).rows) ?? []
    Self.say("ROWS \(number) \(rows.map(\.id.rawValue).joined(separator: ","))")
  }

  private static func microseconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970 * 1_000_000) }

  /// Writes a whole line at once.
  private static func say(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
  }
}
