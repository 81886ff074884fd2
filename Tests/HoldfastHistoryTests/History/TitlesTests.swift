import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

@Suite struct TitlesTests {
  private let bench: Bench
  private let client: ChatClient

  init() throws {
    bench = try Bench()
    client = try bench.client()
  }

  private func title(of id: ConversationID = eg.conversation) throws -> String? {
    try client.reader.list(limit: 10).rows.first { $0.id == id }?.title
  }

  // H1.3
  @Test func `a title that its user gave stays when messages are sent and received`() throws {
    try client.createConversation("alone")
    try client.conversation("alone").setTitle("  My\nnotes ")
    try client.send("first words", in: "alone")
    #expect(try title(of: "alone") == "My notes")
    try client.conversation(eg.conversation).setTitle("With Bob")
    try client.takeIn(
      IncomingConversation(id: eg.conversation, title: "Server's", members: ["alice", "bob"]))
    #expect(try title() == "With Bob")
    #expect(try client.reader.conversation(eg.conversation, limit: 1).title == "With Bob")
  }

  // H1.2, H1.3
  @Test func `an empty title goes back to the automatic one`() throws {
    try client.createConversation("alone")
    try client.send("first words", in: "alone")
    try client.send("second words", in: "alone")
    try client.conversation("alone").setTitle("Mine")
    try client.conversation("alone").setTitle(" \n ")
    #expect(try title(of: "alone") == "first words")
    try client.conversation(eg.conversation).setTitle("With Bob")
    try client.conversation(eg.conversation).setTitle(nil)
    #expect(try title() == "bob", "The other members' names.")
    try client.takeIn(
      IncomingConversation(id: eg.conversation, title: "Server's", members: ["alice", "bob"]))
    #expect(try title() == "Server's")
  }

  // H18.1
  @Test(arguments: [
    (["alice", "alice/assistant/claude"], "What is a monad?"),
    (["alice/assistant/claude", "alice", "alice/assistant/gpt \"4\""], "What is a monad?"),
    (["alice", "bob", "alice/assistant/claude"], "bob, claude"),
    (["alice", "bob/assistant"], "bob/assistant"),
  ])
  func `a chat with assistants alone is titled by its first question`(members: [UserID], expected: String)
    throws
  {
    try client.createConversation("chat", members: members)
    try client.send("What is a monad?\nIn one line.", in: "chat")
    try client.send("And a functor?", in: "chat")
    #expect(try title(of: "chat") == expected)
    try client.conversation("chat").setTitle("Mine")
    try client.conversation("chat").setTitle(nil)
    #expect(try title(of: "chat") == expected)
  }

  // H18.1, L7.1
  @Test func `a chat with an assistant that was emptied is titled by its next question`() async throws {
    try client.createConversation("chat", members: ["alice", "alice/assistant/claude"])
    try client.send("What is a monad?", in: "chat")
    try await client.conversation("chat").empty()
    #expect(try title(of: "chat") == "claude")
    try client.send("And a functor?", in: "chat")
    #expect(try title(of: "chat") == "And a functor?")
  }

  // H18.1, H10.1
  @Test func `an export has the title that a chat with an assistant shows`() throws {
    try client.createConversation("chat", members: ["alice", "alice/assistant/claude"])
    try client.send("What is a monad?", in: "chat")
    try client.createConversation("named", members: ["alice", "alice/assistant/claude"])
    try client.send("And a functor?", in: "named")
    try client.conversation("named").setTitle("Functors")
    let place = try ScratchFolder(inMemory: true)
    let file = place.url.appending(path: "export.json")
    try client.exportHistory(to: file)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains(#""title":"What is a monad?""#))
    #expect(text.contains(#""title":"Functors""#))
    #expect(!text.contains(#""title":"And a functor?""#))
  }

  // H1.3
  @Test func `a title is bounded, and of a conversation that is there`() throws {
    #expect(throws: ChatError(.titleTooLong, "The title has 1002 bytes, 1000 are allowed. Shorten it.")) {
      try client.conversation(eg.conversation).setTitle(String(repeating: "ş", count: 501))
    }
    try client.conversation(eg.conversation).setTitle(String(repeating: "ş", count: 500))
    #expect(try title() == String(repeating: "ş", count: 500))
    do {
      try client.conversation("nowhere").setTitle("x")
      Issue.record("There is no such conversation.")
    } catch {
      #expect(error.code == .unknownConversation)
    }
  }

  // H4.1
  @Test func `the active conversation is remembered, and follows its new ID`() async throws {
    #expect(try client.activeConversation() == nil)
    try client.setActiveConversation(eg.conversation)
    #expect(try bench.client().activeConversation() == eg.conversation)
    try await client.conversation(eg.conversation).replaceID(with: "server-7")
    #expect(try client.activeConversation() == "server-7")
    try client.setActiveConversation(eg.conversation)
    #expect(try client.activeConversation() == "server-7", "The earlier ID means the same.")
    try client.setActiveConversation(nil)
    #expect(try client.activeConversation() == nil)
    do {
      try client.setActiveConversation("nowhere")
      Issue.record("There is no such conversation.")
    } catch {
      #expect(error.code == .unknownConversation)
    }
  }

  // H4.1, R1
  @Test func `the conversation that a window opened last is the active one`() throws {
    try client.createConversation("other")
    let main = PlainScene(client, "main")
    main.open(eg.conversation)
    try client.hardSave()
    #expect(try client.activeConversation() == eg.conversation)
    let second = PlainScene(client, "second")
    second.open("other")
    try client.hardSave()
    #expect(try client.activeConversation() == "other")
    second.go(to: "the list")
    try client.hardSave()
    #expect(try client.activeConversation() == "other", "It was the last one on the screen.")
    try client.setActiveConversation(eg.conversation)
    second.go(to: "the settings")
    try client.hardSave()
    #expect(try client.activeConversation() == eg.conversation)
    second.open("nowhere")
    try client.hardSave()
    #expect(try client.activeConversation() == eg.conversation)
  }

  // H4.3
  @Test func `the list says what its excerpt is`() throws {
    #expect(try client.reader.list(limit: 1).rows.first?.excerptKind == .empty)
    var message = eg.incoming("file", "")
    message.attachments = [
      ChatAttachment(
        checksum: ChatAttachment.Checksum(rawValue: String(repeating: "a", count: 64)), name: "holiday.png",
        mediaType: "image/png", byteCount: 3)
    ]
    try client.takeIn(message)
    let row = try client.reader.list(limit: 1).rows.first
    #expect(row?.excerpt == "holiday.png")
    #expect(row?.excerptKind == .file)
    try client.takeIn(eg.incoming("text", "words", order: 2))
    #expect(try client.reader.list(limit: 1).rows.first?.excerptKind == .message)
    try client.takeIn(eg.incoming("text", "", order: 2, revision: 1, deletedAt: eg.date))
    #expect(try client.reader.list(limit: 1).rows.first?.excerptKind == .deleted)
    client.drafts.edit("typed", in: eg.conversation)
    try client.hardSave()
    #expect(try client.reader.list(limit: 1).rows.first?.excerptKind == .draft)
  }

  // H4.2
  @Test(arguments: ["🇩🇪", "👨‍👩‍👧", "👍🏽", "e\u{301}", "नि", "a"])
  func `an excerpt ends between two characters`(character: String) throws {
    let count = character.unicodeScalars.count
    for scalars in [198, 199, 200, 398, 399] {
      let text = String(repeating: "x", count: scalars) + String(repeating: character, count: 210)
      let expected = String(text.prefix(200))
      try client.takeIn(eg.incoming("m", text, order: 1, revision: Int64(scalars)))
      #expect(try client.reader.list(limit: 1).rows.first?.excerpt == expected, "\(scalars) and \(count)")
      client.drafts.edit(text, in: eg.conversation)
      try client.hardSave()
      #expect(try client.reader.list(limit: 1).rows.first?.excerpt == expected)
      client.drafts.edit("", in: eg.conversation)
      try client.hardSave()
    }
    // A flag that SQLite cuts in the middle.
    let flags = String(repeating: character, count: 500)
    try client.takeIn(eg.incoming("m", "x" + flags, order: 1, revision: 1_000))
    let excerpt = try #require(try client.reader.list(limit: 1).rows.first?.excerpt)
    #expect(("x" + flags).hasPrefix(excerpt))
    #expect(excerpt.dropFirst().allSatisfy { String($0) == character })
    #expect(excerpt.count > 130 / count)
  }

  // H1.4
  @Test func `the additional fields of an imported message can be read, and have no other effect`() throws {
    let file = bench.scratch.url.appendingPathComponent("history.json")
    let text = #"""
      {"conversations":[{"id":"c","messages":[{"id":"m","role":"user","content":"hi","status":"read",
        "images":["a.png","b.png"],"videos":["c.mov"],"readBy":["bob"]}]}]}
      """#
    try Data(text.utf8).write(to: file)
    try client.importHistory(from: file)
    let expected = MessageDetails(readBy: ["bob"], importedStatus: "read")
    #expect(try client.message("m").details() == expected)
    var row = try #require(try client.reader.conversation("c", limit: 1).rows.first)
    #expect(row.images == ["a.png", "b.png"])
    #expect(row.videos == ["c.mov"])
    try StoreSurgery.damageVideos(of: "m", in: client)
    row = try #require(try client.reader.conversation("c", limit: 1).rows.first)
    #expect(row.images == ["a.png", "b.png"])
    #expect(row.videos == [])
    #expect(try client.message("none").details() == nil)
    #expect(try client.message("m\u{0}").details() == nil)
  }
}
