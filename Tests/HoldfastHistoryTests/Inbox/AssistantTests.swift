import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// An assistant that is a member of its own.
@Suite struct AssistantTests {
  private let bench = try! Bench()
  private static let assistant = UserID.assistant("claude", of: eg.user)

  // L3.1
  @Test func `the ID of an assistant has its name and its account`() {
    #expect(Self.assistant.assistantName == "claude")
    #expect(Self.assistant.account == eg.user)
    #expect(UserID("alice").assistantName == nil)
    #expect(UserID("alice").account == "alice")
    #expect(UserID("team/alice/assistant/claude").account == "team/alice")
    for name in ["", "a/b", "a\n", String(repeating: "x", count: 65)] {
      let id = UserID.assistant(name, of: eg.user)
      #expect(id.assistantName != name)
      #expect(id.account != eg.user)
    }
    #expect(UserID("/assistant/claude").assistantName == nil)
  }

  // L3.1, L3.2, L3.3
  @Test func `a reply of an assistant is nobody's own, leaves in its name, and is confirmed by its echo`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let reply = try await client.conversation(eg.conversation).beginReply(as: Self.assistant)
        try await reply.append("Hello")
        try await bench.rest()
        #expect(bench.transport.pieces.map(\.sender) == [Self.assistant])
        try await reply.finish()
        let sent = await bench.transport.transmission(1)
        #expect(sent.sender == Self.assistant)
        var echo = eg.incoming(reply.id, from: Self.assistant, "Hello", order: 1)
        echo.role = .assistant
        bench.transport.say(.items([.message(echo)], cursor: nil))
        try await bench.rest()
        let row = try client.row(reply.id)
        #expect((row.sender, row.isMine) == (Self.assistant, false))
        #expect(row.status.state == .delivered)
        #expect(
          row.actions == [.react, .regenerateReply, .delete],
          "The account that runs the model can delete what it wrote.")
        let listed = try #require(try client.reader.list(limit: 10).rows.first)
        #expect((listed.excerpt, listed.excerptSender) == ("Hello", Self.assistant))
      }
    }
  }

  // L3.3
  @Test func `its replies are continued, retried and deleted by the account whose app runs the model`()
    async throws
  {
    let client = try bench.client()
    let chat = client.conversation(eg.conversation)
    let reply = try await chat.beginReply(as: Self.assistant)
    try await reply.append("Hel")
    try await reply.interrupt()
    #expect(try client.row(reply.id).actions == [.continueReply, .retryReply, .delete])
    let continued = try await client.message(reply.id).continueReply()
    try await continued.append("lo")
    try await continued.interrupt()
    #expect(try client.row(reply.id).sender == Self.assistant)
    let anew = try await client.message(reply.id).retryReply()
    try await anew.append("Bye")
    try await anew.finish()
    #expect(try client.row(reply.id).text == "Bye")
    #expect(try client.row(reply.id).sender == Self.assistant)
  }

  // L3.1
  @Test func `nobody writes in the name of somebody else`() async throws {
    let client = try bench.client()
    let chat = client.conversation(eg.conversation)
    for sender in [
      eg.other, UserID.assistant("claude", of: eg.other), UserID.assistant("a/b", of: eg.user), "",
    ] {
      await #expect(throws: ChatError.self) { try await chat.beginReply(as: sender) }
    }
    #expect(try client.rows().isEmpty)
    let notes = try client.createConversation("notes", isOnDevice: true)
    #expect(try await notes.beginReply(as: "assistant").id != "")
  }

  // L3.2
  @Test func `an assistant is a member on this device, and the server is sent accounts alone`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let chat = try client.createConversation("ask", members: [eg.user, Self.assistant])
        try chat.send("Hello?")
        bench.transport.say(.ready)
        #expect(await bench.transport.transmission(1).members == [eg.user])
        bench.transport.say(
          .items(
            [.conversation(IncomingConversation(id: "ask", title: nil, members: [eg.user]))], cursor: nil))
        try await bench.rest()
        let stored = try client.store.read { try $0.conversations.stored("ask") }
        #expect(stored?.members == [eg.user, Self.assistant])
      }
    }
  }
}
