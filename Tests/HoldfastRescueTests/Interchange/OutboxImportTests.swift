import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = EngineExample

/// Queues and drafts of other apps (rule H10).
@Suite(.timeLimit(.minutes(10))) struct OutboxImportTests {
  private let bench: Bench

  init() throws { bench = try Bench(inMemory: true) }

  private func file(_ text: String) throws -> URL {
    let url = bench.scratch.url.appendingPathComponent("pending-messages.json")
    try Data(text.utf8).write(to: url)
    return url
  }

  // H10.1, H10.2, H10.5
  @Test(arguments: [
    #"[{"id":"q1","chatID":"c","text":" one ","timestamp":"2026-01-01T00:00:00Z","retryCount":2},"#
      + #"{"id":"q2","chatID":"d","text":"two","timestamp":1769860800,"retryCount":0},"#
      + #"{"id":"q3","chatID":"c","text":"three","timestamp":791553600.5,"retryCount":0}]"#,
    #"[{"id":"q1","conversationId":"c","content":"one","createdAt":"2026-01-01T00:00:00Z","status":"pending"},"#
      + #"{"id":"q2","conversationId":"d","content":"two"},{"id":"q3","conversationId":"c","content":"three"}]"#,
  ])
  func `a queue goes into the outbox in its order, once`(text: String) throws {
    let client = try bench.client()
    let report = try client.importHistory(from: file(text))
    #expect(report.format == .queue)
    #expect(report.queued == 3, "\(report.problems)")
    #expect(try client.unsentBodies() == ["one", "two", "three"])
    let again = try client.importHistory(from: file(text))
    #expect((again.queued, again.alreadyHere) == (0, 3))
  }

  // H10.5, U19
  @Test func `an imported message that was sent or cancelled does not come again`() async throws {
    let client = try bench.client()
    let text =
      #"[{"id":"q1","chatID":"c","text":"one"},{"id":"q2","chatID":"c","text":"two"},{"chatID":"c","text":"x"}]"#
    try client.importHistory(from: file(text))
    try await client.message("q1").cancel()
    try client.confirm("q2", in: "c")
    try client.evictAll()
    #expect(try client.reader.conversation("c", limit: 10).rows.map(\.text) == ["x"])
    let again = try client.importHistory(from: file(text))
    #expect((again.queued, again.alreadyHere) == (0, 3))
    #expect(try client.unsentBodies() == ["x"])
  }

  // O16.1, H10.2
  @Test func `a message that has waited elsewhere for days is held when the link comes back`() throws {
    try Bench.simulate(window: 4, inMemory: true) { bench in
      let date = InterchangeDate.text(eg.date.addingTimeInterval(-3 * 86_400).microseconds)
      let file = bench.scratch.url.appendingPathComponent("pending-messages.json")
      try Data(
        #"[{"id":"old","chatID":"c","text":"old","timestamp":"\#(date)"},{"id":"new","chatID":"d","text":"new"}]"#
          .utf8
      ).write(to: file)
      bench.transport.refuse(ConnectionFailure(.unreachable))
      try await bench.running { client in
        for id in ["c", "d"] as [ConversationID] { try client.createConversation(id, members: [eg.other]) }
        try client.importHistory(from: file)
        #expect(try client.reader.conversation("c", limit: 10).rows.map(\.status.state) == [.held])
        #expect(try client.reader.conversation("d", limit: 10).rows.map(\.status.state) == [.queued])
        let health = try client.outbox.health()
        #expect(health.oldest == "old")
        #expect(try #require(health.oldestWaited) >= .seconds(86_400))
        try await bench.pass(.seconds(60))
        #expect(try !client.held.snapshot().isAsked)

        bench.transport.refuse(nil)
        bench.transport.say(.ready)
        #expect(await bench.transport.transmission(1).id == "new")
        bench.transport.say(.receipts([eg.receipt("new", in: "d")]))
        try await bench.pass(.seconds(60))
        #expect(bench.transport.sent.map(\.id) == ["new"])
        #expect(try client.held.snapshot().isAsked)
        #expect(try client.reader.conversation("c", limit: 10).rows.map(\.status.state) == [.held])
      }
    }
  }

  // O16.1, O16.3, H10.2
  @Test func `one that has waited elsewhere for days is asked about, also while the link is up`() throws {
    try Bench.simulate(window: 4, inMemory: true) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        for id in ["c", "d"] as [ConversationID] { try client.createConversation(id, members: [eg.other]) }
        try await bench.pass(.milliseconds(110))
        let date = InterchangeDate.text(eg.date.addingTimeInterval(-3 * 86_400).microseconds)
        let nothing = Array(repeating: #"{"chatID":"c","text":" "}"#, count: 250).joined(separator: ",")
        let file = bench.scratch.url.appendingPathComponent("queue.json")
        try Data(
          #"[{"id":"old","chatID":"c","text":"old","timestamp":"\#(date)"},{"id":"other","chatID":"d","text":"x"},"#
            .utf8
        ).write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        // The message is stored in a later transaction and is not old, but it is held together with the old one.
        try handle.write(contentsOf: Data((nothing + #",{"id":"new","chatID":"c","text":"new"}]"#).utf8))
        try handle.close()
        let report = try client.importHistory(from: file)
        try await bench.pass(.seconds(5))
        guard report.queued == 3, bench.transport.sent.map(\.id) == ["other"] else {
          throw Missed("\(bench.transport.sent.map(\.id)) left")
        }
        let held = try client.held.snapshot()
        guard held.count == 2, held.isAsked else { throw Missed("\(held)") }
        try client.outbox.answerHeld(.send)
        try await bench.pass(.seconds(5))
        guard bench.transport.sent.map(\.id) == ["other", "old", "new"] else {
          throw Missed("\(bench.transport.sent.map(\.id)) left")
        }
      }
    }
  }

  // H10.2
  @Test func `an entry of a queue that makes no sense is reported, and the others are queued`() throws {
    let client = try bench.client()
    let report = try client.importHistory(
      from: file(
        #"[{"id":"1","chatID":"c","text":"one"},{"id":"2","text":"two"},{"id":"3","chatID":"c","text":"  "},7,"#
          + #"{"id":"5","chatID":"c","te"xt":1},{"id":"6","chatID":"c","text":"six"},{"id":"7","chatID":"c","text":"se"#
      ))
    #expect(try client.unsentBodies() == ["one", "six"])
    #expect(
      report.problems.map(\.code) == [.conversationUnknown, .empty, .wrongFields, .malformed, .ended],
      "\(report.problems)")
  }

  // H10
  @Test func `a full outbox says so, and a later import brings the rest`() async throws {
    let client = try bench.client(.init(outbox: .init(perConversation: 1, total: 1)))
    let text = #"[{"id":"q1","chatID":"c","text":"one"},{"id":"q2","chatID":"c","text":"two"}]"#
    #expect(try client.importHistory(from: file(text)).problems.map(\.code) == [.outboxFull])
    try await client.message("q1").cancel()
    #expect(try client.importHistory(from: file(text)).queued == 1)
    #expect(try client.unsentBodies() == ["two"])
  }

  // H10.3, H10.5
  @Test func `a single draft comes into its composer, with its age, and once`() throws {
    let client = try bench.client()
    let text = #"{"draftInput":"half a thought ","draftInputSessionId":"c"}"#
    #expect(try client.importHistory(from: file(text)).drafts == 1)
    #expect(client.drafts.text(in: "c") == "half a thought ")
    #expect(try client.drafts.stored(in: "c") == ["half a thought "])
    #expect(try client.importHistory(from: file(text)).alreadyHere == 1)
    _ = try client.drafts.discard(in: "c")
    #expect(try client.importHistory(from: file(text)).alreadyHere == 1)
    #expect(client.drafts.text(in: "c") == "")
  }

  // D1.6, H10.4
  @Test func `drafts by project are beside what is typed here, and overwrite nothing`() throws {
    let client = try bench.client()
    client.drafts.edit("typed here", in: eg.conversation)
    let report = try client.importHistory(
      from: file(
        """
        {"p1":{"text":"one","attachments":[],"savedAt":"2026-01-01T00:00:00Z"},
         "\(eg.conversation)":{"text":"imported","attachments":["a.png"],"savedAt":791553600},
         "p2":{"text":"  "}}
        """))
    #expect(report.format == .draftsByProject)
    #expect((report.drafts, report.draftVersions) == (1, 1))
    #expect(report.problems.map(\.code) == [.attachmentsLeftOut, .empty])
    #expect(client.drafts.text(in: eg.conversation) == "typed here")
    #expect(try client.drafts.storedWithVersions(in: eg.conversation) == ["typed here", "imported"])
    #expect(client.drafts.text(in: "p1") == "one")
    #expect(
      client.drafts.open(DraftKey(conversation: "p1")).writtenAt == Date(timeIntervalSince1970: 1_767_225_600)
    )
  }
}
