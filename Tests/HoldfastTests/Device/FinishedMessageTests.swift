import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Messages that are stored without being sent.
@Suite struct FinishedMessageTests {
  private let bench = try! Bench()

  private func message(_ id: MessageID, _ text: String, by sender: UserID = "assistant")
    -> FinishedMessage
  {
    FinishedMessage(
      id: id, sender: sender, role: sender == "assistant" ? .assistant : .user, content: MessageContent(text),
      createdAt: eg.date.addingTimeInterval(-60))
  }

  // L2.1, L2.2, L2.4
  @Test func `a recorded message is delivered, once by its ID, and never in the outbox`() throws {
    let client = try bench.client()
    let chat = client.conversation(eg.conversation)
    #expect(try chat.store(message("r", "answer")))
    #expect(try !chat.store(message("r", "another")))

    let row = try client.row("r")
    #expect((row.text, row.sender.rawValue, row.role) == ("answer", "assistant", .assistant))
    #expect(row.createdAt == eg.date.addingTimeInterval(-60))
    #expect(row.status.state == .delivered)
    #expect(try client.outbox.health().waiting == 0)
  }

  // L2.3
  @Test func `recorded messages are in their order, in one transaction from any sequence`() throws {
    let client = try bench.client()
    let chat = client.conversation(eg.conversation)
    let texts = sequence(first: 1) { $0 < 300 ? $0 + 1 : nil }
    #expect(
      try chat.store(contentsOf: texts.lazy.map { message(MessageID(rawValue: "r\($0)"), "\($0)") }) == 300)
    #expect(try chat.store(contentsOf: [message("r1", "1"), message("new", "301")]) == 1)
    #expect(
      try client.reader.conversation(eg.conversation, limit: 1_000).rows.map(\.text)
        == (1...301).map(String.init))
  }

  // L2.3
  @Test func `a malformed ID and one of another conversation are refused, and nothing is stored`() throws {
    let client = try bench.client()
    let chat = client.conversation(eg.conversation)
    let elsewhere = try client.createConversation("notes", isOnDevice: true)
    let taken = try elsewhere.send("here")
    for id in ["", taken] as [MessageID] {
      #expect(throws: ChatError.self) {
        try chat.store(contentsOf: [message("first", "x"), message(id, "y")])
      }
    }
    #expect(throws: ChatError.self) { try client.conversation("nowhere").store(message("r", "x")) }
    #expect(try client.rows().isEmpty)
  }

  // L2.1
  @Test func `the first recorded message of the user gives the title`() throws {
    let client = try bench.client()
    let notes = try client.createConversation("notes", isOnDevice: true)
    try notes.store(contentsOf: [message("a", "Hello, ask me"), message("q", "Where to?", by: eg.user)])
    #expect(try client.reader.conversation("notes", limit: 10).title == "Where to?")
  }
}
