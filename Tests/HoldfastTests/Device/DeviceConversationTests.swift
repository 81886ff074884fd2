import EngineFixtures
import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Conversations that are stored on this device only.
@Suite struct DeviceConversationTests {
  private let bench = try! Bench()

  /// Launches the app without a server, on a device without a network.
  private func alone() throws -> ChatClient { try Self.alone(bench, bench.environment) }

  /// Launches it in the simulated world of the bench.
  private static func simulated(_ bench: Bench) throws -> ChatClient {
    var environment = bench.environment
    environment.executor = SeededSerialExecutor(scheduler: bench.scheduler)
    return try alone(bench, environment)
  }

  private static func alone(_ bench: Bench, _ environment: ChatEnvironment) throws -> ChatClient {
    try ChatClient(
      storage: .folder(bench.scratch.url), transport: DeviceTransport(), user: eg.user,
      configuration: ChatConfiguration(
        outbox: ChatConfiguration.OutboxLimits(perConversation: 1, total: 1), path: NetworkPath(isUp: false),
        environment: environment))
  }

  // L1.1, L1.2
  @Test func `without a server a message is delivered once it is stored, and the outbox stays empty`() throws
  {
    let client = try alone()
    let notes = try client.createConversation("notes")
    let sent = try (1...3).map { try notes.send("\($0)") }

    let rows = try client.reader.conversation("notes", limit: 10).rows
    #expect(rows.map(\.id) == sent)
    #expect(rows.map(\.text) == ["1", "2", "3"])
    #expect(rows.map(\.status.code) == [.delivered, .delivered, .delivered])
    #expect(rows.map(\.status.text) == [nil, nil, nil])
    #expect(try client.outbox.health().waiting == 0)
    #expect(try alone().reader.conversation("notes", limit: 10).rows.map(\.text) == ["1", "2", "3"])
  }

  // L1.3
  @Test func `a client with a server keeps single conversations on the device`() throws {
    let client = try bench.client(
      ChatConfiguration(outbox: ChatConfiguration.OutboxLimits(perConversation: 1, total: 1)))
    let notes = try client.createConversation("notes", isOnDevice: true)
    try notes.send("here")
    try notes.send("here too")
    let sent = try client.send("to the server", in: eg.conversation)

    #expect(
      try client.reader.conversation("notes", limit: 10).rows.map(\.status.state) == [
        .delivered, .delivered,
      ])
    #expect(try client.row(sent).status.state == .queued)
    #expect(throws: ChatError.self) { try client.send("one too many", in: eg.conversation) }
  }

  // L1.3
  @Test func `a conversation with a server does not become one of the device, nor the other way round`()
    throws
  {
    let client = try bench.client()
    try client.createConversation(eg.conversation, isOnDevice: true)
    #expect(try client.row(try client.send("one", in: eg.conversation)).status.state == .queued)
    try client.createConversation("notes", isOnDevice: true)
    try client.createConversation("notes")
    try client.send("two", in: "notes")
    #expect(try client.reader.conversation("notes", limit: 10).rows.map(\.status.state) == [.delivered])
  }

  // L1.1
  @Test func `edits, reactions and deletions are carried out at once`() throws {
    let client = try alone()
    let notes = try client.createConversation("notes")
    let (first, second) = (try notes.send("one"), try notes.send("two"))

    try client.message(first).edit(to: "eins")
    try client.message(first).react("👍")
    var rows = try client.reader.conversation("notes", limit: 10).rows
    #expect(rows[0].text == "eins")
    #expect(rows[0].editedAt != nil)
    #expect(rows[0].reactions.map(\.value) == ["👍"])
    #expect(rows[0].operation == nil)
    #expect(rows[0].actions == [.react, .edit, .delete])

    try client.message(first).unreact("👍")
    try client.message(second).delete()
    rows = try client.reader.conversation("notes", limit: 10).rows
    #expect(rows.map(\.text) == ["eins"])
    #expect(rows[0].reactions == [])
    #expect(try client.outbox.health().waiting == 0)
  }

  // L1.1
  @Test func `a text that a server would refuse as too long is kept on the device`() throws {
    let bench = try Bench(maximumMessageBytes: 5)
    let client = try bench.client()
    let notes = try client.createConversation("notes", isOnDevice: true)
    let id = try notes.send("longer than five bytes")
    try client.message(id).edit(to: "still longer than five bytes")
    #expect(throws: ChatError.self) { try client.send("longer than five bytes", in: eg.conversation) }
  }

  // L1.3
  @Test func `a server can neither write into a conversation of the device nor learn of it`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let notes = try client.createConversation("notes", isOnDevice: true)
        try notes.send("mine")
        try await bench.rest()
        bench.transport.say(.ready)
        bench.transport.say(
          .items(
            [
              .conversation(IncomingConversation(id: "notes", title: "theirs", members: ["mallory"])),
              .message(
                IncomingMessage(
                  id: "m", conversation: "notes", sender: "mallory", content: MessageContent("theirs"),
                  order: 1,
                  createdAt: eg.date)),
            ], cursor: nil))
        bench.transport.say(
          .piece(StreamPiece(id: "s", conversation: "notes", sender: "mallory", sequence: 0, text: "theirs")))
        try await bench.rest()
        let snapshot = try client.reader.conversation("notes", limit: 10)
        #expect(snapshot.rows.map(\.text) == ["mine"])
        #expect(snapshot.title == "mine")
        #expect(bench.transport.sent.isEmpty)
      }
    }
  }

  // L1.3
  @Test func `a reply on the device does not leave piece by piece, and nobody is asked about its request`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        let notes = try client.createConversation("notes", isOnDevice: true)
        bench.transport.say(.ready)
        let reply = try await notes.beginReply(answering: "request")
        try await reply.append("half")
        try await bench.pass(.seconds(1))
        bench.gate.fail()
      }
      bench.gate.heal()
      try await bench.running { client in
        bench.transport.say(.ready)
        try await bench.rest()
        let row = try #require(try client.reader.conversation("notes", limit: 10).rows.first)
        let reply = try await client.message(row.id).continueReply()
        try await reply.append(" and whole")
        try await reply.finish()
        try await bench.rest()
        #expect(try client.reader.conversation("notes", limit: 10).rows.map(\.text) == ["half and whole"])
        let other = try await client.conversation("notes").beginReply(answering: "another")
        try await other.interrupt()
        try await bench.rest()
      }
      #expect(bench.transport.pieces.isEmpty)
      #expect(bench.transport.sent.isEmpty)
      #expect(bench.transport.requests.isEmpty)
    }
  }

  // L1.1, L4.4
  @Test
  func `a reply on the device is delivered when it is finished, and one that was cut off can be deleted`()
    async throws
  {
    let client = try alone()
    let notes = try client.createConversation("notes")
    try notes.send("question")
    let reply = try await notes.beginReply()
    try await reply.append("answer")
    try await reply.finish()
    let other = try await notes.beginReply()
    try await other.append("half")
    try await other.interrupt()

    var rows = try client.reader.conversation("notes", limit: 10).rows
    #expect(rows.map(\.text) == ["question", "answer", "half"])
    #expect(rows.map(\.status.code) == [.delivered, .delivered, .interrupted])
    #expect(rows[2].actions == [.continueReply, .retryReply, .delete])
    try client.message(other.id).delete()
    rows = try client.reader.conversation("notes", limit: 10).rows
    #expect(rows.map(\.text) == ["question", "answer"])
  }

  // L1.3
  @Test func `what waited for a server is delivered when the store is opened without one`() throws {
    try Bench.simulate { bench in
      let sent = try bench.client().send("waits", in: eg.conversation)
      let client = try Self.simulated(bench)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        defer { group.cancelAll() }
        try await bench.pass(.seconds(1))
        #expect(try client.row(sent).status.state == .delivered)
      }
    }
  }
}
