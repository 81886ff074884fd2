import ArgumentParser
import Foundation
import Holdfast
import HoldfastWebSocket

/// An app that keeps its messages in a table of its own, as an app with Core Data or SwiftData does. It takes only the
/// draft and the outbox from Holdfast. Kill it at any moment and start it again: the table is told of each delivery
/// exactly once.
///
/// Three things make that true:
/// - The engine records the outcome of a message in the transaction that finishes the message.
/// - The table stores the number of the last outcome in the transaction that changes its rows.
/// - The engine forgets an outcome, and the delivered message, only after the table has stored it.
@main struct OutboxOnly: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sends each line of its input, and keeps the messages in a table of its own.",
    discussion: """
      A line that begins with a question mark is only typed: it becomes the draft, and the next start shows it. The \
      account's token is taken from the variable HOLDFAST_TOKEN.
      """)

  @Option(help: "The relay's address, ws://…/v1/connect.")
  var relay: String

  @Option(help: "The folder of the table and of the engine's store.", completion: .directory)
  var store: String

  @Option(help: "The account that the store belongs to.")
  var user = "me"

  @Option(help: "The conversation.")
  var to: String

  @Option(name: .customLong("with"), help: "Another member of the conversation.")
  var other: String

  @MainActor func run() async throws {
    let token = ProcessInfo.processInfo.environment["HOLDFAST_TOKEN"] ?? ""
    let folder = URL(filePath: store, directoryHint: .isDirectory)
    let client = try ChatClient(
      storage: .folder(folder.appending(path: "engine", directoryHint: .isDirectory)),
      transport: WebSocketTransport(relay) { token }, user: UserID(rawValue: user),
      // This program does not ask its user about messages that have waited for a day.
      configuration: ChatConfiguration(outbox: .init(heldAfter: nil), recordsDeliveries: true))
    let table = try MessageTable(folder.appending(path: "messages.jsonl"))
    let chat = try client.createConversation(
      ConversationID(rawValue: to), members: [UserID(rawValue: other)])
    try await adopt(chat, into: table)
    let composer = ComposerModel(client, chat.id)
    Self.report("\(table.summary), draft '\(composer.snapshot.text)'")

    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      group.addTask { try await Self.follow(client, table) }
      for await line in Self.input() {
        let isDraft = line.hasPrefix("?")
        composer.edit(isDraft ? String(line.dropFirst()) : line)
        // The draft moves to the outbox in one transaction of the engine, and then gets its row.
        if !isDraft, let id = composer.send() { try table.insert(id, line) }
      }
      composer.hardSave()
      group.cancelAll()
    }
  }

  /// Inserts the messages that were sent just before the app was killed, and have no row yet. The engine still has
  /// them, because it forgets only messages whose rows know of their delivery.
  @MainActor private func adopt(_ chat: ConversationHandle, into table: MessageTable) async throws {
    for await timeline in chat.timeline(limit: 100_000) {
      for row in timeline.rows where row.isMine && table.rows[row.id] == nil {
        try table.insert(row.id, row.text)
      }
      break
    }
  }

  /// Reports to the table what became of its messages, until the task is cancelled.
  @MainActor private static func follow(_ client: ChatClient, _ table: MessageTable) async throws {
    // What was told before the app was killed may not have been forgotten.
    try client.outbox.acknowledge(upTo: table.lastDelivery, forgettingMessages: true)
    for try await news in client.outbox.deliveries(after: table.lastDelivery) {
      try table.record(news)
      try client.outbox.acknowledge(upTo: table.lastDelivery, forgettingMessages: true)
      report(table.summary)
    }
  }

  /// Prints a line unbuffered, because a reader may be waiting for it.
  private static func report(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// The lines of the input. Reading blocks, so it has a thread of its own.
  private static func input() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return lines
  }
}
