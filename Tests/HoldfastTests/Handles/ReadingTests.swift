import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Reading and typing without a model of a view.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ReadingTests {
  private let bench: Bench

  init() throws { bench = try Bench(inMemory: true) }

  // A5.1
  @Test func `the last messages are read once, and a conversation that is not there is reported`() throws {
    let client = try bench.client()
    for number in 1...5 { try client.send("message \(number)", in: eg.conversation) }
    let chat = client.conversation(eg.conversation)
    for (count, expected) in [(2, ["message 4", "message 5"]), (0, []), (-1, [])] {
      let texts = try chat.messages(last: count).map(\.text)
      #expect(texts == expected)
    }
    #expect(try chat.messages(last: .max).count == 5)
    let error = #expect(throws: ChatError.self) { try client.conversation("nowhere").messages(last: 1) }
    #expect(error?.code == .unknownConversation)
  }

  // A5.1
  @Test func `a draft is read and written without a model, and an open composer follows`() async throws {
    let client = try bench.client()
    let chat = client.conversation(eg.conversation)
    #expect(try chat.draft().isEmpty)
    let answered = try chat.send("a question")
    let composer = ComposerModel(client, eg.conversation)
    composer.reply(to: answered)
    composer.text = "typed, and not saved yet"
    #expect(try chat.draft().text == "typed, and not saved yet")
    try chat.setDraft("from a shortcut")
    await Shown.until({ composer.text == "from a shortcut" }, while: composer.run)
    #expect(try chat.draft() == DraftContent("from a shortcut", replyTo: answered))
    #expect(try client.drafts.stored(in: eg.conversation) == ["from a shortcut"])
    #expect(composer.versions().map(\.text) == ["typed, and not saved yet"])
  }

  // A5.1
  @Test func `a draft that cannot be stored stays in the composer, and says so`() throws {
    let client = try bench.client()
    let chat = client.conversation(eg.conversation)
    bench.gate.fail()
    let error = #expect(throws: ChatError.self) { try chat.setDraft("kept") }
    #expect(error?.code == .storageFull)
    #expect(try chat.draft().text == "kept")
    bench.gate.heal()
    try client.hardSave()
    #expect(try client.drafts.stored(in: eg.conversation) == ["kept"])
  }

  // A5.3
  @Test func `a message's explanations follow it to its delivery`() async throws {
    let client = try bench.client()
    let id = try client.send("hi", in: eg.conversation)
    var codes: [MessageStatus.Code] = []
    for await explanation in client.message(id).explanations() {
      codes.append(explanation.code)
      if explanation.code == .delivered { break }
      try client.confirm(id)
    }
    #expect(codes == [.notRunning, .delivered])
  }

  // A5.3
  @Test func `a message that cannot be read is explained once it can`() async throws {
    let client = try bench.client()
    let id = try client.send("hi", in: eg.conversation)
    try await client.suspend()
    var explanations = client.message(id).explanations().makeAsyncIterator()
    async let first = explanations.next(isolation: MainActor.shared)
    try await client.resume()
    #expect(await first?.code == .notRunning)
  }

  // A5.4
  @Test func `a first message makes its conversation in the same transaction`() throws {
    let client = try bench.client()
    let id = try client.send("Hello", in: "carol", creatingWith: ["carol"])
    #expect(try client.conversation("carol").members() == ["alice", "carol"])
    #expect(try client.conversation("carol").messages(last: 9).map(\.id) == [id])
    try client.conversation("dave").send("Hi", creatingWith: ["dave"])
    #expect(try client.conversation("dave").messages(last: 9).map(\.text) == ["Hi"])
    try client.send("again", in: "carol", creatingWith: ["mallory"])
    #expect(try client.conversation("carol").members() == ["alice", "carol"], "It is there, and stays.")
    for (text, members, code) in [
      (" ", ["erin"], .emptyMessage), ("Hi", ["\n"], .malformedID),
    ] as [(String, [UserID], ChatError.Code)] {
      let error = #expect(throws: ChatError.self) {
        try client.send(text, in: "erin", creatingWith: members)
      }
      #expect(error?.code == code)
      #expect(throws: ChatError.unknownConversation) { try client.conversation("erin").members() }
    }
  }

  // A5.2
  @Test func `a preview's client has its messages, and works`() throws {
    let date = Date(timeIntervalSince1970: 1_780_000_000)
    let client = try ChatClient.preview(
      [
        FinishedMessage(id: "1", sender: "bob", content: .init("Hello"), createdAt: date),
        FinishedMessage(id: "2", sender: "me", content: .init("Hi"), createdAt: date),
      ], title: "Bob")
    let model = ConversationModel(client, "preview")
    #expect(
      (model.title, model.rows.map(\.text), model.rows.map(\.isMine)) == (
        "Bob", ["Hello", "Hi"], [false, true]
      ))
    try client.send("Sent in a preview", in: "preview")
    model.reload()
    #expect(model.rows.last?.status.state == .delivered)
  }
}
